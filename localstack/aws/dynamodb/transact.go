package dynamodb

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// Limits of transactions (API reference, TransactWriteItems).
const (
	maxTransactItems = 100
	maxTransactBytes = 4 << 20
	tokenLifetime    = 10 * time.Minute
	maxTokenLength   = 36
)

type transaction struct {
	token    string
	capacity capacityLevel
	writes   []*write
}

// reason says why one item of a transaction could not be written. The zero reason stands for None.
type reason struct {
	Code    string
	Message string   `json:",omitempty"`
	Item    attr.Map `json:",omitempty"`
}

// writeKinds maps the names of writes in transactions and batches to their kinds.
var writeKinds = map[string]writeKind{"Put": putting, "Update": updating, "Delete": deleting,
	"ConditionCheck": checking, "PutRequest": putting, "DeleteRequest": deleting}

func (e *Engine) transactWriteItems(d *jsontext.Decoder) ([]byte, error) {
	var in struct {
		TransactItems               transactItems
		ClientRequestToken          string
		ReturnConsumedCapacity      capacityLevel
		ReturnItemCollectionMetrics string
	}
	in.TransactItems.kinds = []string{"Put", "Update", "Delete", "ConditionCheck"}
	if err := decode(d, "TransactWriteItems", &in); err != nil {
		return nil, err
	}
	token := in.ClientRequestToken
	if len(token) > maxTokenLength {
		return nil, constraintError(" '"+token+"'", "clientRequestToken", "have length less than or equal to 36")
	}
	tx := &transaction{token: token, capacity: in.ReturnConsumedCapacity}
	if err := e.prepareWrites(tx, in.TransactItems.parts); err != nil {
		return nil, err
	}
	return e.transact(tx)
}

// part is one element of TransactItems or of a batch of writes: its kind and its parameters.
type part struct {
	kind string
	req  *request
}

// readPart reads a part of one of the given kinds. For a part without a kind, it returns the error in the parameter
// none. For a part with several kinds, it returns the error in the parameter several.
func readPart(d *jsontext.Decoder, object string, kinds []string, none, several error) (p part, err error) {
	err = attr.Object(d, func(name string) (err error) {
		if !slices.Contains(kinds, name) {
			return refuseParameter(object, name)
		}
		if p.kind != "" {
			return several
		}
		p.kind = name
		p.req, err = readRequest(d, name)
		return err
	})
	if err == nil && p.kind == "" {
		err = none
	}
	return p, err
}

type transactItems struct {
	kinds []string
	parts []part
}

func (t *transactItems) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	err := attr.Array(d, func() error {
		p, err := readPart(d, "TransactItems", t.kinds,
			attr.Invalid("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"),
			attr.Invalid("TransactItems can only contain one of Check, Put, Update or Delete"))
		t.parts = append(t.parts, p)
		return err
	})
	switch n := len(t.parts); {
	case err == nil && n == 0:
		return constraintError(" '[]'", "transactItems", "have length greater than or equal to 1")
	case err == nil && n > maxTransactItems:
		return constraintError("", "transactItems", "have length less than or equal to 100")
	}
	return err
}

func (e *Engine) prepareWrites(tx *transaction, parts []part) error {
	seen := make(map[string]bool, len(parts))
	size := 0
	for _, p := range parts {
		w, err := e.prepare(writeKinds[p.kind], p.req)
		if err != nil {
			return err
		}
		if w.kind == checking && p.req.ConditionExpression == nil {
			return missingError("conditionExpression")
		}
		at := w.table.name + "/" + w.order
		if seen[at] {
			return errSameItem
		}
		seen[at] = true
		size += w.item.Size()
		tx.writes = append(tx.writes, w)
	}
	if size > maxTransactBytes {
		return errTransactSize
	}
	return nil
}

const (
	errSameItem     = attr.Invalid("Transaction request cannot include multiple operations on one item")
	errTransactSize = attr.Invalid("Collection size of items in the transaction exceeds the limit of 4 MB")
)

// transact applies all writes or none. A repeated token gets the earlier success again.
func (e *Engine) transact(tx *transaction) ([]byte, error) {
	places := make([]place, len(tx.writes))
	for i, w := range tx.writes {
		places[i] = w.place()
	}
	if e.conflicts("TransactWriteItems", places...) {
		return nil, newConflictFault(len(places))
	}
	fingerprint := tx.fingerprint()
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	replayed, err := e.tokens.checkReplay(tx.token, fingerprint, now)
	if err != nil {
		return nil, err
	}
	if replayed {
		return tx.answer(e.chargeReplay(tx)), nil
	}
	done := token{name: tx.token, fingerprint: fingerprint, until: now.Add(tokenLifetime)}
	charges, err := e.commitAll(tx, done.appendNote(nil))
	if err != nil {
		return nil, err
	}
	e.tokens.remember(done)
	return tx.answer(charges), nil
}

// step is a write with the rows before and after it.
type step struct {
	*write
	old, next *row
}

// commitAll applies all writes or none and logs note with them.
func (e *Engine) commitAll(tx *transaction, note []byte) (bills, error) {
	if err := e.checkLog(); err != nil {
		return nil, err
	}
	steps := make([]step, len(tx.writes))
	reasons := make([]reason, len(tx.writes))
	failed, size := false, 0
	for i, w := range tx.writes {
		steps[i] = step{write: w, old: w.table.rows.get(w.order)}
		var err error
		if reasons[i], err = steps[i].evaluate(); err != nil {
			return nil, err
		}
		failed = failed || reasons[i].Code != ""
		size += sizeOf(steps[i].next)
	}
	charges := chargeSteps(steps)
	for _, b := range charges {
		b.table.written += b.total()
	}
	switch {
	case failed:
		return nil, newCancelledFault(reasons)
	case size > maxTransactBytes:
		return nil, errTransactSize
	}
	var changes []change
	for _, s := range steps {
		if s.kind != checking {
			changes = append(changes, change{table: s.table, old: s.old, next: s.next})
		}
	}
	return charges, e.apply(note, changes...)
}

// evaluate sets the row that the write results in. If the schema or the condition refuses the write, evaluate returns
// the reason. If an update does not fit its item, evaluate returns an error, and the whole transaction fails with a
// ValidationException, as in the service.
func (s *step) evaluate() (why reason, err error) {
	if invalid := s.checkStatic(); invalid != nil {
		return reason{Code: "ValidationError", Message: invalid.Error()}, nil
	}
	if !s.conditionHolds(s.old) {
		why = reason{Code: "ConditionalCheckFailed", Message: "The conditional request failed"}
		if s.wantsItem() {
			why.Item = s.old.attributes()
		}
		return why, nil
	}
	if s.next, err = s.result(s.old); err != nil && s.next != nil {
		return reason{Code: "ValidationError", Message: err.Error()}, nil
	}
	return reason{}, err
}

// chargeSteps returns the cost of a transaction: twice the write units per write, twice the read units per check.
func chargeSteps(steps []step) bills {
	var charges bills
	for _, s := range steps {
		b := charges.findOrAdd(s.table)
		if s.kind == checking {
			b.base += transactional * readUnits(sizeOf(s.old), true)
		} else {
			b.chargeWrite(s.old, s.next, transactional)
		}
	}
	return charges
}

// chargeReplay charges for answering a repeated token, which costs as much as reading the items.
func (e *Engine) chargeReplay(tx *transaction) bills {
	var charges bills
	for _, w := range tx.writes {
		units := transactional * readUnits(sizeOf(w.table.rows.get(w.order)), true)
		charges.findOrAdd(w.table).base += units
		w.table.read += units
	}
	return charges
}

func (tx *transaction) answer(charges bills) []byte {
	return finish([]byte{'{'}, tx.capacity, charges)
}

// newConflictFault returns the exception for a transaction of n items whose first item another transaction holds.
func newConflictFault(n int) error {
	reasons := make([]reason, n)
	reasons[0] = reason{Code: "TransactionConflict", Message: "Transaction is ongoing for the item"}
	return newCancelledFault(reasons)
}

func newCancelledFault(reasons []reason) error {
	codes := make([]string, len(reasons))
	for i, why := range reasons {
		codes[i] = cmp.Or(why.Code, "None")
		reasons[i].Code = codes[i]
	}
	return &fault{
		code: "TransactionCanceledException",
		message: "Transaction cancelled, please refer cancellation reasons for specific reasons [" +
			strings.Join(codes, ", ") + "]",
		detail: append([]byte(`,"CancellationReasons":`), toJSON(reasons)...),
	}
}

// fingerprint returns a hash of the transaction's writes. Requests with the same token must have the same fingerprint.
func (tx *transaction) fingerprint() [sha256.Size]byte {
	if tx.token == "" {
		return [sha256.Size]byte{}
	}
	var all []byte
	for _, w := range tx.writes {
		all = append(append(all, byte(w.kind)), toJSON(w.request)...)
	}
	return sha256.Sum256(all)
}
