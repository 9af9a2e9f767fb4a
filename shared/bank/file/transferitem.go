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

type transferItem struct {
	table.Key
	ID          string               `dynamo:"id"`
	Tenant      string               `dynamo:"tenant"`
	Amount      money.Amount         `dynamo:"amount"`
	To          merchant.BankAccount `dynamo:"to_account"`
	Reference   string               `dynamo:"reference,omitempty"`
	State       state                `dynamo:"transfer_state"`
	Reason      string               `dynamo:"reason,omitempty"`
	ExportID    string               `dynamo:"export_id,omitempty"`
	RequestedAt time.Time            `dynamo:"requested_at"`
	SettledAt   time.Time            `dynamo:"settled_at,omitempty"`
}

func itemOf(t transfer) transferItem {
	return transferItem{Key: transferKey(t.ID), ID: t.ID, Tenant: t.Tenant, Amount: t.Amount, To: t.To,
		Reference: t.Reference, State: t.State, Reason: t.Reason, ExportID: t.ExportID, RequestedAt: t.RequestedAt,
		SettledAt: t.SettledAt}
}

func (i transferItem) transfer() transfer {
	return transfer{
		Transfer: bank.Transfer{ID: i.ID, Tenant: i.Tenant, Amount: i.Amount, To: i.To, Reference: i.Reference},
		State:    i.State, Reason: i.Reason, ExportID: i.ExportID, RequestedAt: i.RequestedAt, SettledAt: i.SettledAt,
	}
}

type exportItem struct {
	table.Key
	export
}
