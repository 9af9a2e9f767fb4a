package reader_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/clock"
	"github.com/cashwrap/cashwrap/localstack/control"
	"github.com/cashwrap/cashwrap/localstack/counterparty"
	"github.com/cashwrap/cashwrap/localstack/faults"
	"github.com/cashwrap/cashwrap/localstack/reader"
	"github.com/cashwrap/cashwrap/localstack/storedtest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

const tenant = "T#MC0A1B2C3D"

// fixture is a terminal that has joined a switchboard, over HTTP, and charges at an acquirer over HTTP.
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
	own := counterparty.New(tb)
	in, keys := io.Pipe()
	w := &fixture{TB: tb, Clock: own.Clock, steps: &faults.Steps{}, tick: make(chan time.Time), ended: make(chan error, 1),
		grown: make(chan struct{}, 1), keys: keys}
	w.Switchboard = reader.Switchboard{Dir: tb.TempDir(), Others: terminal.None{}}
	w.acquirer = sandbox.New(sandbox.Config{DB: own.DB, Table: own.Table, Now: own.Now,
		Secret: func() []byte { return nil }})
	host := httptest.NewServer(reader.Charges(faults.Acquirer(w.steps, w.acquirer), "token"))
	tb.Cleanup(func() { w.running.Wait(); host.Close() }) // before the folder that the terminal writes to is removed
	w.running.Go(func() {
		w.ended <- reader.Run(tb.Context(), reader.Config{Dir: w.Dir, Now: own.Now, In: in, Out: w, Tick: w.tick,
			Acquirer: reader.AcquirerAt(control.Host{Address: host.URL, Token: "token"})})
	})
	return w
}

// Write shows something on the screen.
func (w *fixture) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.grown <- struct{}{}:
	default:
	}
	return w.screen.Write(p)
}

// sees waits for the pattern, which has a group, on the screen, and forgets what came before.
func (w *fixture) sees(pattern string) string {
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

// pairs pairs the terminal by the code that it shows.
func (w *fixture) pairs(id, code string) terminal.Device {
	w.Helper()
	d, err := w.Pair(w.Context(), terminal.Pairing{ID: id, Code: code, Tenant: tenant,
		Until: w.Now().Add(5 * time.Minute)})
	if err != nil {
		w.Fatal(err)
	}
	return d
}

func (w *fixture) paired() *fixture {
	w.Helper()
	w.pairs("p", w.sees(`code is (\w{8})`))
	w.sees("(Pair with merchant MC0A1B2C3D)")
	w.enter("y")
	w.sees("(Ready)")
	return w
}

func (w *fixture) checkout(id, amount string) terminal.Checkout {
	return terminal.Checkout{ID: id, Pairing: "p", Charge: "charge of " + id, Tenant: tenant, Merchant: "Corner Shop",
		Amount: money.MustParse(amount, "EUR"), Installments: 1, Until: w.Now().Add(2 * time.Minute)}
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

// wantCharge is what the acquirer knows of a checkout.
func (w *fixture) wantCharge(checkout string, want payments.Outcome) {
	w.Helper()
	got, err := w.acquirer.LookUp(w.Context(), "charge of "+checkout)
	if got.Present != nil {
		got.Present.EMV.Cryptogram = ""
	}
	got.AuthCode, got.TerminalID = "", ""
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

// TestACharge is what was presented, with the tip, over both lines.
func TestACharge(t *testing.T) {
	t.Parallel()
	w := newFixture(t).paired()
	c := w.checkout("c", "20")
	c.TipRates, c.TipTimeout, c.CardType = []money.Decimal{"0.1"}, 30*time.Second, "debit"
	w.offer(c, nil)
	w.offer(c, nil)
	w.offer(w.checkout("other", "20"), terminal.ErrBusy)
	w.sees(`(tip 2\.00 EUR)`)
	w.wantOutcome("c", waiting)
	w.enter("1", "i", "1234")
	w.sees("(Approved)")
	w.wantOutcome("c", charged)
	w.wantCharge("c", payments.Outcome{Decision: payments.Approved, ReturnCode: "00",
		Card: &payments.CardSummary{Brand: "MAESTRO", LastFour: "0015"},
		Present: &payments.CardPresent{EntryMode: "CHIP", Verification: "pin", Tip: money.MustParse("2", "EUR"),
			EMV:      payments.EMV{AID: "A0000000043060", ApplicationLabel: "MAESTRO"},
			Location: &payments.Location{Lat: 52.5208, Lon: 13.4094, Accuracy: 10}}})
	w.offer(c, nil) // is not paid again
	w.wantOutcome("c", charged)
	w.offer(w.checkout("other", "20"), nil)
}

// TestTimePasses: the choice of a tip ends, then the checkout, and a pairing that nobody confirms.
func TestTimePasses(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	code := w.sees(`code is (\w{8})`)
	w.pairs("unconfirmed", code)
	w.sees("(Pair with)")
	w.pass(5 * time.Minute)
	w.sees("(not confirmed in time)")
	w.wantHeartbeat("unconfirmed", terminal.ErrUnpaired)
	w.paired()
	c := w.checkout("c", "20")
	c.TipRates, c.TipTimeout = []money.Decimal{"0.1"}, 30*time.Second
	w.offer(c, nil)
	w.sees("(no tip)")
	w.pass(30 * time.Second)
	w.sees(`(\[t\]ap)`)
	w.pass(90 * time.Second)
	w.sees("(Nobody has paid in time)")
	w.wantOutcome("c", stopped("timed out"))
	if _, err := w.acquirer.LookUp(t.Context(), "charge of c"); !errors.Is(err, acquirer.ErrUnknownCharge) {
		t.Errorf("got error %v, want no charge", err)
	}
	w.offer(c, nil) // known, and not asked again
	late := w.checkout("late", "20")
	late.Until = w.Now()
	if err := w.Offer(t.Context(), late); err == nil {
		t.Error("late: got it taken, want it refused")
	}
}

// pass lets time pass, and the terminal see it.
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

// TestPairings: a code is good for one pairing, which its own message may repeat, and ends from either side.
func TestPairings(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	code := w.sees(`code is (\w{8})`)
	pair := func(id, code string, want error) {
		t.Helper()
		_, err := w.Pair(t.Context(), terminal.Pairing{ID: id, Code: code, Tenant: tenant, Until: w.Now().Add(time.Minute)})
		if !errors.Is(err, want) {
			t.Errorf("pair %s: got error %v, want %v", id, err, want)
		}
	}
	pair("other", "A1B2C3D4", terminal.ErrNoTerminal)
	first := w.pairs("p", code)
	if again := w.pairs("p", code); again != first || first.Model != "virtual-solo" {
		t.Errorf("got %+v, then %+v, want the same virtual-solo", first, again)
	}
	pair("other", code, terminal.ErrNoTerminal)
	w.offer(w.checkout("early", "10"), terminal.ErrUnpaired)
	w.sees("(Pair with)")
	w.enter("n")
	code = w.sees(`code is (\w{8})`)
	w.wantHeartbeat("p", terminal.ErrUnpaired)
	pair("p", code, terminal.ErrNotPending)
	w.pairs("q", code)
	w.enter("y")
	w.sees("(Ready)")
	w.wantHeartbeat("q", nil)
	for range 2 {
		if err := w.Unpair(t.Context(), "q"); err != nil {
			t.Errorf("unpair: got error %v, want none", err)
		}
	}
	w.sees("(deleted this reader)")
	w.wantHeartbeat("q", terminal.ErrUnpaired)
}

// TestALineThatIsOff: nobody got the message, which the port can say. What the terminal did it says when asked later.
func TestALineThatIsOff(t *testing.T) {
	t.Parallel()
	w := newFixture(t).paired()
	w.offer(w.checkout("c", "10"), nil)
	w.sees(`(10\.00 EUR)`)
	w.enter("l", "t")
	w.sees("(Approved)")
	w.offer(w.checkout("other", "10"), terminal.ErrOffline)
	if err := w.Terminate(t.Context(), "c"); !errors.Is(err, terminal.ErrOffline) {
		t.Errorf("terminate: got error %v, want ErrOffline", err)
	}
	if _, err := w.Outcome(t.Context(), "c"); err == nil || errors.Is(err, terminal.ErrUnknownCheckout) {
		t.Errorf("outcome: got error %v, want one that does not say that the checkout is unknown", err)
	}
	if _, err := w.Heartbeat(t.Context(), "p"); err == nil || errors.Is(err, terminal.ErrUnpaired) {
		t.Errorf("heartbeat: got error %v, want one that does not say that the terminal is unpaired", err)
	}
	w.enter("l")
	w.sees(`(\[l\]ine off)`)
	w.wantOutcome("c", charged)
	if err := w.Terminate(t.Context(), "c"); err != nil {
		t.Errorf("terminate: got error %v, want none", err)
	}
	w.wantOutcome("c", charged)
	if err := w.Terminate(t.Context(), "none"); !errors.Is(err, terminal.ErrUnknownCheckout) {
		t.Errorf("terminate: got error %v, want ErrUnknownCheckout", err)
	}
	w.enter("l")
	w.sees("(line to the platform is off)")
	if err := w.Unpair(t.Context(), "p"); err != nil {
		t.Errorf("unpair: got error %v, want none: the merchant need not wait for the terminal", err)
	}
	w.wantHeartbeat("p", terminal.ErrUnpaired)
}

// TestAnAcquirerThatDoesNotAnswer is asked again for the same charge.
func TestAnAcquirerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t).paired()
	for i, c := range []struct {
		amount string
		fault  faults.Fault
		shows  string
		want   terminal.Outcome
	}{
		{"10", faults.FailBefore, "(Approved)", charged},
		{"10", faults.LoseReply, "(Approved)", charged},
		{"42.24", faults.None, "(did not take)", stopped("the acquirer did not take the payment")},
		{"42.25", faults.None, "(has not answered)", charged},
	} {
		id := string(rune('a' + i))
		w.steps.Plan(1, c.fault)
		w.offer(w.checkout(id, c.amount), nil)
		w.sees(`(\[t\]ap)`)
		w.enter("t")
		w.sees(c.shows)
		w.wantOutcome(id, c.want)
	}
	cancelled := w.checkout("cancelled", "10")
	if _, err := w.acquirer.Cancel(t.Context(), cancelled.Charge); err != nil {
		t.Fatal(err)
	}
	w.offer(cancelled, nil)
	w.sees(`(\[t\]ap)`)
	w.enter("t")
	w.sees("(cancelled at the acquirer)")
	w.wantOutcome("cancelled", stopped(""))
	captures := 0
	for _, err := range w.acquirer.Statement(t.Context()) {
		if captures++; err != nil {
			t.Fatal(err)
		}
	}
	if captures != 2 {
		t.Errorf("got %d captures, want 2", captures)
	}
}

// TestATerminalThatIsGone leaves no file, or one that the next removes.
func TestATerminalThatIsGone(t *testing.T) {
	t.Parallel()
	w := newFixture(t).paired()
	w.enter("q")
	if err := <-w.ended; err != nil {
		t.Errorf("got error %v, want none", err)
	}
	w.wantHeartbeat("p", terminal.ErrUnpaired)
	stale := `{"serial":"VTSTALE","address":"http://127.0.0.1:1","pairing":"stale","code":"A1B2C3D4"}`
	if err := os.WriteFile(filepath.Join(w.Dir, "VTSTALE.json"), []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Heartbeat(t.Context(), "stale"); err == nil || errors.Is(err, terminal.ErrUnpaired) {
		t.Errorf("got error %v, want that it does not answer", err)
	}
	_, err := w.Pair(t.Context(), terminal.Pairing{ID: "q", Code: "A1B2C3D4"})
	if !errors.Is(err, terminal.ErrNoTerminal) {
		t.Errorf("pair: got error %v, want ErrNoTerminal", err)
	}
	err = reader.Run(t.Context(), reader.Config{Dir: w.Dir, Now: w.Now, In: strings.NewReader("q\n"), Out: io.Discard})
	if err != nil {
		t.Errorf("got error %v, want none", err)
	}
	files, err := filepath.Glob(filepath.Join(w.Dir, "*"))
	if diff := cmp.Diff([]string(nil), files); err != nil || diff != "" {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
}

// TestATokenIsNeeded to charge at the acquirer's host.
func TestATokenIsNeeded(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(reader.Charges(acquirer.None{}, "token"))
	t.Cleanup(host.Close)
	for token, want := range map[string]error{"token": acquirer.ErrNotTaken, "": nil, "token2": nil} {
		at := reader.AcquirerAt(control.Host{Address: host.URL, Token: token})
		_, err := at.Charge(context.WithoutCancel(t.Context()), acquirer.Charge{
			ID: "c", Amount: money.MustParse("1", "EUR"), Present: &payments.CardPresent{}, Summary: &payments.CardSummary{}})
		if err == nil || errors.Is(err, acquirer.ErrNotTaken) != (want != nil) {
			t.Errorf("token %q: got error %v, want %v, or that it is refused", token, err, want)
		}
	}
}
