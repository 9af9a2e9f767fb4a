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
	"github.com/cashwrap/cashwrap/shared/table"
)

// Request asks for a file.
type Request struct {
	ID        string               // names the file, for the bank too: at most 28 letters, digits and hyphens
	Debtor    merchant.BankAccount // the account that is debited; its status does not matter
	Currency  money.Currency       // of the debtor's account; a file has one
	Day       string               // to be executed on, YYYY-MM-DD
	Transfers []string             // ids, at most 1000
}

// Errors of Export, apart from invalid fields of the request.
var (
	ErrExportIDTaken = failure.Conflict("Another file has this id.")
	ErrNothingToDo   = failure.Conflict("None of the transfers can go into the file: they are unknown, " +
		"settled, of another currency or in another file.")

	ErrUnknownExport = failure.NotFound("No file has this id.")
)

// errChanged reports that another version of the program would write the same file differently. A bank must not get two
// files with one message id.
var errChanged = errors.New("file: the file would not be the same as before")

// exportID leaves room for the suffixes of a file's parts (pain.go).
var exportID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,27}$`)

// check returns the first invalid field.
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
	ids := slices.Clone(r.Transfers)
	slices.Sort(ids)
	if len(ids) == 0 || len(ids) > maxListed || len(slices.Compact(ids)) != len(r.Transfers) {
		return failure.Invalid("transfers", "must be from 1 to 1000 ids, each once")
	}
	return nil
}

func (r Request) digest() (string, error) {
	text, err := json.Marshal(r)
	return digest(text), err
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// export is a file. Until it is sealed, Transfers are those that it may contain;
// then they are those that it contains, and Digest is that of its bytes.
type export struct {
	ID            string               `dynamo:"id"`
	Debtor        merchant.BankAccount `dynamo:"debtor"`
	Currency      money.Currency       `dynamo:"currency"`
	Day           string               `dynamo:"day"`
	Transfers     []string             `dynamo:"transfers"`
	RequestDigest string               `dynamo:"request_digest"`
	Digest        string               `dynamo:"digest,omitempty"`
	CreatedAt     time.Time            `dynamo:"created_at"`
}

func (e export) sealed() bool { return e.Digest != "" }

// Export writes a file of the transfers that can go into it, and returns their ids in the file's order. Transfers in
// another file, settled, unknown or of another currency are left out. The same request writes the same file again, also
// after an interruption. Errors: ErrExportIDTaken, ErrNothingToDo, an invalid field.
func (b *Bank) Export(ctx context.Context, w io.Writer, r Request) ([]string, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	requestDigest, err := r.digest()
	if err != nil {
		return nil, err
	}
	e, err := b.records.export(ctx, r.ID)
	if errors.Is(err, ErrUnknownExport) {
		e, err = b.begin(ctx, r, requestDigest)
	}
	switch {
	case err != nil:
		return nil, err
	case e.RequestDigest != requestDigest:
		return nil, ErrExportIDTaken
	default:
		return b.write(ctx, w, e)
	}
}

// ExportAgain writes a file that was requested before. Errors: ErrUnknownExport, ErrNothingToDo.
func (b *Bank) ExportAgain(ctx context.Context, w io.Writer, id string) ([]string, error) {
	e, err := b.records.export(ctx, id)
	if err != nil {
		return nil, err
	}
	return b.write(ctx, w, e)
}

// begin stores which transfers the file may contain: those that wait now. One
// that is requested later could otherwise be added after the file was sealed.
func (b *Bank) begin(ctx context.Context, r Request, requestDigest string) (export, error) {
	found, err := b.records.transfers(ctx, r.Transfers)
	if err != nil {
		return export{}, err
	}
	e := export{ID: r.ID, Debtor: r.Debtor, Currency: r.Currency, Day: r.Day, RequestDigest: requestDigest,
		CreatedAt: b.records.Time()}
	for _, id := range r.Transfers {
		if t, ok := found[id]; ok && t.State == waiting && t.Amount.Currency() == r.Currency {
			e.Transfers = append(e.Transfers, id)
		}
	}
	if len(e.Transfers) == 0 {
		return export{}, ErrNothingToDo
	}
	return b.records.begin(ctx, e)
}

// write finishes the file and writes all of it to w.
func (b *Bank) write(ctx context.Context, w io.Writer, e export) ([]string, error) {
	if !e.sealed() {
		if err := b.records.claim(ctx, e); err != nil {
			return nil, err
		}
	}
	found, err := b.records.transfers(ctx, e.Transfers)
	if err != nil {
		return nil, err
	}
	own := e.among(found)
	if len(own) == 0 {
		return nil, ErrNothingToDo
	}
	var text bytes.Buffer
	if err = e.document(own, &text); err != nil {
		return nil, err
	}
	if !e.sealed() {
		if e, err = b.records.seal(ctx, e.with(own, digest(text.Bytes()))); err != nil {
			return nil, err
		}
	}
	if digest(text.Bytes()) != e.Digest {
		return nil, errChanged
	}
	_, err = w.Write(text.Bytes())
	return e.Transfers, err
}

// among returns the transfers in this file, in its order. Once all are claimed they stay the same: a transfer never
// leaves its file, and joins none when it no longer waits.
func (e export) among(found map[string]transfer) []transfer {
	var own []transfer
	for _, id := range e.Transfers {
		if t := found[id]; t.ExportID == e.ID {
			own = append(own, t)
		}
	}
	return own
}

func (e export) with(own []transfer, digest string) export {
	e.Transfers, e.Digest = make([]string, len(own)), digest
	for i, t := range own {
		e.Transfers[i] = t.ID
	}
	return e
}

// claimedAtOnce is how many transfers, of two items each, a transaction of at most 100 items adds to a file.
const claimedAtOnce = 50

func (r records) export(ctx context.Context, id string) (export, error) {
	item, err := table.One[exportItem](ctx, r.Client, exportKey(id), ErrUnknownExport)
	return item.export, err
}

// begin stores a file that has no transfers yet. For a known id it returns the stored one.
func (r records) begin(ctx context.Context, e export) (export, error) {
	return r.putExport(ctx, e, "attribute_not_exists(pk)", nil)
}

// putExport stores a file under the condition, or returns the stored one, unless that is still open.
func (r records) putExport(ctx context.Context, e export, condition string,
	open func(exportItem) bool) (export, error) {
	item := exportItem{exportKey(e.ID), e}
	stored, err := table.Write(ctx, r.Client, item.Key, item, r.Transaction().Put(r.Table.Put(item).If(condition)).Run,
		open)
	return stored.export, err
}

// claim adds those of the file's transfers to it that still wait.
func (r records) claim(ctx context.Context, e export) error {
	for ids := range slices.Chunk(e.Transfers, claimedAtOnce) {
		if err := r.claimSome(ctx, e.ID, ids); err != nil {
			return err
		}
	}
	return nil
}

// claimSome adds the transfers that wait in one transaction, and reads again if that fails, until none waits. If
// nothing has changed it returns the error.
func (r records) claimSome(ctx context.Context, exportID string, ids []string) error {
	var cause error
	for tried := 0; ; {
		found, err := r.transfers(ctx, ids)
		if err != nil {
			return errors.Join(cause, err)
		}
		tx, n := r.Transaction(), 0
		for _, id := range ids {
			if before := found[id]; before.State == waiting {
				after := before
				after.State, after.ExportID = exported, exportID
				r.step(tx, before, after)
				n++
			}
		}
		if n == 0 {
			return nil
		}
		if cause != nil && n == tried {
			return cause
		}
		if cause = tx.Run(ctx); cause == nil {
			return nil
		}
		tried = n
	}
}

// seal fixes what is in the file. For a sealed file it returns the stored one.
func (r records) seal(ctx context.Context, e export) (export, error) {
	return r.putExport(ctx, e, "attribute_not_exists(digest)", func(i exportItem) bool { return !i.sealed() })
}
