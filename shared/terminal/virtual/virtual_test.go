package virtual_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// TestPair_Codes checks the codes of contract §9.
func TestPair_Codes(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, c := range []struct {
		code      string
		want      error
		confirmed bool
	}{{"A1B2C3D4", nil, true}, {"WAIT1234", nil, false}, {"FAIL1234", terminal.ErrNoTerminal, false},
		{"BUSY12345", terminal.ErrNotPending, false}} {
		d, err := w.Pair(t.Context(), w.pairing(c.code, c.code))
		if !errors.Is(err, c.want) || err == nil && (d.Model != "virtual-solo" || len(d.Serial) != 12) {
			t.Errorf("%s: got %+v, %v, want a virtual-solo or %v", c.code, d, err, c.want)
		}
		if c.want != nil {
			w.wantErrors(failing{c.code, w.heartbeatOf(c.code), terminal.ErrUnpaired})
			continue
		}
		for _, after := range []struct {
			wait      time.Duration
			confirmed bool
		}{{0, false}, {2*time.Second - 1, false}, {1, c.confirmed}, {time.Hour, c.confirmed}} {
			w.Advance(after.wait)
			if h, err := w.Heartbeat(t.Context(), c.code); err != nil || h.Confirmed != after.confirmed {
				t.Errorf("%s %s later: got %+v, %v, want confirmed %t", c.code, after.wait, h, err, after.confirmed)
			}
		}
	}
}

// TestPair_SameCode checks that a merchant's pairings with the same code get the same terminal, and that a new pairing
// ends the earlier pairing.
func TestPair_SameCode(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	pair := func(id, tenant, code string) string {
		p := w.pairing(id, code)
		p.Tenant = tenant
		d, err := w.Pair(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return d.Serial
	}
	first := pair("first", tenant, "ABCD1234")
	if pair("second", tenant, "ABCD1234") != first || pair("first", tenant, "ABCD1234") != first {
		t.Error("got another terminal, want the one that shows the code")
	}
	if pair("other code", tenant, "ABCD1235") == first || pair("other tenant", "T#MC00000000", "ABCD1234") == first {
		t.Error("got the same terminal, want one that shows another code, or is another merchant's")
	}
	w.wantErrors(failing{"first", w.heartbeatOf("first"), terminal.ErrUnpaired},
		failing{"second", w.heartbeatOf("second"), nil})
}

func TestPair_AfterDeadlineOrUnpair(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	late := w.pairing("late", "ABCD1234")
	w.Advance(5 * time.Minute)
	unpair := func(id string) func(context.Context) error {
		return func(ctx context.Context) error { return w.Unpair(ctx, id) }
	}
	pair := func(p terminal.Pairing) func(context.Context) error {
		return func(ctx context.Context) error { _, err := w.Pair(ctx, p); return err }
	}
	w.wantErrors(failing{"after its time", pair(late), terminal.ErrNotPending},
		failing{"unpair", unpair("ended"), nil},
		failing{"unpair again", unpair("ended"), nil},
		failing{"after it was ended", pair(w.pairing("ended", "ABCD1234")), terminal.ErrNotPending},
		failing{"a pairing", pair(w.pairing("p", "ABCD1234")), nil},
		failing{"unpair it", unpair("p"), nil},
		failing{"unpair it again", unpair("p"), nil},
		failing{"it has ended", w.heartbeatOf("p"), terminal.ErrUnpaired},
		failing{"the same again", pair(w.pairing("p", "ABCD1234")), nil},
		failing{"which changes nothing", w.heartbeatOf("p"), terminal.ErrUnpaired})
}

// TestHeartbeat checks that heartbeats show the terminal's activity (contract §12, §13.7).
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm("p", "ABCD1234")
	idle := terminal.Heartbeat{Confirmed: true, Online: true, State: terminal.Idle, Battery: 87, Temperature: 31.5,
		Connection: "Wi-Fi", Firmware: "3.3.24.1", LastActivity: w.Now()}
	want := func(name string, want terminal.Heartbeat) {
		t.Helper()
		got, err := w.Heartbeat(t.Context(), "p")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: got %v (-want +got):\n%s", name, err, diff)
		}
	}
	want("idle", idle)
	c := w.checkout("c", "p", "20")
	c.TipRates = []money.Decimal{"0.1"}
	if err := w.Offer(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, next := range []struct {
		after time.Duration
		state terminal.State
	}{{0, terminal.SelectingTip}, {time.Second, terminal.WaitingForCard}, {2*time.Second - 1, terminal.WaitingForCard},
		{1, terminal.Idle}} {
		w.Advance(next.after)
		idle.LastActivity, idle.State = w.Now(), next.state
		want(string(next.state), idle)
	}
	w.wantDecision("c", "approved")
	w.mustOffer("no tip", "10")
	idle.State = terminal.WaitingForCard
	want("no tip", idle)
}

func TestSetOffline(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm("p", "ABCD1234")
	set := func(tenant, pairing string, offline bool) func(context.Context) error {
		return func(ctx context.Context) error { return w.SetOffline(ctx, tenant, pairing, offline) }
	}
	terminate := func(ctx context.Context) error { return w.Terminate(ctx, "c") }
	w.mustOffer("c", "10")
	w.wantErrors(failing{"another merchant's", set("T#MC00000000", "p", true), terminal.ErrUnpaired},
		failing{"unknown", set(tenant, "none", true), terminal.ErrUnpaired},
		failing{"offline", set(tenant, "p", true), nil},
		failing{"terminate", terminate, terminal.ErrOffline})
	since := w.Now()
	w.Advance(time.Minute)
	w.wantErrors(failing{"offline again", set(tenant, "p", true), nil},
		failing{"offer", w.offering(w.checkout("other", "p", "10")), terminal.ErrOffline})
	if h, err := w.Heartbeat(t.Context(), "p"); err != nil || h.Online || h.LastActivity != since {
		t.Errorf("got %+v, %v, want it offline since %s", h, err, since)
	}
	w.wantOutcome("c", waiting)
	w.wantDecision("c", "")
	w.wantErrors(failing{"online", set(tenant, "p", false), nil})
	w.wantOutcome("c", charged)
	w.wantErrors(failing{"the same checkout", w.offering(w.checkout("c", "p", "10")), nil},
		failing{"another", w.offering(w.checkout("other", "p", "10")), nil})
}
