package world

import (
	"context"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// PayoutState contains the records of a tenant's payouts.
type PayoutState struct {
	Payouts  map[string]payout.Payout   // by id
	Records  map[string][]payout.Record // by payout
	Payables []payments.Payable         // that wait for a payout
}

// PayoutState reads the payouts of a merchant in test mode.
func (w *World) PayoutState(m Merchant) PayoutState {
	w.Helper()
	if state := w.readPayoutStates()["T#"+m.Code]; state != nil {
		return *state
	}
	return PayoutState{}
}

// RunPayouts plans the payouts that are due, and then runs the planned payouts.
func (w *World) RunPayouts() {
	w.Helper()
	w.must(w.main.TickNow(w.Context(), "payoutplan"))
	_, err := w.main.DrainQueues(w.Context())
	w.must(err)
}

func (w *World) readPayoutStates() map[string]*PayoutState {
	all := map[string]*PayoutState{}
	for of, item := range w.readPartitions() {
		if of.Tenant == (identity.Tenant{}) {
			continue
		}
		tenant := of.Tenant.String()
		if all[tenant] == nil {
			all[tenant] = &PayoutState{Payouts: map[string]payout.Payout{}, Records: map[string][]payout.Record{}}
		}
		if err := all[tenant].addItem(of.Kind, item); err != nil {
			w.Errorf("%v: %v", of, err)
		}
	}
	return all
}

func (b *PayoutState) addItem(kind store.Kind, item dynamo.Item) error {
	switch kind {
	case store.KindPayout:
		var p payout.Payout
		err := dynamo.UnmarshalItem(item, &p)
		b.Payouts[p.ID] = p
		return err
	case store.KindPayoutRecords:
		var r payout.Record
		err := dynamo.UnmarshalItem(item, &r)
		b.Records[r.PayoutID] = append(b.Records[r.PayoutID], r)
		return err
	case store.KindPayable:
		var row payments.Payable
		err := dynamo.UnmarshalItem(item, &row)
		b.Payables = append(b.Payables, row)
		return err
	default:
		return nil
	}
}

// CheckPayouts checks the rules for payouts, which must hold at any step. Each payout is the sum of its records, and
// each payable is paid at most once. The sandbox bank paid exactly the payouts. merchant_payable is the sum of the open
// payables and payouts.
func (w *World) CheckPayouts() {
	w.Helper()
	for tenant, state := range w.readPayoutStates() {
		paidWith := map[string]string{}
		open := sums{}
		for _, payable := range state.Payables {
			open.add(w, payable.Amount)
		}
		for id, p := range state.Payouts {
			w.checkPayout(tenant, p, state.Records[id])
			open.addOpen(w, p, state.Records[id])
			for _, r := range state.Records[id] {
				if other, twice := paidWith[r.ID]; twice && r.Status != payout.RecordFailed {
					w.Errorf("%s of %s is in the payouts %s and %s", r.ID, tenant, other, id)
				}
				if r.Status != payout.RecordFailed && p.Status != payout.Returning {
					paidWith[r.ID] = id
				}
			}
		}
		for currency, sum := range w.sumAccount(tenant, ledger.MerchantPayable) {
			if got := open.of(currency); got != sum.Neg() {
				w.Errorf("merchant_payable of %s: got %s, want %s", tenant, sum.Neg(), got)
			}
		}
	}
}

type sums map[money.Currency]money.Amount

func (s sums) of(c money.Currency) money.Amount {
	if sum, ok := s[c]; ok {
		return sum
	}
	return money.Zero(c)
}

func (s sums) add(w *World, a money.Amount) {
	sum, err := s.of(a.Currency()).Add(a)
	w.must(err)
	s[a.Currency()] = sum
}

// addOpen adds the amount of the payout that is still payable to the merchant. Before the payout is sent, this is the
// whole total. A shortfall adds nothing here, because it waits in a payable. While the payout is returning, this is the
// sum of the open records.
func (s sums) addOpen(w *World, p payout.Payout, records []payout.Record) {
	switch p.Status {
	case payout.Collecting, payout.Sealed:
		if p.Total.Sign() > 0 {
			s.add(w, p.Total)
		}
	case payout.Returning:
		for _, r := range records {
			if r.Status == payout.RecordOpen {
				s.add(w, r.Amount)
			}
		}
	}
}

func (w *World) checkPayout(tenant string, p payout.Payout, records []payout.Record) {
	w.Helper()
	sum := sums{}
	for _, r := range records {
		sum.add(w, r.Amount)
	}
	if sum.of(p.Currency) != p.Total || len(records) != p.Records {
		w.Errorf("payout %s of %s: %d records of %s, in the header %d of %s", p.ID, tenant, len(records),
			sum.of(p.Currency), p.Records, p.Total)
	}
	if !strings.HasPrefix(tenant, "T#") {
		return
	}
	times, left, err := banking.Sandbox(w.App).Executed(context.WithoutCancel(w.Context()), p.ID)
	w.must(err)
	ordered := p.Total.Sign() > 0
	switch {
	case times > 1, times == 1 && left != p.Total:
		w.Errorf("the bank paid payout %s of %s %d times, %s", p.ID, p.Total, times, left)
	case times == 1 && (p.Status == payout.Collecting || p.Status == payout.Sealed || p.Status == payout.Failed ||
		p.Status == payout.Returning):
		w.Errorf("the bank paid payout %s, which is %s", p.ID, p.Status)
	case times == 0 && ordered && (p.Status == payout.Paying || p.Status == payout.Paid):
		w.Errorf("the bank did not pay payout %s, which is %s", p.ID, p.Status)
	}
}
