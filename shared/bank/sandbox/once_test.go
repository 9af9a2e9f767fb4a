package sandbox_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/banktest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
)

// transferConcurrently requests the same transfer a hundred times concurrently.
func (w *fixture) transferConcurrently(t *testing.T, o bank.Transfer) (outcomes map[bank.Outcome]int, failed int) {
	t.Helper()
	outcomes = map[bank.Outcome]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			outcome, err := w.Transfer(t.Context(), o)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				return
			}
			outcomes[outcome]++
		})
	}
	group.Wait()
	return outcomes, failed
}

func TestTransfer_HundredConcurrently(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	o := transferTo("p", sandbox.PaidIBAN)
	if outcomes, failed := w.transferConcurrently(t, o); outcomes[accepted] != 100 || failed != 0 {
		t.Errorf("requested: got %v, %d failed, want 100 accepted, none failed", outcomes, failed)
	}
	w.mustHavePaid(t, "p", 0)
	w.Advance(2 * time.Second)
	if outcomes, failed := w.transferConcurrently(t, o); outcomes[paid] != 100 || failed != 0 {
		t.Errorf("decided: got %v, %d failed, want 100 paid, none failed", outcomes, failed)
	}
	w.mustHavePaid(t, "p", 1)
}

func TestTransfer_LostAnswerConcurrently(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	outcomes, failed := w.transferConcurrently(t, transferTo("p", sandbox.LostAnswerIBAN))
	if outcomes[accepted] != 99 || failed != 1 {
		t.Errorf("got %v, %d failed, want 99 accepted, 1 failed", outcomes, failed)
	}
	w.mustHavePaid(t, "p", 1)
}

func TestTransfer_SameID(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustTransfer(t, transferTo("p", sandbox.PaidIBAN), accepted)
	w.Advance(2 * time.Second)
	others := []bank.Transfer{transferTo("p", sandbox.PaidIBAN), transferTo("p", sandbox.ClosedIBAN),
		transferTo("p", sandbox.UnknownIBAN),
		transferTo("p", sandbox.LostAnswerIBAN), transferTo("p", sandbox.NotTakenIBAN)}
	others[0].Amount = money.MustParse("99", "USD")
	for _, other := range others {
		w.mustTransfer(t, other, paid)
	}
	w.mustHavePaid(t, "p", 1)
}

// TestTransfer_LostRequestsAndReplies checks the answer to a caller that was interrupted and repeats its call.
func TestTransfer_LostRequestsAndReplies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fault faults.Fault
		known bool // the transfer was made although the caller got no answer
	}{{"lost request", faults.FailBefore, false}, {"lost reply", faults.LoseReply, true}} {
		for _, decided := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, ", decided ", decided), func(t *testing.T) {
				t.Parallel()
				w := newFixture(t)
				o, want, times := transferTo("p", sandbox.PaidIBAN), accepted, 0
				if decided {
					w.mustTransfer(t, o, accepted)
					w.Advance(2 * time.Second)
					want, times = paid, 1
				}
				w.Wire.Inject(failWrite(c.fault, decided))
				got, err := w.Transfer(t.Context(), o)
				if c.known && (err != nil || got != want) {
					t.Errorf("got %+v, %v, want its own write recognised as %+v", got, err, want)
				}
				if !c.known && (err == nil || errors.Is(err, bank.ErrNotTaken)) {
					t.Errorf("got error %v, want an unknown outcome", err)
				}
				w.Wire.Inject(nil)
				w.mustTransfer(t, o, want)
				w.mustHavePaid(t, "p", times)
			})
		}
	}
}

// failWrite injects the fault into the first write, which stores the transfer. If decided is true, it injects the fault
// into the next write, which settles the transfer.
func failWrite(f faults.Fault, decided bool) func(string) faults.Fault {
	if !decided {
		return faults.Times(1, "TransactWriteItems", f)
	}
	writes := 0
	return func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			writes++
		}
		if operation == "TransactWriteItems" && writes == 2 {
			return f
		}
		return faults.None
	}
}

// TestTransfer_LostReplyOfLostAnswer requests a transfer whose answer is to be lost, and the table's reply is lost as
// well. The caller must still get no answer, and the money must leave once.
func TestTransfer_LostReplyOfLostAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	o := transferTo("p", sandbox.LostAnswerIBAN)
	w.Wire.Inject(faults.Times(1, "TransactWriteItems", faults.LoseReply))
	if got, err := w.Transfer(t.Context(), o); err == nil {
		t.Errorf("got %+v, want an error", got)
	}
	w.mustTransfer(t, o, accepted)
	w.mustHavePaid(t, "p", 1)
}

func TestTransfer_TableUnreadable(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	o := transferTo("p", sandbox.PaidIBAN)
	w.Wire.Inject(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			return faults.LoseReply
		}
		return faults.FailBefore
	})
	banktest.Unknown(t)(w.Transfer(t.Context(), o))
	refused := transferTo("p", sandbox.NotTakenIBAN)
	banktest.Unknown(t)(w.Transfer(t.Context(), refused))
	w.Wire.Inject(nil)
	w.mustTransfer(t, refused, accepted)
}
