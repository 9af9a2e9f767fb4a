package payments

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// PayoutStatus is where a payout stands.
type PayoutStatus string

// The statuses. PayoutPaid and PayoutFailed are final.
const (
	Collecting   PayoutStatus = "COLLECTING" // rows are being taken into it
	Sealed       PayoutStatus = "SEALED"     // complete; waits for a verified account
	Sent         PayoutStatus = "SENT"       // ordered, or about to be, at the bank
	Paying       PayoutStatus = "PAYING"     // paid; its records are being told
	Returning    PayoutStatus = "RETURNING"  // not paid; its records are being told
	PayoutPaid   PayoutStatus = "PAID"
	PayoutFailed PayoutStatus = "FAILED"
)

// Payout is what a merchant is paid for one period in one currency. Its ID
// follows from the period, so that there can be only one, and is the bank's
// idempotency key.
type Payout struct {
	ID        string         `dynamo:"id"`
	Currency  money.Currency `dynamo:"currency"`
	Day       string         `dynamo:"day"`    // it is paid on, YYYY-MM-DD where the merchant is
	Cutoff    time.Time      `dynamo:"cutoff"` // rows eligible before it are taken
	Status    PayoutStatus   `dynamo:"status"`
	Total     money.Amount   `dynamo:"total"` // of its records
	Records   int            `dynamo:"records"`
	Told      string         `dynamo:"told,omitempty"`   // the record up to which Paying or Returning has come
	Reason    string         `dynamo:"reason,omitempty"` // of a failure, the bank's
	CreatedAt time.Time      `dynamo:"created_at"`
	UpdatedAt time.Time      `dynamo:"updated_at"`
	NextLook  time.Time      `dynamo:"next_look"` // when payoutplan wakes it
	Looks     int            `dynamo:"looks"`
	Version   int            `dynamo:"version"` // of the stored item, from 1
}

// PayoutID is that of a tenant's payout of a period; kind tells payouts on
// demand from the regular one and from each other.
func PayoutID(tenant string, currency money.Currency, day, kind string) string {
	sum := sha256.Sum256([]byte("payout\x00" + tenant + "\x00" + string(currency) + "\x00" + day + "\x00" + kind))
	return hex.EncodeToString(sum[:16])
}

// runsBy is when whoever opened a payout has had it run; if not, payoutplan does.
const runsBy = time.Minute

// NewPayout opens a payout of what is eligible before the cut-off.
func NewPayout(id string, currency money.Currency, day string, cutoff, now time.Time) Payout {
	return Payout{ID: id, Currency: currency, Day: day, Cutoff: cutoff, Status: Collecting, Total: money.Zero(currency),
		CreatedAt: now, UpdatedAt: now, NextLook: now.Add(runsBy), Version: 1}
}

// Reference is what the merchant's bank statement shows.
func (p Payout) Reference() string { return "PAYOUT " + p.Day + " " + p.ID[:8] }

// RecordStatus of a payout record (contract §6.7).
type RecordStatus string

// The statuses; clients see the last two.
const (
	RecordOpen       RecordStatus = "OPEN"
	RecordSuccessful RecordStatus = "SUCCESSFUL"
	RecordFailed     RecordStatus = "FAILED"
)

// PayoutRecord is one line of a payout: the row that waited for it.
type PayoutRecord struct {
	PayoutID  string       `dynamo:"payout_id"`
	Day       string       `dynamo:"day"`
	Reference string       `dynamo:"reference"`
	Status    RecordStatus `dynamo:"status"`
	Unpaid
}

// Number is the record's id as clients know it, of 53 bits (contract §6.7).
func (r PayoutRecord) Number() int64 { return number53("payout record " + r.PayoutID + " " + r.ID) }

// record is the row as the payout takes it.
func (p Payout) record(row Unpaid) PayoutRecord {
	return PayoutRecord{PayoutID: p.ID, Day: p.Day, Reference: p.Reference(), Status: RecordOpen, Unpaid: row}
}

// ErrNotCollected: a row and its transaction contradict each other, which
// nothing but a mistake can bring about; its payout stops.
var ErrNotCollected = errors.New("payments: the row does not fit its transaction")

// Collection is a step of a payout that takes rows into it, to be written in
// one database transaction.
type Collection struct {
	Payout       Payout   // Version is still that of the item read
	Rows         []Unpaid // that wait no longer
	Records      []PayoutRecord
	Transactions []Transaction // those of the rows, each once
	Carry        *Unpaid       // a new row, of what the payout lacks
}

// Collect takes rows into the payout. transactions are those of the rows that
// are parts, by id.
//
// What the payout lacks is carried forward in the same step, because a refund
// could count on it otherwise (contract §6.4). The row of the step before is
// replaced.
func (p Payout) Collect(rows []Unpaid, transactions map[string]Transaction, now time.Time) (Collection, error) {
	c := Collection{Payout: p, Rows: slices.Clone(rows)}
	if before := p.Carried(); before != nil {
		c.Rows = append(c.Rows, *before)
	}
	changed := map[string]Transaction{}
	for _, row := range rows {
		if row.Kind == UnpaidPart {
			t, ok := changed[row.TransactionID]
			if !ok {
				t = transactions[row.TransactionID]
			}
			t, err := t.collect(row, p)
			if err != nil {
				return c, err
			}
			changed[t.ID] = t
		}
		c.Records = append(c.Records, p.record(row))
		c.Payout.Total = plus(c.Payout.Total, row.Amount)
		c.Payout.Records++
	}
	for _, id := range sortedKeys(changed) {
		c.Transactions = append(c.Transactions, changed[id])
	}
	c.Payout = c.Payout.at(Collecting, now)
	c.Carry = c.Payout.Carried()
	return c, nil
}

// Carried is the row in which a payout that is collecting has carried forward
// what it lacks; nil: it lacks nothing. Only a payout of a later cut-off takes
// it.
func (p Payout) Carried() *Unpaid {
	if p.Total.Sign() >= 0 {
		return nil
	}
	return &Unpaid{ID: "carried#" + p.ID + "#" + strconv.Itoa(p.Records), Kind: UnpaidBalance, Amount: p.Total,
		Fee: money.Zero(p.Currency), EligibleAt: p.Cutoff}
}

// wakeAfter is when a payout whose runner is silent is taken for cut off: a
// run lasts less (functions.go).
const wakeAfter = 15 * time.Minute

// collect marks the part that the row is of.
func (t Transaction) collect(row Unpaid, p Payout) (Transaction, error) {
	i := slices.IndexFunc(t.Payouts, func(part PayoutPart) bool { return part.Seq == row.Seq })
	if i < 0 || t.Payouts[i].Status != EventScheduled || !minus(t.Payouts[i].Net(), row.Amount).IsZero() {
		return t, ErrNotCollected
	}
	t.Payouts = slices.Clone(t.Payouts)
	t.Payouts[i].Status, t.Payouts[i].PayoutID, t.Payouts[i].Day = EventReconciled, p.ID, p.Day
	return t, nil
}

// PayoutStep is a payout's next state with what must be written beside it.
type PayoutStep struct {
	Payout Payout // Version is still that of the item read
	Entry  *ledger.Entry
}

// Seal ends the collecting. A payout that comes to nothing, or less, needs no
// bank: its records are settled against each other and what was carried forward.
func (p Payout) Seal(now time.Time) PayoutStep {
	if p.Total.Sign() > 0 {
		return PayoutStep{Payout: p.at(Sealed, now)}
	}
	return PayoutStep{Payout: p.at(Paying, now)}
}

// Send orders the payout at the bank, on the books first.
func (p Payout) Send(now time.Time) PayoutStep {
	return PayoutStep{Payout: p.at(Sent, now), Entry: p.entry(ledger.Payout, ledger.MerchantPayable, ledger.PayoutsInTransit, now)}
}

// Paid is the bank's word that the money has left.
func (p Payout) Paid(now time.Time) PayoutStep {
	return PayoutStep{Payout: p.at(Paying, now), Entry: p.entry(ledger.PayoutPaid, ledger.PayoutsInTransit, ledger.Bank, now)}
}

// Rejected is the bank's word that it has not, or has come back.
func (p Payout) Rejected(reason string, now time.Time) PayoutStep {
	step := PayoutStep{Payout: p.at(Returning, now),
		Entry: p.entry(ledger.PayoutReturned, ledger.PayoutsInTransit, ledger.MerchantPayable, now)}
	step.Payout.Reason = reason
	return step
}

func (p Payout) at(status PayoutStatus, now time.Time) Payout {
	p.Status, p.UpdatedAt, p.NextLook, p.Looks = status, now, now.Add(wakeAfter), 0
	return p
}

// entry debits the payout's total to one account and credits it to another.
func (p Payout) entry(kind ledger.Kind, debit, credit ledger.Account, now time.Time) *ledger.Entry {
	return ledger.MustEntry(p.ID, kind, ledger.OfPayout(p.ID), now,
		ledger.Posting{Account: debit, Amount: p.Total}, ledger.Posting{Account: credit, Amount: p.Total.Neg()})
}

// Telling is a step of a payout that tells its records what became of it.
type Telling struct {
	Payout       Payout // Version is still that of the item read
	Records      []PayoutRecord
	Transactions []Transaction // those of the parts, each once
	Events       []Event       // the deductions
	Rows         []Unpaid      // to be paid anew
}

// Tell applies the payout's outcome to its next records, in their order;
// without any it is over. events are those of the deductions, by id.
func (p Payout) Tell(records []PayoutRecord, transactions map[string]Transaction, events map[string]Event, now time.Time) (Telling, error) {
	paid := p.Status == Paying
	if len(records) == 0 {
		p.Status, p.UpdatedAt = PayoutFailed, now
		if paid {
			p.Status = PayoutPaid
		}
		return Telling{Payout: p}, nil
	}
	t := Telling{Payout: p.at(p.Status, now)}
	changed := map[string]Transaction{}
	for _, r := range records {
		if err := t.tell(r, paid, transactions, changed, events, now); err != nil {
			return t, err
		}
	}
	for _, id := range sortedKeys(changed) {
		t.Transactions = append(t.Transactions, changed[id])
	}
	t.Payout.Told = records[len(records)-1].ID
	return t, nil
}

func (t *Telling) tell(r PayoutRecord, paid bool, transactions, changed map[string]Transaction, events map[string]Event, now time.Time) error {
	r.Status = RecordFailed
	if paid {
		r.Status = RecordSuccessful
	}
	t.Records = append(t.Records, r)
	if r.Kind != UnpaidPart {
		t.tellDeduction(r, paid, events, now)
		return nil
	}
	tx, ok := changed[r.TransactionID]
	if !ok {
		tx = transactions[r.TransactionID]
	}
	tx, row, err := tx.told(r, paid, now)
	if err != nil {
		return err
	}
	changed[tx.ID] = tx
	if row != nil {
		t.Rows = append(t.Rows, *row)
	}
	return nil
}

// tellDeduction: what was deducted is settled, or waits anew.
func (t *Telling) tellDeduction(r PayoutRecord, paid bool, events map[string]Event, now time.Time) {
	if !paid {
		row := r.Unpaid
		row.EligibleAt = now
		t.Rows = append(t.Rows, row)
		return
	}
	if e, ok := events[r.ID]; ok {
		e.Status, e.UpdatedAt = EventSuccessful, shown(now)
		t.Events = append(t.Events, e)
	}
}

// told closes the part that the record is of. One that was not paid waits anew
// under another number, as a new event (contract §6.5).
func (t Transaction) told(r PayoutRecord, paid bool, now time.Time) (Transaction, *Unpaid, error) {
	i := slices.IndexFunc(t.Payouts, func(part PayoutPart) bool { return part.Seq == r.Seq })
	if i < 0 || t.Payouts[i].Status != EventReconciled || t.Payouts[i].PayoutID != r.PayoutID {
		return t, nil, ErrNotCollected
	}
	t.Payouts = slices.Clone(t.Payouts)
	t.UpdatedAt = shown(now)
	if paid {
		t.Payouts[i].Status = EventPaidOut
		return t, nil, nil
	}
	t.Payouts[i].Status = EventFailed
	again := t.Payouts[i]
	again.Seq, again.Status, again.EligibleAt = len(t.Payouts)+1, EventScheduled, now
	again.PayoutID, again.Day = "", ""
	t.Payouts = append(t.Payouts, again)
	row := t.unpaid(again)
	return t, &row, nil
}

func sortedKeys(m map[string]Transaction) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
