package store

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// changed is an item's place in the index of changes. The zero value keeps the item out.
type changed struct {
	Partition string `dynamo:"changes_pk,omitempty"`
	Sort      string `dynamo:"changes_sk,omitempty"`
}

// changedAt returns the place of a payment, refund or chargeback. An item that never changed has none, and costs
// nothing.
func changedAt(t identity.Tenant, shard int, at time.Time, id string) changed {
	if at.IsZero() {
		return changed{}
	}
	return changed{Partition: changesList(t, shard), Sort: historyPosition(at, id)}
}

// payoutChangedAt returns the place of a payout that has changed payments. The place stands for all these payments,
// whose own places would cost two units each.
func payoutChangedAt(t identity.Tenant, p payout.Payout) changed {
	if p.ChangedAt.IsZero() {
		return changed{}
	}
	return changed{Partition: changingPayoutsList(t), Sort: micros(p.ChangedAt) + "#" + recordPrefix(p)}
}

// changesAttributes are in the index of changes: those of the history's index, the item's place in the history, which
// gives the order, and the creator of the checkout.
var changesAttributes = append(slices.Clone(historyAttributes), historySort, "creator")
