package run_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

func newAccount(iban string) merchant.BankAccount {
	return merchant.BankAccount{ID: uuid.NewString(), Holder: "Shop", IBAN: iban}
}

const (
	oneIBAN     = "DE17100100100000005678"
	anotherIBAN = "DE88100100100000003333"
)

// addAccount adds an account and sets the verdict that the bank then gives about it.
func (h *fixture) addAccount(iban string, primary bool, verdict merchant.BankAccountStatus) merchant.BankAccount {
	h.Helper()
	a := newAccount(iban)
	if _, err := h.AddBankAccount(h.Context(), byTest, tenant, a, primary); err != nil {
		h.Fatal(err)
	}
	h.verdict = verdict
	defer func() { h.verdict = merchant.BankAccountPending }()
	accounts, err := h.RefreshBankAccounts(h.Context(), byTest, tenant)
	if got, _ := accounts.Get(a.ID); err != nil || got.Status != verdict {
		h.Fatalf("got %+v, %v, want %s", got, err, verdict)
	}
	return a
}

// wantPaid checks that payouts go to the account, and that the schedule names it.
func (h *fixture) wantPaid(what, iban string) {
	h.Helper()
	accounts, err := h.Store.BankAccounts(h.Context(), tenant)
	schedule, unread := h.Store.PayoutSchedule(h.Context(), tenant)
	if failure.Is(unread, failure.KindNotFound) && iban == "" {
		unread = nil
	}
	if err != nil || unread != nil || accounts.Payee() != schedule.To || schedule.To.IBAN != iban {
		h.Errorf("%s: got payee %+v, %v, and schedule %+v, %v, want %q in both", what, accounts.Payee(), err, schedule,
			unread, iban)
	}
}

// TestRun_LastVerifiedPrimaryAccount checks that payouts go to the old account until the new one is VERIFIED (contract
// §7.3).
func TestRun_LastVerifiedPrimaryAccount(t *testing.T) {
	t.Parallel()
	h := openFixture(t)
	const pending, verified, rejected = merchant.BankAccountPending, merchant.BankAccountVerified,
		merchant.BankAccountRejected
	h.addAccount(oneIBAN, false, rejected)
	h.wantPaid("a rejected first one", "")
	first := newAccount(oneIBAN)
	if _, err := h.AddBankAccount(t.Context(), byTest, tenant, first, false); err != nil {
		t.Fatal(err)
	}
	h.wantPaid("a first one", "")
	h.verdict = verified
	h.pay(1)
	if _, err := h.RefreshBankAccounts(t.Context(), byTest, tenant); err != nil {
		t.Fatal(err)
	}
	h.verdict = pending
	h.wantPaid("when it is verified", oneIBAN)
	h.Advance(day)
	h.want("its payout", h.run(h.plan()), "PAID 10.10 1")
	h.addAccount("DE15100100100000002222", false, verified)
	h.wantPaid("beside one that is not primary", oneIBAN)
	second := newAccount(anotherIBAN)
	if _, err := h.AddBankAccount(t.Context(), byTest, tenant, second, true); err != nil {
		t.Fatal(err)
	}
	h.pay(1)
	h.Advance(day)
	if err := h.CheckBankAccounts(t.Context(), byTest, tenant); err != nil { // as the sweep calls it
		t.Fatal(err)
	}
	h.want("while the new one is pending", h.run(h.plan()), "PAID 10.10 1")
	h.pay(1)
	h.verdict = verified
	if err := h.CheckBankAccounts(t.Context(), byTest, tenant); err != nil {
		t.Fatal(err)
	}
	h.wantPaid("when the new one is verified", anotherIBAN)
	h.Advance(day)
	h.want("then", h.run(h.plan()), "PAID 10.10 1")
	h.addAccount("DE39100100100000001111", true, rejected)
	h.wantPaid("after a rejected one", anotherIBAN)
	var to []string
	for _, r := range h.requests {
		to = append(to, r.To.IBAN)
	}
	if want := []string{oneIBAN, oneIBAN, anotherIBAN}; fmt.Sprint(to) != fmt.Sprint(want) {
		t.Errorf("got payouts to %v, want %v", to, want)
	}
}

// TestRun_ScheduleChangedMeanwhile changes the schedule after a payout has read it, and before the payout is recorded
// as sent. The payout must go to the new account, or to none while payouts are held.
func TestRun_ScheduleChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change   func(*fixture)
		want, to string
	}{
		"another account": {func(h *fixture) { h.addAccount(anotherIBAN, true, merchant.BankAccountVerified) },
			"PAID 10.10 1", anotherIBAN},
		"held": {func(h *fixture) { h.setTerms(func(s *terms) { s.Held = true }) }, "SEALED 10.10 1", ""},
	} {
		h := openFixture(t)
		h.addAccount(oneIBAN, false, merchant.BankAccountVerified)
		h.pay(1)
		h.Advance(day)
		id := h.plan()
		h.wire.Meanwhile("TransactWriteItems", 2, func() { c.change(h) }) // the first write transaction collects the payables
		h.want(name, h.run(id), c.want)
		if p, err := h.Store.Payout(t.Context(), tenant, id); err != nil || p.To.IBAN != c.to {
			t.Errorf("%s: got a payout to %q, %v, want to %q", name, p.To.IBAN, err, c.to)
		}
	}
}

// TestRun_AccountChangesConcurrently changes the account for payouts at each call of a run. The payout must be paid
// once, to the account that was stored with the transfer.
func TestRun_AccountChangesConcurrently(t *testing.T) {
	t.Parallel()
	for call := 1; ; call++ {
		h := openFixture(t)
		h.addAccount(oneIBAN, false, merchant.BankAccountVerified)
		h.pay(1)
		h.Advance(day)
		id := h.plan()
		if _, err := h.AddBankAccount(t.Context(), byTest, tenant, newAccount(anotherIBAN), true); err != nil {
			t.Fatal(err)
		}
		h.verdict = merchant.BankAccountVerified
		reached, n := false, 0
		h.wire.Inject(func(string) faults.Fault {
			if n++; n == call {
				reached = true
				h.wire.Free(func() {
					if err := h.CheckBankAccounts(t.Context(), byTest, tenant); err != nil {
						t.Error(err)
					}
				})
			}
			return faults.None
		})
		h.want(fmt.Sprint("changed at call ", call), h.run(id), "PAID 10.10 1")
		p, err := h.Store.Payout(t.Context(), tenant, id)
		if err != nil || len(h.requests) != 1 || h.requests[0].To.IBAN != p.To.IBAN || p.To.IBAN != oneIBAN &&
			p.To.IBAN != anotherIBAN {
			t.Errorf("call %d: got requests %+v, payout to %s, %v, want one, to the payout's account", call, h.requests,
				p.To.IBAN, err)
		}
		if !reached {
			if call < 8 {
				t.Errorf("got %d calls, want more of a payout", call-1)
			}
			return
		}
	}
}

// TestAddBankAccount_HundredConcurrently checks that only one of a hundred concurrent calls adds its account.
func TestAddBankAccount_HundredConcurrently(t *testing.T) {
	t.Parallel()
	h := openFixture(t)
	var added, pending atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			_, err := h.AddBankAccount(t.Context(), byTest, tenant, newAccount(oneIBAN), false)
			switch {
			case err == nil:
				added.Add(1)
			case errors.Is(err, merchant.ErrVerificationPending):
				pending.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	accounts, err := h.Store.BankAccounts(t.Context(), tenant)
	if added.Load() != 1 || pending.Load() != 99 || err != nil || len(accounts.All) != 1 {
		t.Errorf("got %d added, %d refused, %d stored, %v, want 1, 99 and 1", added.Load(), pending.Load(),
			len(accounts.All), err)
	}
}

// TestAddBankAccount_SettlesPendingAccount checks that a client can add another account without reading the pending
// account first: the call asks the bank about the pending account.
func TestAddBankAccount_SettlesPendingAccount(t *testing.T) {
	t.Parallel()
	h := openFixture(t)
	h.verdict = merchant.BankAccountVerified
	for n := range merchant.MaxBankAccounts {
		if _, err := h.AddBankAccount(t.Context(), byTest, tenant, newAccount(fmt.Sprint("number ", n)), false); err != nil {
			t.Fatalf("account %d: got error %v, want none", n, err)
		}
	}
	for range 2 {
		_, err := h.AddBankAccount(t.Context(), byTest, tenant, newAccount(oneIBAN), false)
		if !errors.Is(err, merchant.ErrTooManyBankAccounts) {
			t.Errorf("the 11th: got error %v, want ErrTooManyBankAccounts", err)
		}
	}
}

// TestRefreshBankAccounts_BankFails checks that the call returns the accounts unchanged if the bank cannot be asked.
func TestRefreshBankAccounts_BankFails(t *testing.T) {
	t.Parallel()
	h := openFixture(t)
	h.verdict, h.verifyErr = merchant.BankAccountVerified, faults.ErrNetwork
	a := newAccount(oneIBAN)
	if _, err := h.AddBankAccount(t.Context(), byTest, tenant, a, false); err != nil {
		t.Fatal(err)
	}
	accounts, err := h.RefreshBankAccounts(t.Context(), byTest, tenant)
	if got, _ := accounts.Get(a.ID); err != nil || got.Status != merchant.BankAccountPending {
		t.Errorf("got %+v, %v, want it pending", got, err)
	}
	if _, err = h.AddBankAccount(t.Context(), byTest, tenant, newAccount(oneIBAN), false); !errors.Is(err,
		merchant.ErrVerificationPending) {
		t.Errorf("another: got error %v, want ErrVerificationPending", err)
	}
	if err = h.CheckBankAccounts(t.Context(), byTest, tenant); !errors.Is(err, faults.ErrNetwork) {
		t.Errorf("checked: got error %v, want the bank's", err)
	}
	h.verifyErr = nil
	if err = h.CheckBankAccounts(t.Context(), byTest, tenant); err != nil {
		t.Error(err)
	}
	h.wantPaid("then", oneIBAN)
}

// TestCheckBankAccounts_Undecided checks that an account is checked later if the bank does not decide or cannot be
// asked. Only the sweep schedules that check. A read that finds nothing new writes nothing.
func TestCheckBankAccounts_Undecided(t *testing.T) {
	t.Parallel()
	h := openFixture(t)
	if _, err := h.AddBankAccount(t.Context(), byTest, tenant, newAccount(oneIBAN), false); err != nil {
		t.Fatal(err)
	}
	dueIn := func(want time.Duration) {
		t.Helper()
		accounts, err := h.Store.BankAccounts(t.Context(), tenant)
		if got := accounts.CheckAt.Sub(h.Now()); err != nil || got != want {
			t.Errorf("got it due in %s, %v, want %s", got, err, want)
		}
	}
	dueIn(2 * time.Second)
	h.Advance(time.Minute)
	for range 2 {
		if _, err := h.RefreshBankAccounts(t.Context(), byTest, tenant); err != nil {
			t.Fatal(err)
		}
		dueIn(-58 * time.Second)
	}
	for _, h.verifyErr = range []error{faults.ErrNetwork, nil} {
		if err := h.CheckBankAccounts(t.Context(), byTest, tenant); !errors.Is(err, h.verifyErr) {
			t.Fatalf("got error %v, want %v", err, h.verifyErr)
		}
		dueIn(time.Minute)
	}
	h.verdict = merchant.BankAccountRejected
	if err := h.CheckBankAccounts(t.Context(), byTest, tenant); err != nil {
		t.Fatal(err)
	}
	asked := h.verified.Load()
	if err := h.CheckBankAccounts(t.Context(), byTest, tenant); err != nil || h.verified.Load() != asked {
		t.Errorf("with nothing pending: got %d questions, %v, want none", h.verified.Load()-asked, err)
	}
}

// TestAddBankAccount_Faults adds and verifies an account. One call after the other fails or loses its reply. The
// repeated operation must then succeed.
func TestAddBankAccount_Faults(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{faults.FailBefore, faults.LoseReply} {
		for failing := 1; ; failing++ {
			h := openFixture(t)
			first := h.addAccount(oneIBAN, false, merchant.BankAccountVerified)
			a, calls, reached := newAccount(anotherIBAN), 0, false
			h.wire.Inject(func(string) faults.Fault {
				if calls++; calls/3 == failing/3 && calls >= failing { // the fault hits all tries of the SDK
					reached = true
					return fault
				}
				return faults.None
			})
			h.verdict = merchant.BankAccountVerified
			for range 2 {
				_, _ = h.AddBankAccount(t.Context(), byTest, tenant, a, true)
			}
			_, _ = h.RefreshBankAccounts(t.Context(), byTest, tenant)
			h.wire.Inject(faults.Times(0, "", fault))
			if _, err := h.AddBankAccount(t.Context(), byTest, tenant, a, true); err != nil {
				t.Errorf("%v of call %d: got error %v, want none", fault, failing, err)
			}
			accounts, err := h.RefreshBankAccounts(t.Context(), byTest, tenant)
			if err != nil || len(accounts.All) != 2 || accounts.All[0].ID != first.ID || accounts.Paid != a.ID {
				t.Errorf("%v of call %d: got %+v, %v, want two accounts, the second one paid", fault, failing, accounts, err)
			}
			h.wantPaid(fmt.Sprintf("%v of call %d", fault, failing), anotherIBAN)
			if !reached {
				break
			}
		}
	}
}

// TestChangeBankAccounts_Concurrently checks that no concurrent change by a merchant or an operator is lost or half
// done.
func TestChangeBankAccounts_Concurrently(t *testing.T) {
	t.Parallel()
	h := openFixture(t)
	h.addAccount(oneIBAN, false, merchant.BankAccountVerified)
	h.verdict = merchant.BankAccountVerified
	vouched := make([]string, 4)
	var all sync.WaitGroup
	for i := range vouched {
		all.Go(func() {
			a := newAccount(fmt.Sprint("number ", i))
			vouched[i] = a.ID
			_, err := h.ChangeBankAccounts(t.Context(), byTest, tenant, func(s merchant.State) (merchant.State, error) {
				accounts, err := s.BankAccounts(tenant.Mode).Vouch(a, h.Store.Now())
				return s.WithBankAccounts(tenant.Mode, accounts), err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	added := newAccount(anotherIBAN)
	all.Go(func() {
		if _, err := h.AddBankAccount(t.Context(), byTest, tenant, added, true); err != nil {
			t.Error(err)
		}
		if err := h.CheckBankAccounts(t.Context(), byTest, tenant); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	accounts, err := h.RefreshBankAccounts(t.Context(), byTest, tenant)
	if err != nil || len(accounts.All) != 6 {
		t.Fatalf("got %+v, %v, want all 6 accounts", accounts, err)
	}
	for _, id := range append(vouched, added.ID) {
		if a, there := accounts.Get(id); !there || a.Status != merchant.BankAccountVerified {
			t.Errorf("got %+v, want it VERIFIED", a)
		}
	}
	h.wantPaid("all", accounts.Payee().IBAN)
}

// TestChangeBankAccounts_OtherMode checks that a change in one mode leaves the other mode's accounts unchanged.
func TestChangeBankAccounts_OtherMode(t *testing.T) {
	t.Parallel()
	h := openFixture(t)
	h.addAccount(oneIBAN, false, merchant.BankAccountVerified)
	before, err := h.Store.MerchantState(t.Context(), tenant.Merchant)
	if err != nil {
		t.Fatal(err)
	}
	test := identity.Tenant{Mode: identity.Test, Merchant: tenant.Merchant}
	a := newAccount(anotherIBAN)
	if _, err = h.AddBankAccount(t.Context(), byTest, test, a, true); err != nil {
		t.Fatal(err)
	}
	if _, err = h.ChangeBankAccounts(t.Context(), byTest, test, func(s merchant.State) (merchant.State, error) {
		return s.WithBankAccounts(test.Mode, s.BankAccounts(test.Mode).Decide(a.ID, merchant.BankAccountVerified)), nil
	}); err != nil {
		t.Fatal(err)
	}
	after, err := h.Store.MerchantState(t.Context(), tenant.Merchant)
	if err != nil || *after.Schedules.Live != *before.Schedules.Live || after.Schedules.Test.To.IBAN != anotherIBAN {
		t.Errorf("got schedules %+v and %+v, %v, want live as before, and test's to %s", after.Schedules.Live,
			after.Schedules.Test, err, anotherIBAN)
	}
	h.wantPaid("live", oneIBAN)
}
