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
	ID        string               // id of the file, also for the bank: at most 28 letters, digits and hyphens
	Debtor    merchant.BankAccount // the account to debit; its status does not matter
	Currency  money.Currency       // of the debtor's account; a file has only one currency
	Day       string               // day of execution, YYYY-MM-DD
	Transfers []string             // ids of the transfers, at most 1000
}

// Errors of Export, apart from invalid fields of the request.
var (
	ErrExportIDTaken = failure.Conflict("Another file has this id.")
	ErrNothingToDo   = failure.Conflict("None of the transfers can go into the file: they are unknown, " +
		"settled, of another currency or in another file.")

	ErrUnknownExport = failure.NotFound("No file has this id.")
)

// errChanged reports that this version of the program would write a known file with other content. A bank must not get
// two different files with one message id.
var errChanged = errors.New("file: the file would not be the same as before")

// exportID is the form of a file's id. It leaves room for the suffixes of the file's parts (pain.go).
var exportID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,27}$`)

// check returns an error for the first invalid field.
func (r Request) check() error {
	if !exportID.MatchString(r.ID) {
		return failure.Invalid("id", "must be at most 28 letters, digits and hyphens")
	}
	if refusalReason(r.Debtor) != "" || sepaText(r.Debtor.Holder, maxName) == "" {
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

// export is a file. Before it is sealed, Transfers lists the transfers that may go into it. Afterwards Transfers lists
// its content, and Digest is the digest of its bytes.
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

func (e export) isSealed() bool { return e.Digest != "" }

// Export writes a file of the requested transfers and returns their ids in the file's order. It leaves out transfers
// that are settled, unknown, in another file or in another currency. The same request writes the same file again, even
// after an interruption. Errors: ErrExportIDTaken, ErrNothingToDo, an invalid field.
func (b *Bank) Export(ctx context.Context, w io.Writer, r Request) ([]string, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	requestDigest, err := r.digest()
	if err != nil {
		return nil, err
	}
	e, err := b.records.readExport(ctx, r.ID)
	if errors.Is(err, ErrUnknownExport) {
		e, err = b.startExport(ctx, r, requestDigest)
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
	e, err := b.records.readExport(ctx, id)
	if err != nil {
		return nil, err
	}
	return b.write(ctx, w, e)
}

// startExport stores the list of transfers that the file may contain. These are the requested transfers that are
// waiting now. Without the stored list, a later transfer could be added after the file was sealed.
func (b *Bank) startExport(ctx context.Context, r Request, requestDigest string) (export, error) {
	found, err := b.records.readTransfers(ctx, r.Transfers)
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
	return b.records.createExport(ctx, e)
}

// write completes the file and writes its whole content to w.
func (b *Bank) write(ctx context.Context, w io.Writer, e export) ([]string, error) {
	if !e.isSealed() {
		if err := b.records.claimTransfers(ctx, e); err != nil {
			return nil, err
		}
	}
	found, err := b.records.readTransfers(ctx, e.Transfers)
	if err != nil {
		return nil, err
	}
	own := e.ownTransfers(found)
	if len(own) == 0 {
		return nil, ErrNothingToDo
	}
	var text bytes.Buffer
	if err = e.writeDocument(own, &text); err != nil {
		return nil, err
	}
	if !e.isSealed() {
		if e, err = b.records.seal(ctx, e.withContent(own, digest(text.Bytes()))); err != nil {
			return nil, err
		}
	}
	if digest(text.Bytes()) != e.Digest {
		return nil, errChanged
	}
	_, err = w.Write(text.Bytes())
	return e.Transfers, err
}

// ownTransfers returns the transfers that belong to the file, in the file's order. After claimTransfers the result no
// longer changes: a transfer never leaves its file, and a transfer that no longer waits joins no file.
func (e export) ownTransfers(found map[string]transfer) []transfer {
	var own []transfer
	for _, id := range e.Transfers {
		if t := found[id]; t.ExportID == e.ID {
			own = append(own, t)
		}
	}
	return own
}

func (e export) withContent(own []transfer, digest string) export {
	e.Transfers, e.Digest = make([]string, len(own)), digest
	for i, t := range own {
		e.Transfers[i] = t.ID
	}
	return e
}

// claimedAtOnce is the number of transfers that one transaction adds to a file. Each transfer takes two of the
// transaction's at most 100 items.
const claimedAtOnce = 50

func (r records) readExport(ctx context.Context, id string) (export, error) {
	item, err := table.One[exportItem](ctx, r.Client, exportKey(id), ErrUnknownExport)
	return item.export, err
}

// createExport stores a new file, before any transfer is claimed for it. For a known id it returns the stored file.
func (r records) createExport(ctx context.Context, e export) (export, error) {
	return r.putExport(ctx, e, "attribute_not_exists(pk)", nil)
}

// putExport stores a file if the condition holds. Otherwise it returns the stored file. If the parameter open returns
// true for the stored file, putExport also returns the error of the write.
func (r records) putExport(ctx context.Context, e export, condition string,
	open func(exportItem) bool) (export, error) {
	item := exportItem{exportKey(e.ID), e}
	stored, err := table.Write(ctx, r.Client, item.Key, item, r.Transaction().Put(r.Table.Put(item).If(condition)).Run,
		open)
	return stored.export, err
}

// claimTransfers adds listed transfers to the file, as far as they still wait.
func (r records) claimTransfers(ctx context.Context, e export) error {
	for ids := range slices.Chunk(e.Transfers, claimedAtOnce) {
		if err := r.claimSome(ctx, e.ID, ids); err != nil {
			return err
		}
	}
	return nil
}

// claimSome adds the waiting transfers in one transaction. If the transaction fails, claimSome reads the transfers
// again and repeats, until no transfer waits. If a try leaves as many transfers waiting as before, claimSome returns
// the error.
func (r records) claimSome(ctx context.Context, exportID string, ids []string) error {
	var cause error
	for tried := 0; ; {
		found, err := r.readTransfers(ctx, ids)
		if err != nil {
			return errors.Join(cause, err)
		}
		tx, n := r.Transaction(), 0
		for _, id := range ids {
			if before := found[id]; before.State == waiting {
				after := before
				after.State, after.ExportID = exported, exportID
				r.addStep(tx, before, after)
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

// seal makes the content of the file final. If the file is sealed already, it returns the stored file.
func (r records) seal(ctx context.Context, e export) (export, error) {
	return r.putExport(ctx, e, "attribute_not_exists(digest)", func(i exportItem) bool { return !i.isSealed() })
}
