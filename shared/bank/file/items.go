package file

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/table"
)

type waitingItem struct {
	table.Key
	ID string `dynamo:"id"`
}

type orderItem struct {
	table.Key
	ID        string               `dynamo:"id"`
	Tenant    string               `dynamo:"tenant"`
	Amount    money.Amount         `dynamo:"amount"`
	To        merchant.BankAccount `dynamo:"to_account"`
	Reference string               `dynamo:"reference,omitempty"`
	Standing  standing             `dynamo:"standing"`
	Reason    string               `dynamo:"reason,omitempty"`
	ExportID  string               `dynamo:"export_id,omitempty"`
	OrderedAt time.Time            `dynamo:"ordered_at"`
	SettledAt time.Time            `dynamo:"settled_at,omitempty"`
}

func itemOf(o order) orderItem {
	return orderItem{Key: orderKey(o.ID), ID: o.ID, Tenant: o.Tenant, Amount: o.Amount, To: o.To, Reference: o.Reference,
		Standing: o.Standing, Reason: o.Reason, ExportID: o.ExportID, OrderedAt: o.OrderedAt, SettledAt: o.SettledAt}
}

func (i orderItem) order() order {
	return order{
		Transfer: bank.Transfer{ID: i.ID, Tenant: i.Tenant, Amount: i.Amount, To: i.To, Reference: i.Reference},
		Standing: i.Standing, Reason: i.Reason, ExportID: i.ExportID, OrderedAt: i.OrderedAt, SettledAt: i.SettledAt,
	}
}

type exportItem struct {
	table.Key
	export
}
