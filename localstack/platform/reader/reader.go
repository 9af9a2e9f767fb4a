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

// Config configures a terminal.
type Config struct {
	Dir      string           // folder of the terminals' files
	Acquirer Charger          // charges the cards
	Now      func() time.Time // returns the platform's time
	In       io.Reader        // input, a line each
	Out      io.Writer        // screen
	Tick     <-chan time.Time // signals the passing of time; nil means each second
}

// Run runs a terminal and its pairing until ctx or the input ends. It fails if there is no free port, or if the
// terminal's file cannot be written.
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
	if err := l.turnOn(); err != nil {
		return err
	}
	err := c.loop(ctx, d, l)
	return errors.Join(err, l.turnOff(), d.removeFile(c.Dir))
}

func (c Config) loop(ctx context.Context, d *device, l *line) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	entered := make(chan string)
	go readLines(ctx, c.In, entered)
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
			err = d.checkDeadlines()
		case text, ok := <-entered:
			if !ok || text == "q" {
				return nil
			}
			if err = handleInput(d, l, text); errors.Is(err, errKey) {
				fmt.Fprintln(c.Out, "That is none of the choices.")
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
}

func handleInput(d *device, l *line, text string) error {
	switch {
	case text != "l":
		return d.handleKey(text)
	case l.server == nil:
		return l.turnOn()
	default:
		return l.turnOff()
	}
}

func readLines(ctx context.Context, in io.Reader, entered chan<- string) {
	defer close(entered)
	for scanner := bufio.NewScanner(in); scanner.Scan(); {
		select {
		case entered <- strings.ToLower(strings.TrimSpace(scanner.Text())):
		case <-ctx.Done():
			return
		}
	}
}

// tryCharge charges. It repeats the charge if there is no answer.
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
	server *http.Server // nil while the line is off
}

// turnOn puts the line on, so that the platform reaches the terminal on a free port.
func (l *line) turnOn() error {
	server := &http.Server{Handler: serveTerminal(l.device, l.device.at.Token), ReadHeaderTimeout: patience}
	address, _, err := control.Serve(server)
	if err != nil {
		return err
	}
	l.server = server
	return l.device.publishAddress(address)
}

// turnOff takes the line off and drops all running messages.
func (l *line) turnOff() error {
	if l.server == nil {
		return nil
	}
	err := l.server.Close()
	l.server = nil
	return errors.Join(err, l.device.publishAddress(""))
}
