package reader

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Config is what a terminal runs with.
type Config struct {
	Dir      string           // where terminals say that they have joined
	Acquirer Charger          // at which it charges
	Now      func() time.Time // the platform's time
	In       io.Reader        // what is entered, a line each
	Out      io.Writer        // the screen
	Tick     <-chan time.Time // when time may have passed; nil: each second
}

// Run runs a terminal and its pairing until ctx or the input ends. Errors: its file cannot be written, no port.
func Run(ctx context.Context, c Config) error {
	if c.Tick == nil {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		c.Tick = ticker.C
	}
	if err := prune(c.Dir); err != nil {
		return err
	}
	d := newDevice(c.Acquirer, c.Now, func(e entry) error { return e.write(c.Dir) })
	l := &line{device: d}
	if err := l.on(); err != nil {
		return err
	}
	err := c.loop(ctx, d, l)
	return errors.Join(err, l.off(), d.leave(c.Dir))
}

func (c Config) loop(ctx context.Context, d *device, l *line) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	entered := make(chan string)
	go lines(ctx, c.In, entered)
	shown := ""
	for {
		if screen := d.screen(); screen != shown {
			fmt.Fprint(c.Out, "\n"+screen)
			shown = screen
		}
		d.charge(ctx)
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-d.changed:
		case <-c.Tick:
			err = d.pass()
		case text, ok := <-entered:
			if !ok || text == "q" {
				return nil
			}
			if err = take(d, l, text); errors.Is(err, errKey) {
				fmt.Fprintln(c.Out, "That is none of the choices.")
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
}

func take(d *device, l *line, text string) error {
	switch {
	case text != "l":
		return d.key(text)
	case l.server == nil:
		return l.on()
	default:
		return l.off()
	}
}

func lines(ctx context.Context, in io.Reader, entered chan<- string) {
	defer close(entered)
	for scanner := bufio.NewScanner(in); scanner.Scan(); {
		select {
		case entered <- strings.ToLower(strings.TrimSpace(scanner.Text())):
		case <-ctx.Done():
			return
		}
	}
}

// tryCharge charges, again when there is no answer.
func (d *device) tryCharge(ctx context.Context, request acquirer.Charge) (o payments.Outcome, err error) {
	for try := range tries {
		if try > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
		if o, err = d.acquirer.Charge(ctx, request); err == nil || errors.Is(err, acquirer.ErrNotTaken) {
			break
		}
	}
	return o, err
}

type line struct {
	device *device
	server *http.Server // nil: it is off
}

// on lets the platform reach the terminal, on a port that is free.
func (l *line) on() error {
	server := &http.Server{Handler: serveTerminal(l.device, l.device.at.Token), ReadHeaderTimeout: patience}
	address, _, err := control.Serve(server)
	if err != nil {
		return err
	}
	l.server = server
	return l.device.connect(address)
}

// off drops whatever is under way, and lets nobody reach the terminal.
func (l *line) off() error {
	if l.server == nil {
		return nil
	}
	err := l.server.Close()
	l.server = nil
	return errors.Join(err, l.device.connect(""))
}
