package reader_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/localstack/platform/reader"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// TestCharge checks that the charge has the presented card and the tip. The platform calls the terminal over one line,
// and the terminal calls the acquirer over another.
func TestCharge(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm()
	c := w.newCheckout("c", "20")
	c.TipRates, c.TipTimeout, c.CardType = []money.Decimal{"0.1"}, 30*time.Second, "debit"
	w.offer(c, nil)
	w.offer(c, nil)
	w.offer(w.newCheckout("other", "20"), terminal.ErrBusy)
	w.waitFor(`(tip 2\.00 EUR)`)
	w.wantOutcome("c", waiting)
	w.enter("1", "i", "1234")
	w.waitFor("(Approved)")
	w.wantOutcome("c", charged)
	w.wantCharge("c", payments.Outcome{Decision: payments.Approved, ReturnCode: "00",
		Card: &payments.CardSummary{Brand: "MAESTRO", LastFour: "0015"},
		Present: &payments.CardPresent{EntryMode: "CHIP", Verification: "online pin", Tip: money.MustParse("2", "EUR"),
			EMV:      payments.EMV{AID: "A0000000043060", ApplicationLabel: "MAESTRO"},
			Location: &payments.Location{Lat: 52.5208, Lon: 13.4094, Accuracy: 10}}})
	w.offer(c, nil) // is not paid again
	w.wantOutcome("c", charged)
	w.offer(w.newCheckout("other", "20"), nil)
}

// TestCheckDeadlines checks the deadlines of the choice of a tip, of a checkout, and of an unconfirmed pairing.
func TestCheckDeadlines(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	code := w.waitFor(`code is (\w{8})`)
	w.pair("unconfirmed", code)
	w.waitFor("(Pair with)")
	w.pass(5 * time.Minute)
	w.waitFor("(not confirmed in time)")
	w.wantHeartbeat("unconfirmed", terminal.ErrUnpaired)
	w.pairAndConfirm()
	c := w.newCheckout("c", "20")
	c.TipRates, c.TipTimeout = []money.Decimal{"0.1"}, 30*time.Second
	w.offer(c, nil)
	w.waitFor("(no tip)")
	w.pass(30 * time.Second)
	w.waitFor(`(\[t\]ap)`)
	w.pass(90 * time.Second)
	w.waitFor("(Nobody has paid in time)")
	w.wantOutcome("c", stopped("timed out"))
	if _, err := w.acquirer.LookUp(t.Context(), "charge of c"); !errors.Is(err, acquirer.ErrUnknownCharge) {
		t.Errorf("got error %v, want no charge", err)
	}
	w.offer(c, nil) // known, and not asked again
	late := w.newCheckout("late", "20")
	late.Until = w.Now()
	if err := w.Offer(t.Context(), late); err == nil {
		t.Error("late: got it taken, want it refused")
	}
}

// TestPair checks that a code pairs only once, that the same message may be repeated, and that either side can unpair.
func TestPair(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	code := w.waitFor(`code is (\w{8})`)
	pair := func(id, code string, want error) {
		t.Helper()
		_, err := w.Pair(t.Context(), terminal.Pairing{ID: id, Code: code, Tenant: tenant, Until: w.Now().Add(time.Minute)})
		if !errors.Is(err, want) {
			t.Errorf("pair %s: got error %v, want %v", id, err, want)
		}
	}
	pair("other", "A1B2C3D4", terminal.ErrNoTerminal)
	first := w.pair("p", code)
	if again := w.pair("p", code); again != first || first.Model != "virtual-solo" {
		t.Errorf("got %+v, then %+v, want the same virtual-solo", first, again)
	}
	pair("other", code, terminal.ErrNoTerminal)
	w.offer(w.newCheckout("early", "10"), terminal.ErrUnpaired)
	w.waitFor("(Pair with)")
	w.enter("n")
	code = w.waitFor(`code is (\w{8})`)
	w.wantHeartbeat("p", terminal.ErrUnpaired)
	pair("p", code, terminal.ErrNotPending)
	w.pair("q", code)
	w.enter("y")
	w.waitFor("(Ready)")
	w.wantHeartbeat("q", nil)
	for range 2 {
		if err := w.Unpair(t.Context(), "q"); err != nil {
			t.Errorf("unpair: got error %v, want none", err)
		}
	}
	w.waitFor("(deleted this reader)")
	w.wantHeartbeat("q", terminal.ErrUnpaired)
}

// TestLine_Off checks that Offer and Terminate fail with ErrOffline while the line is off, and that the terminal later
// reports the outcome of its checkout.
func TestLine_Off(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm()
	w.offer(w.newCheckout("c", "10"), nil)
	w.waitFor(`(10\.00 EUR)`)
	w.enter("l", "t")
	w.waitFor("(Approved)")
	w.offer(w.newCheckout("other", "10"), terminal.ErrOffline)
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
	w.waitFor(`(\[l\]ine off)`)
	w.wantOutcome("c", charged)
	if err := w.Terminate(t.Context(), "c"); err != nil {
		t.Errorf("terminate: got error %v, want none", err)
	}
	w.wantOutcome("c", charged)
	if err := w.Terminate(t.Context(), "none"); !errors.Is(err, terminal.ErrUnknownCheckout) {
		t.Errorf("terminate: got error %v, want ErrUnknownCheckout", err)
	}
	w.enter("l")
	w.waitFor("(line to the platform is off)")
	if err := w.Unpair(t.Context(), "p"); err != nil {
		t.Errorf("unpair: got error %v, want none: the merchant need not wait for the terminal", err)
	}
	w.wantHeartbeat("p", terminal.ErrUnpaired)
}

// TestCharge_NoAnswer checks that the terminal repeats the same charge if the acquirer does not answer.
func TestCharge_NoAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm()
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
		w.offer(w.newCheckout(id, c.amount), nil)
		w.waitFor(`(\[t\]ap)`)
		w.enter("t")
		w.waitFor(c.shows)
		w.wantOutcome(id, c.want)
	}
	cancelled := w.newCheckout("cancelled", "10")
	if _, err := w.acquirer.Cancel(t.Context(), cancelled.Charge); err != nil {
		t.Fatal(err)
	}
	w.offer(cancelled, nil)
	w.waitFor(`(\[t\]ap)`)
	w.enter("t")
	w.waitFor("(cancelled at the acquirer)")
	w.wantOutcome("cancelled", stopped(""))
	captures := 0
	for _, err := range w.acquirer.Statement(t.Context(), time.Time{}) {
		if captures++; err != nil {
			t.Fatal(err)
		}
	}
	if captures != 2 {
		t.Errorf("got %d captures, want 2", captures)
	}
}

// TestPrune checks that a terminal removes its file when it ends. If a file is left, the next terminal removes that
// file.
func TestPrune(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm()
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

// TestCharges_Token checks that the acquirer's host refuses charges without the right token.
func TestCharges_Token(t *testing.T) {
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
