package functions

// Access is what a function may ask of AWS beside being called, logging and
// tracing.
type Access struct {
	Items   []string // IAM actions on the table's items; each part of a transaction is authorised as its own
	Indexes []string // IAM actions on the table's indexes
	Sends   []Queue  // queues it sends to, whose URLs it gets
}

// Access is by the function's kind, and narrower where a function is known to
// need less. No kind may scan the table or change the table itself; only the
// one that proves the books reads all of it, and it writes nothing.
func (f Function) Access() Access {
	if own, ok := ownAccess[f.Name]; ok {
		return own
	}
	switch {
	case f.Stream != nil:
		return Access{Sends: Queues}
	case f.Tick != nil:
		return Access{Items: everyItem, Indexes: query, Sends: Queues}
	default:
		return Access{Items: everyItem, Indexes: query}
	}
}

// everyItem is what the store does with items.
var everyItem = []string{"GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"}

var query = []string{"Query"}

var ownAccess = map[string]Access{
	// Reads the table's stream, which is no action of its own.
	"relay": {Sends: []Queue{Callbacks}},
	// Reads the callback and its merchant, and saves what became of the try.
	"callbacks":  {Items: []string{"GetItem", "PutItem"}},
	"sweep":      {Items: everyItem, Indexes: query, Sends: []Queue{Callbacks}},
	"payoutplan": {Items: everyItem, Indexes: query, Sends: []Queue{Payouts}},
	"payoutrun":  {Items: everyItem, Indexes: query, Sends: []Queue{Payouts}},
	// Reads all there is, and changes nothing.
	"reconcile": {Items: []string{"Scan", "GetItem", "BatchGetItem", "Query"}, Indexes: query},
}
