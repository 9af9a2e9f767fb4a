package simulator

import (
	"strings"

	"github.com/cashwrap/cashwrap/shared/store"
)

// snapshot has all records of a world, by their ids.
type snapshot struct {
	*World
	*ledger
	items                              []item // all there are
	checkouts, transactions, callbacks map[string]item
	charges                            map[string]item // of the acquirer
	captures                           map[string]int  // by charge
	instruments                        []item
	customers                          map[string]item // by tenant and id
	cards                              map[string]bool // tokens the acquirer knows
	merchants                          map[string]item // by code
	payouts                            map[string]item
	records                            map[string][]item // by payout
	taken                              map[string][]item // records by the tenant and id of the payable they were
	booked                             map[string][]item // at the bank, by payout
	carried                            map[string][]item // payables and records of shortfalls, by payout
}

// readBooks reads all records.
func readBooks(w *World) snapshot {
	b := snapshot{World: w, ledger: newLedger(), items: w.scan(), checkouts: map[string]item{}, transactions: map[string]item{},
		callbacks: map[string]item{}, charges: map[string]item{}, captures: map[string]int{}, customers: map[string]item{},
		cards: map[string]bool{}, merchants: map[string]item{}, payouts: map[string]item{}, records: map[string][]item{},
		taken: map[string][]item{}, booked: map[string][]item{}, carried: map[string][]item{}}
	for _, i := range b.items {
		b.enter(nil, i)
		b.file(i)
	}
	return b
}

// file puts a record where it belongs.
func (b *snapshot) file(i item) {
	id, pk, sk := i.text("id"), i.text("pk"), i.text("sk")
	if payout := carriedBy(i); payout != "" {
		b.carried[payout] = append(b.carried[payout], i)
	}
	switch {
	case strings.HasPrefix(pk, "SANDBOX#CHARGE#") && sk == "CHARGE":
		b.charges[id] = i
	case strings.HasPrefix(sk, "CAPTURE#"):
		b.captures[strings.TrimPrefix(pk, "SANDBOX#CHARGE#")]++
	case sk == "CHECKOUT":
		b.checkouts[id] = i
	case strings.HasPrefix(sk, "TRANSACTION#"):
		b.transactions[id] = i
	case sk == "CALLBACK":
		b.callbacks[id] = i
	case sk == "CUSTOMER":
		b.customers[i.tenant()+" "+partition(pk).Last] = i
	case sk == "CARD":
		b.cards[strings.TrimPrefix(pk, "SANDBOX#CARD#")] = true
	case strings.HasPrefix(sk, "CARD#"):
		b.instruments = append(b.instruments, i)
	case sk == "MERCHANT":
		b.merchants[i.text("code")] = i
	case sk == "PAYOUT":
		b.payouts[id] = i
	case i.kind() == store.KindPayoutRecords:
		payout, payable := i.text("payout_id"), payableKey(i, id)
		b.records[payout], b.taken[payable] = append(b.records[payout], i), append(b.taken[payable], i)
	case booked(i):
		b.booked[id] = append(b.booked[id], i)
	}
}
