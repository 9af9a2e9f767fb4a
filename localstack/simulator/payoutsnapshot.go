package simulator

import (
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/store"
)

// payoutSnapshot is everything about payouts in the table.
type payoutSnapshot struct {
	snapshot
	*ledger
	payouts map[string]item   // by id
	records map[string][]item // by payout
	taken   map[string][]item // records by the tenant and id of the payable they were
	booked  map[string][]item // at the bank, by transfer
	waiting map[string]item   // payables by tenant and id
	carried map[string][]item // payables and records of shortfalls, by payout
	moved   map[string][]item // journal entries by payout
}

func (m *month) payoutSnapshot() *payoutSnapshot {
	b := &payoutSnapshot{m.snapshot(), newLedger(), map[string]item{}, map[string][]item{},
		map[string][]item{}, map[string][]item{},
		map[string]item{}, map[string][]item{}, map[string][]item{}}
	for _, i := range b.items {
		b.enter(nil, i)
		b.take(i)
	}
	return b
}

func (b *payoutSnapshot) take(i item) {
	pk, sk := i.text("pk"), i.text("sk")
	if payout := carriedBy(i); payout != "" {
		b.carried[payout] = append(b.carried[payout], i)
	}
	switch {
	case sk == "PAYOUT":
		b.payouts[i.text("id")] = i
	case i.kind() == store.KindPayoutRecords:
		b.records[i.text("payout_id")] = append(b.records[i.text("payout_id")], i)
		b.taken[payableKey(i, i.text("id"))] = append(b.taken[payableKey(i, i.text("id"))], i)
	case strings.HasPrefix(pk, "SANDBOX#TRANSFER#") && strings.HasPrefix(sk, "STATEMENT_LINE#"), pk == "FILEBANK#PAID":
		b.booked[i.text("id")] = append(b.booked[i.text("id")], i)
	case i.kind() == store.KindPayable:
		b.waiting[payableKey(i, i.text("id"))] = i
	case i.kind() == store.KindJournal && strings.HasPrefix(i.text("kind"), "payout"):
		b.moved[i.text("id")] = append(b.moved[i.text("id")], i)
	}
}

// payableKey names a payable of the tenant that an item belongs to.
func payableKey(i item, id string) string {
	return i.tenant() + " " + id
}

// carriedBy is the payout that carried a payable or record forward; "": none did.
func carriedBy(i item) string {
	payout, carried := strings.CutPrefix(i.text("id"), "carried#")
	if !carried {
		return ""
	}
	payout, _, _ = strings.Cut(payout, "#")
	return payout
}

// timeOf is a time in an item.
func timeOf(i item, name string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, i.text(name))
	return at
}

// net is what a part of a transaction comes to.
func net(part item) int64 {
	net := minor(part["amount"]) - minor(part["deducted"])
	if part["gross"] != true {
		net -= minor(part["fee"])
	}
	return net
}
