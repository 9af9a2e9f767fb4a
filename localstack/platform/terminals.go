package platform

import (
	"context"
	"io"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/reader"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// readersDir holds a file per card terminal that has joined.
const readersDir = "readers"

// Reader runs a card terminal until ctx or its input ends. It fails with ErrNotRunning or the errors of reader.Run.
func (f Folder) Reader(ctx context.Context, in io.Reader, out io.Writer) error {
	if _, err := f.Surroundings(); err != nil {
		return err
	}
	return reader.Run(ctx, reader.Config{Dir: f.path(readersDir), Acquirer: acquirerOf{f}, Now: f.now, In: in, Out: out})
}

// now returns the platform's time, even while the platform is stopped.
func (f Folder) now() time.Time {
	offset, _ := f.readClockOffset() // an unreadable offset keeps the platform from starting, with an error
	return clock.NewAhead(offset).Now().UTC()
}

// acquirerOf is the acquirer of the platform that now runs over the folder. Each run has another address and token.
type acquirerOf struct{ Folder }

func (a acquirerOf) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	s, err := a.Surroundings()
	if err != nil {
		return payments.Outcome{}, err
	}
	return reader.AcquirerAt(s.Control).Charge(ctx, c)
}
