package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Request asks for a file.
type Request struct {
	ID       string               // names the file, for the bank too: at most 28 letters, digits and hyphens
	Debtor   merchant.BankAccount // whom the money comes from; its status does not matter
	Currency money.Currency       // of the debtor's account; a file has one
	Day      string               // to be executed on, YYYY-MM-DD
	Orders   []string             // ids, at most 1000
}

// Errors of Export, beside a bad field of the request.
var (
	ErrOtherExport = failure.Conflict("another file has this id")
	ErrNothingToDo = failure.Conflict("none of the orders can go into the file: they are unknown, " +
		"settled, of another currency or in another file")

	ErrUnknownExport = failure.NotFound("no file has this id")
)

// errChanged: the program writes a file otherwise than it did when the file
// was made. A bank must not see two files under one message id.
var errChanged = errors.New("file: the file would not be the same any more")

// exportID leaves room for what tells the parts of a file apart (pain.go).
var exportID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,27}$`)

// check refuses what makes no file.
func (r Request) check() error {
	if !exportID.MatchString(r.ID) {
		return failure.Invalid("id", "must be at most 28 letters, digits and hyphens")
	}
	if refusal(r.Debtor) != "" || sepaText(r.Debtor.Holder, maxName) == "" {
		return failure.Invalid("debtor", "must have a name, and an IBAN or account number with its bank")
	}
	if _, err := money.ParseCurrency(string(r.Currency)); err != nil {
		return failure.Invalid("currency", "must be a currency of the platform")
	}
	if _, err := time.Parse(time.DateOnly, r.Day); err != nil {
		return failure.Invalid("day", "must be a day YYYY-MM-DD")
	}
	ids := slices.Clone(r.Orders)
	slices.Sort(ids)
	if len(ids) == 0 || len(ids) > maxListed || len(slices.Compact(ids)) != len(r.Orders) {
		return failure.Invalid("orders", "must be from 1 to 1000 ids, each once")
	}
	return nil
}

// digest tells requests apart.
func (r Request) digest() (string, error) {
	text, err := json.Marshal(r)
	return digest(text), err
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// export is a file. It is sealed once Orders are those in it and Digest is
// that of its bytes; before, Orders are those that it may take.
type export struct {
	ID        string               `dynamo:"id"`
	Debtor    merchant.BankAccount `dynamo:"debtor"`
	Currency  money.Currency       `dynamo:"currency"`
	Day       string               `dynamo:"day"`
	Orders    []string             `dynamo:"orders"`
	Asked     string               `dynamo:"asked"` // the digest of its request
	Digest    string               `dynamo:"digest,omitempty"`
	CreatedAt time.Time            `dynamo:"created_at"`
}

func (e export) sealed() bool { return e.Digest != "" }

// Export writes a file of those of the orders that can go into it, and answers
// their ids in the file's order. The same request writes the same file again,
// and finishes one that was cut off. What another file has, or is settled,
// unknown or of another currency, is left out. Errors: ErrOtherExport,
// ErrNothingToDo, a bad field.
func (b *Bank) Export(ctx context.Context, w io.Writer, r Request) ([]string, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	asked, err := r.digest()
	if err != nil {
		return nil, err
	}
	e, err := b.books.export(ctx, r.ID)
	if errors.Is(err, ErrUnknownExport) {
		e, err = b.begin(ctx, r, asked)
	}
	switch {
	case err != nil:
		return nil, err
	case e.Asked != asked:
		return nil, ErrOtherExport
	default:
		return b.write(ctx, w, e)
	}
}

// Again writes a file that was asked for before. Errors: ErrUnknownExport,
// ErrNothingToDo.
func (b *Bank) Again(ctx context.Context, w io.Writer, id string) ([]string, error) {
	e, err := b.books.export(ctx, id)
	if err != nil {
		return nil, err
	}
	return b.write(ctx, w, e)
}

// begin records what the file may take: orders that wait now. An order that is
// entered later could be claimed after the file was sealed.
func (b *Bank) begin(ctx context.Context, r Request, asked string) (export, error) {
	found, err := b.books.orders(ctx, r.Orders)
	if err != nil {
		return export{}, err
	}
	e := export{ID: r.ID, Debtor: r.Debtor, Currency: r.Currency, Day: r.Day, Asked: asked, CreatedAt: b.books.Time()}
	for _, id := range r.Orders {
		if o, ok := found[id]; ok && o.Standing == waiting && o.Amount.Currency() == r.Currency {
			e.Orders = append(e.Orders, id)
		}
	}
	if len(e.Orders) == 0 {
		return export{}, ErrNothingToDo
	}
	return b.books.begin(ctx, e)
}

// write brings the file to its end and hands it over whole.
func (b *Bank) write(ctx context.Context, w io.Writer, e export) ([]string, error) {
	if !e.sealed() {
		if err := b.books.claim(ctx, e); err != nil {
			return nil, err
		}
	}
	found, err := b.books.orders(ctx, e.Orders)
	if err != nil {
		return nil, err
	}
	orders := e.among(found)
	if len(orders) == 0 {
		return nil, ErrNothingToDo
	}
	var text bytes.Buffer
	if err := e.document(orders, &text); err != nil {
		return nil, err
	}
	if !e.sealed() {
		if e, err = b.books.seal(ctx, e.with(orders, digest(text.Bytes()))); err != nil {
			return nil, err
		}
	}
	if digest(text.Bytes()) != e.Digest {
		return nil, errChanged
	}
	_, err = w.Write(text.Bytes())
	return e.Orders, err
}

// among are the file's own of the orders, in its order. Once all are claimed
// they are the same for everybody: an order never leaves its file, nor enters
// one when it has stopped waiting.
func (e export) among(found map[string]order) []order {
	var own []order
	for _, id := range e.Orders {
		if o := found[id]; o.ExportID == e.ID {
			own = append(own, o)
		}
	}
	return own
}

func (e export) with(orders []order, digest string) export {
	e.Orders, e.Digest = make([]string, len(orders)), digest
	for i, o := range orders {
		e.Orders[i] = o.ID
	}
	return e
}
