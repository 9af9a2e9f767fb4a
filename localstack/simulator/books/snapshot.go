// Package books checks what must be true of all records when a simulated world has come to rest: those of the platform
// with each other, with the acquirer's and the bank's, and with what clients were answered.
package books

import (
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Snapshot has all records of a world, by their ids.
type Snapshot struct {
	*simulator.World
	*ledger
	Items                              []simulator.Item // all there are
	Checkouts, Transactions, callbacks items
	Charges                            items          // of the acquirer
	captures                           map[string]int // by charge
	instruments                        []simulator.Item
	customers                          items           // by tenant and id
	cards                              map[string]bool // tokens the acquirer knows
	Merchants                          items           // by code
	Payouts                            items
	Records                            itemLists // by payout
	Taken                              itemLists // records by the tenant and id of the payable they were
	Booked                             itemLists // at the bank, by payout
	Carried                            itemLists // payables and records of shortfalls, by payout
}

// Read reads all records.
func Read(w *simulator.World) Snapshot {
	b := Snapshot{World: w, ledger: newLedger(), Items: w.Scan(), Checkouts: items{}, Transactions: items{},
		callbacks: items{}, Charges: items{}, captures: map[string]int{}, customers: items{},
		cards: map[string]bool{}, Merchants: items{}, Payouts: items{}, Records: itemLists{},
		Taken: itemLists{}, Booked: itemLists{}, Carried: itemLists{}}
	for _, i := range b.Items {
		b.enter(nil, i)
		b.file(i)
	}
	return b
}

// file puts a record where it belongs.
func (b *Snapshot) file(i simulator.Item) {
	id, pk, sk := i.Text("id"), i.Text("pk"), i.Text("sk")
	if payout := carriedBy(i); payout != "" {
		b.Carried[payout] = append(b.Carried[payout], i)
	}
	switch {
	case strings.HasPrefix(pk, "SANDBOX#CHARGE#") && sk == "CHARGE":
		b.Charges[id] = i
	case strings.HasPrefix(sk, "CAPTURE#"):
		b.captures[strings.TrimPrefix(pk, "SANDBOX#CHARGE#")]++
	case sk == "CHECKOUT":
		b.Checkouts[id] = i
	case strings.HasPrefix(sk, "TRANSACTION#"):
		b.Transactions[id] = i
	case sk == "CALLBACK":
		b.callbacks[id] = i
	case sk == "CUSTOMER":
		b.customers[i.Tenant()+" "+simulator.Partition(pk).Last] = i
	case sk == "CARD":
		b.cards[strings.TrimPrefix(pk, "SANDBOX#CARD#")] = true
	case strings.HasPrefix(sk, "CARD#"):
		b.instruments = append(b.instruments, i)
	case sk == "MERCHANT":
		b.Merchants[i.Text("code")] = i
	case sk == "PAYOUT":
		b.Payouts[id] = i
	case i.Kind() == store.KindPayoutRecords:
		payout, payable := i.Text("payout_id"), PayableKey(i, id)
		b.Records[payout], b.Taken[payable] = append(b.Records[payout], i), append(b.Taken[payable], i)
	case booked(i):
		b.Booked[id] = append(b.Booked[id], i)
	}
}
