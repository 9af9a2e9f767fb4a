package functions

import "slices"

// Access is what a function may ask of AWS beside being called, logging and
// tracing. What the sandbox's acquirer and bank do in the table they do with
// the function's role.
type Access struct {
	Items   []string // IAM actions on the table; each part of a transaction is authorised as its own
	Queries []string // names of the indexes it queries
	Sends   []Queue  // queues it sends to, whose URLs it gets
}

// Access is exactly what the function uses: each test of the platform holds it
// to that, and TestNoFunctionMayDoMore sees that nothing is left over. Nobody
// may change the table itself; only the one that proves the books scans it,
// and that one writes nothing.
func (f Function) Access() Access { return access[f.Name] }

var access = map[string]Access{
	"checkouts":    {Items: []string{"GetItem", "BatchGetItem", "PutItem", "UpdateItem"}, Queries: []string{"list"}},
	"customers":    {Items: []string{"GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"}},
	"transactions": {Items: []string{"GetItem", "Query", "PutItem", "UpdateItem"}, Queries: []string{"history"}},
	"receipts":     {Items: []string{"GetItem", "Query", "PutItem", "UpdateItem"}},
	"payouts":      {Items: []string{"GetItem", "Query", "UpdateItem"}},
	"pages":        {Items: []string{"UpdateItem"}}, // of nothing: whether the table takes writes
	"sandbox":      {Items: []string{"GetItem", "PutItem", "UpdateItem"}},
	// Reads the table's stream, which is no action of its own.
	"relay": {Sends: []Queue{Callbacks, Polls}},
	// Reads the callback, its merchant and its circuit breaker, and saves what became of the try.
	"callbacks":  {Items: []string{"GetItem", "PutItem"}},
	"polls":      {Items: []string{"GetItem", "Query", "PutItem", "UpdateItem"}},
	"payoutplan": {Items: []string{"GetItem", "Query", "PutItem"}, Queries: []string{"due"}, Sends: []Queue{Payouts}},
	"payoutrun":  {Items: []string{"GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"}, Sends: []Queue{Payouts}},
	"sweep":      {Items: []string{"GetItem", "Query", "PutItem", "UpdateItem"}, Queries: []string{"due"}, Sends: []Queue{Callbacks}},
	"reconcile":  {Items: []string{"Scan", "GetItem", "Query"}, Queries: []string{"due"}},
	"provision": {Items: []string{"GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"},
		Queries: []string{"due"}},
}

// Permissions names each, sorted: "PutItem table", "Query index/due",
// "SendMessage callbacks".
func (a Access) Permissions() []string {
	var all []string
	for _, action := range a.Items {
		all = append(all, action+" table")
	}
	for _, index := range a.Queries {
		all = append(all, "Query index/"+index)
	}
	for _, q := range a.Sends {
		all = append(all, "SendMessage "+q.Name)
	}
	slices.Sort(all)
	return all
}
