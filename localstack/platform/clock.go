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
	clockFile     = "clock"        // offset of the platform's time as a Go duration; without the file it is 0
	clockVariable = "CLOCK_OFFSET" // the same for functions in other processes
	// maxOffset keeps years at four digits, and expiries within the five years that DynamoDB accepts.
	maxOffset = 5 * 365 * 24 * time.Hour
)

func (f Folder) readClockOffset() (time.Duration, error) {
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

// Time is the time of a platform.
type Time struct {
	Now   time.Time     // UTC
	Ahead time.Duration // offset from the system's time
}

// String formats the time for people.
func (t Time) String() string {
	text := t.Now.Format(time.RFC3339)
	if t.Ahead == 0 {
		return text + ", the real time"
	}
	return text + ", " + clock.FormatDuration(t.Ahead) + " ahead of the real time"
}

func timeOf(c *clock.Ahead) Time { return Time{c.Now().UTC(), c.Offset()} }

// Time returns the running platform's time. It fails with ErrNotRunning.
func (f Folder) Time() (Time, error) {
	if _, err := f.Surroundings(); err != nil {
		return Time{}, err
	}
	offset, err := f.readClockOffset()
	return timeOf(clock.NewAhead(offset)), err
}

// Advance moves the running platform's clock by d, and returns when the clock has moved. It fails with ErrNotRunning,
// or if d is not positive or is too large.
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
	return readRefusal(response)
}

// Time returns the platform's time.
func (p *Platform) Time() Time { return timeOf(p.clock) }

// advance stores the new offset first and then applies it everywhere. Delays, visibility, retention and expiries of the
// engines in memory follow the clock. Functions in other processes are replaced, as in a deployment. `make sam` keeps
// the offset with which it started.
//
// The real engines keep real time. So a jump does not shorten a message's delay, and expired items are deleted late.
// The platform does not depend on these times, because the sweep ticks at once after a jump of a minute or more.
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
