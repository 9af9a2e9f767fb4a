package reader_test

import (
	"errors"
	"io"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/localstack/platform/reader"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

const tenant = "T#MC0A1B2C3D"

// fixture is a terminal that has joined a switchboard and charges at an acquirer, both over HTTP.
type fixture struct {
	testing.TB
	reader.Switchboard
	*clock.Clock
	steps    *faults.Steps // between the acquirer's host and the acquirer
	acquirer acquirer.Acquirer
	keys     io.Writer
	tick     chan time.Time
	ended    chan error

	running sync.WaitGroup
	mu      sync.Mutex
	screen  strings.Builder
	grown   chan struct{}
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	own := counterpartytest.New(tb)
	in, keys := io.Pipe()
	w := &fixture{TB: tb, Clock: own.Clock, steps: &faults.Steps{}, tick: make(chan time.Time), ended: make(chan error, 1),
		grown: make(chan struct{}, 1), keys: keys}
	w.Switchboard = reader.Switchboard{Dir: tb.TempDir(), Others: terminal.None{}}
	w.acquirer = sandbox.New(sandbox.Config{DB: own.DB, Table: own.Table, Now: own.Now,
		Secret: func() []byte { return nil }})
	host := httptest.NewServer(reader.Charges(counterparty.Acquirer(w.steps, w.acquirer), "token"))
	tb.Cleanup(func() { w.running.Wait(); host.Close() }) // before the removal of the folder that the terminal writes to
	w.running.Go(func() {
		w.ended <- reader.Run(tb.Context(), reader.Config{Dir: w.Dir, Now: own.Now, In: in, Out: w, Tick: w.tick,
			Acquirer: reader.AcquirerAt(control.Host{Address: host.URL, Token: "token"})})
	})
	return w
}

// Write prints on the screen.
func (w *fixture) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.grown <- struct{}{}:
	default:
	}
	return w.screen.Write(p)
}

// waitFor waits until the pattern appears on the screen, and returns the pattern's group. The next call looks only at
// the text after the match.
func (w *fixture) waitFor(pattern string) string {
	w.Helper()
	re, limit := regexp.MustCompile(pattern), time.After(20*time.Second)
	for {
		w.mu.Lock()
		shown := w.screen.String()
		at := re.FindStringSubmatchIndex(shown)
		if at != nil {
			w.screen.Reset()
			w.screen.WriteString(shown[at[1]:])
		}
		w.mu.Unlock()
		if at != nil {
			return shown[at[2]:at[3]]
		}
		select {
		case <-w.grown:
		case err := <-w.ended:
			w.Fatalf("ended with error %v after %q, want it to show %s", err, shown, pattern)
		case <-limit:
			w.Fatalf("got %q, want it to show %s", shown, pattern)
		}
	}
}

func (w *fixture) enter(keys ...string) {
	w.Helper()
	for _, key := range keys {
		if _, err := io.WriteString(w.keys, key+"\n"); err != nil {
			w.Fatal(err)
		}
	}
}

// pair pairs the terminal by the shown code.
func (w *fixture) pair(id, code string) terminal.Device {
	w.Helper()
	d, err := w.Pair(w.Context(), terminal.Pairing{ID: id, Code: code, Tenant: tenant,
		Until: w.Now().Add(5 * time.Minute)})
	if err != nil {
		w.Fatal(err)
	}
	return d
}

func (w *fixture) pairAndConfirm() *fixture {
	w.Helper()
	w.pair("p", w.waitFor(`code is (\w{8})`))
	w.waitFor("(Pair with merchant MC0A1B2C3D)")
	w.enter("y")
	w.waitFor("(Ready)")
	return w
}

func (w *fixture) newCheckout(id, amount string) terminal.Checkout {
	return terminal.Checkout{ID: id, Pairing: "p", Charge: "charge of " + id, Method: payments.AtReader, Tenant: tenant,
		Merchant: "Corner Shop", Amount: money.MustParse(amount, "EUR"), Installments: 1,
		Until: w.Now().Add(2 * time.Minute)}
}

func (w *fixture) offer(c terminal.Checkout, want error) {
	w.Helper()
	if err := w.Offer(w.Context(), c); !errors.Is(err, want) {
		w.Errorf("offer %s: got error %v, want %v", c.ID, err, want)
	}
}

func (w *fixture) wantOutcome(checkout string, want terminal.Outcome) {
	w.Helper()
	if got, err := w.Outcome(w.Context(), checkout); err != nil || got != want {
		w.Errorf("outcome of %s: got %+v, %v, want %+v", checkout, got, err, want)
	}
}

// wantCharge checks the acquirer's outcome of a checkout.
func (w *fixture) wantCharge(checkout string, want payments.Outcome) {
	w.Helper()
	got, err := w.acquirer.LookUp(w.Context(), "charge of "+checkout)
	if got.Present != nil {
		got.Present.EMV.Cryptogram = ""
	}
	got.AuthCode, got.TerminalID, got.AcquirerReference = "", "", ""
	if diff := cmp.Diff(want, got, storedtest.Options); err != nil || diff != "" {
		w.Errorf("charge of %s: got %v (-want +got):\n%s", checkout, err, diff)
	}
}

var (
	waiting = terminal.Outcome{Progress: terminal.Waiting}
	charged = terminal.Outcome{Progress: terminal.Charged}
)

func stopped(reason string) terminal.Outcome {
	return terminal.Outcome{Progress: terminal.Stopped, Reason: reason}
}

// pass moves the clock and makes the terminal notice.
func (w *fixture) pass(d time.Duration) {
	w.Advance(d)
	w.tick <- w.Now()
}

func (w *fixture) wantHeartbeat(pairing string, want error) {
	w.Helper()
	if _, err := w.Heartbeat(w.Context(), pairing); !errors.Is(err, want) {
		w.Errorf("heartbeat of %s: got error %v, want %v", pairing, err, want)
	}
}

func (w *fixture) configure(pairing string, menuLock *bool, passcode string, want error) {
	w.Helper()
	c := terminal.SettingsChange{MenuLock: menuLock, Passcode: secret.New(passcode), Until: w.Now().Add(time.Minute)}
	if err := w.Configure(w.Context(), pairing, c); !errors.Is(err, want) {
		w.Errorf("configure: got error %v, want %v", err, want)
	}
}

func (w *fixture) wantSettings(pairing string, want terminal.Settings, wantErr error) {
	w.Helper()
	got, err := w.Settings(w.Context(), pairing)
	if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, wantErr) {
		w.Errorf("settings: got error %v, want %v (-want +got):\n%s", err, wantErr, diff)
	}
}
