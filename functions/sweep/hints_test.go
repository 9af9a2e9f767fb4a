package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// tickAt moves the clock to a minute of the first hour, and runs the sweep.
func tickAt(w *world.World, minute int) {
	w.Helper()
	w.Clock.Advance(world.Start.Add(time.Duration(minute) * time.Minute).Sub(w.Clock.Now()))
	w.Tick("sweep")
}

// startAtBank starts a payment at a bank, and returns the session of the bank's page.
func startAtBank(s *examples.Scenario) (session string) {
	s.Helper()
	s.Open(nil)
	_, session, found := strings.Cut(s.Do(s.ByIDEAL()).Text("next_step.url"), "/apm/")
	if !found {
		s.Fatal("got no bank page, want one")
	}
	return session
}

// payAtBank pays on a bank's page whose notice is lost.
func payAtBank(s *examples.Scenario, session string) {
	s.Helper()
	if _, err := s.App.Sandbox.DecideSession(s.Context(), session, sandbox.Pay); err != nil {
		s.Fatal(err)
	}
}

// TestTick_LostNotice checks a payment that polls ask about after 1, 3, 7 and 15 minutes. The payer pays 8 minutes
// after its start, and the notice is lost.
func TestTick_LostNotice(t *testing.T) {
	t.Parallel()
	for _, ticks := range []struct {
		minutes []int
		want    string
	}{
		{[]int{52}, "PENDING PENDING"},
		{[]int{52, 53}, "PAID SUCCESSFUL"},
		{[]int{52, 54}, "PENDING PENDING"},
		{[]int{52, 59}, "PAID SUCCESSFUL"}, // by the poll
		{[]int{113}, "PAID SUCCESSFUL"},    // the tick of the next hour, and the poll
	} {
		s := examples.New(t)
		tickAt(s.World, 44)
		session := startAtBank(s)
		for _, minute := range []int{45, 47, 51} {
			tickAt(s.World, minute)
		}
		payAtBank(s, session)
		for _, minute := range ticks.minutes {
			tickAt(s.World, minute)
		}
		if got := s.Statuses(s.CheckoutID); got != ticks.want {
			t.Errorf("ticks at %d: got %s, want %s", ticks.minutes, got, ticks.want)
		}
	}
}

// TestTick_RepeatedHints checks that hints of payments that are already recorded cost no write.
func TestTick_RepeatedHints(t *testing.T) {
	t.Parallel()
	s := examples.New(t)
	payAtBank(s, startAtBank(s))
	tickAt(s.World, 53)
	before, err := s.App.Store.Checkout(t.Context(), s.Tenant(), s.CheckoutID)
	if err != nil || before.Status != payments.CheckoutPaid {
		t.Fatalf("got %s, %v, want %s", before.Status, err, payments.CheckoutPaid)
	}
	tickAt(s.World, 113)
	after, err := s.App.Store.Checkout(t.Context(), s.Tenant(), s.CheckoutID)
	if err != nil || after.Version != before.Version {
		t.Errorf("got version %d, %v, want %d", after.Version, err, before.Version)
	}
}

// hinting is an acquirer with a given list of hints.
type hinting struct {
	acquirer.Acquirer
	since time.Time
	hints []acquirer.Hint
	err   error
	panic string
}

func (h *hinting) Hints(_ context.Context, since time.Time) iter.Seq2[acquirer.Hint, error] {
	return func(yield func(acquirer.Hint, error) bool) {
		h.since = since
		if h.panic != "" {
			panic(h.panic)
		}
		for _, hint := range h.hints {
			if !yield(hint, nil) {
				return
			}
		}
		if h.err != nil {
			yield(acquirer.Hint{}, h.err)
		}
	}
}

// goLive gives live mode the acquirer.
func (h *hinting) goLive(w *world.World) {
	w.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { h.Acquirer = a; return h })
}

// TestTick_HintsFail checks that hints that cannot be read or resolved are logged and counted, and do not stop the
// hints of the other mode.
func TestTick_HintsFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bank     hinting
		log      string
		failures int64
	}{
		"an error": {hinting{err: errors.New("acquirer on fire")}, "acquirer on fire", 1},
		"a panic":  {hinting{panic: "index out of range"}, "panic: index out of range", 1},
		"no hints": {hinting{}, "", 0},
		"one hint": {hinting{hints: []acquirer.Hint{{Reference: acquirer.Reference{Tenant: "L#MC1", CheckoutID: "ruined"},
			ID: "a"}}}, `"hint not resolved"`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := examples.New(t)
			c.bank.goLive(s.World)
			_, table := s.App.Store.Raw()
			if err := table.Put(map[string]any{"pk": "CHECKOUT#L#MC1#ruined", "sk": "CHECKOUT", "version": "many"}).
				Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			payAtBank(s, startAtBank(s))
			s.Clock.Advance(world.Start.Add(53 * time.Minute).Sub(s.Clock.Now()))
			if got := tickCounts(s.World).SweepFailures; got != c.failures {
				t.Errorf("got %d failures, want %d", got, c.failures)
			}
			if !strings.Contains(s.Logs.String(), c.log) {
				t.Errorf("got log %s, want %s in it", s.Logs.String(), c.log)
			}
			if got := s.Statuses(s.CheckoutID); got != "PAID SUCCESSFUL" {
				t.Errorf("the payment in test mode: got %s, want PAID SUCCESSFUL", got)
			}
			if want := s.Clock.Now().Add(-2 * time.Hour); !c.bank.since.Equal(want) {
				t.Errorf("got hints since %s, want %s", c.bank.since, want)
			}
		})
	}
}

// TestTick_ManyHints checks that a tick resolves only the first 1000 hints of a mode.
func TestTick_ManyHints(t *testing.T) {
	t.Parallel()
	s := examples.New(t)
	bank := &hinting{}
	for i := range 1001 {
		bank.hints = append(bank.hints, acquirer.Hint{Reference: acquirer.Reference{Tenant: "L#MC1",
			CheckoutID: fmt.Sprint("checkout-", i)}, ID: "a"})
	}
	bank.goLive(s.World)
	tickAt(s.World, 53)
	log := s.Logs.String()
	if n := strings.Count(log, "hint about an unknown payment ignored"); n != 1000 {
		t.Errorf("got %d hints resolved, want 1000", n)
	}
	if !strings.Contains(log, "further hints left to polls") || strings.Contains(log, `"checkout-1000"`) {
		t.Errorf("got log %s, want the hint after the limit left to polls", log)
	}
}
