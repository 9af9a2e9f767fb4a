package platform

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

const (
	clockFile     = "clock"        // how far the platform's time is ahead, as Go writes a duration; none: it is real
	clockVariable = "CLOCK_OFFSET" // the same, of functions in processes of their own
	// maxOffset keeps years at four digits and expiries within what DynamoDB takes for one, five years.
	maxOffset = 5 * 365 * 24 * time.Hour
)

func (f Folder) clockOffset() (time.Duration, error) {
	text, err := os.ReadFile(f.path(clockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	offset, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil || offset < 0 || offset > maxOffset {
		return 0, fmt.Errorf("%s is not a duration from 0 to %s: restore it, or `make reset`", f.path(clockFile), maxOffset)
	}
	return offset, nil
}

// Time is a platform's time.
type Time struct {
	Now   time.Time     // UTC
	Ahead time.Duration // of the system's time
}

// String is for people.
func (t Time) String() string {
	text := t.Now.Format(time.RFC3339)
	if t.Ahead == 0 {
		return text + ", the real time"
	}
	return text + ", " + clock.FormatDuration(t.Ahead) + " ahead of the real time"
}

func timeOf(c *clock.Ahead) Time { return Time{c.Now().UTC(), c.Offset()} }

// Time is that of the platform that runs. Error: ErrNotRunning.
func (f Folder) Time() (Time, error) {
	if _, err := f.Surroundings(); err != nil {
		return Time{}, err
	}
	offset, err := f.clockOffset()
	return timeOf(clock.NewAhead(offset)), err
}

// Advance moves the running platform's clock, and waits for it. Errors: ErrNotRunning; d is not positive, or too far.
func (f Folder) Advance(ctx context.Context, d time.Duration) error {
	s, err := f.Surroundings()
	if err != nil {
		return err
	}
	response, err := s.Control.Put(ctx, clockPath, strings.NewReader(d.String()))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		return nil
	}
	return refusal(response)
}

// Time is the platform's.
func (p *Platform) Time() Time { return timeOf(p.clock) }

// advance keeps the new offset, and then moves everything to it.
func (p *Platform) advance(f Folder, c Config, d time.Duration) error {
	p.moving.Lock()
	defer p.moving.Unlock()
	offset := p.clock.Offset()
	switch {
	case d <= 0:
		return errors.New("time only moves forward")
	case d > maxOffset-offset:
		return fmt.Errorf("the platform's time can be %s ahead at most", clock.FormatDuration(maxOffset))
	}
	offset += d
	if err := f.write(clockFile, []byte(offset.String()+"\n")); err != nil {
		return err
	}
	p.clock.Advance(d)
	p.runner.SetVariable(clockVariable, offset.String())
	fmt.Fprintf(c.Progress, "The platform's time is now %s.\n", p.Time())
	p.inspector.Changed()
	return nil
}
