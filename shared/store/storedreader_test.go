package store_test

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/reader"
)

var storedReaders = map[string]stored{
	"CreateCardReader": {
		sets: "Version is 1",
		write: func(w fixture) []storedtest.Read {
			r := w.storeReader(w.reader())
			return append(w.readers(r), w.audited(w.tenant.Merchant), w.readerAgain(r), w.newReaders(1))
		},
		unseen: storedtest.NotRead{"READER write_id": notRead},
	},
	"CreateCardReader, of the same terminal": {
		sets: "the reader before has ended",
		write: func(w fixture) []storedtest.Read {
			before := w.reader()
			before.EndedAt = time.Time{}
			before = w.storeReader(before)
			r := w.reader()
			r.Serial = before.Serial
			r = w.storeReader(r)
			before.EndedAt, before.UpdatedAt, before.MenuLock, before.Version = w.Now(), w.Now(), nil, 2
			return append(w.readers(before, r), w.audited(w.tenant.Merchant), w.newReaders(2))
		},
		unseen: storedtest.NotRead{"READER write_id": notRead},
	},
	"SaveCardReader": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			before, r := w.storeReader(reader.Reader{ID: "rdr_1"}), w.reader()
			r.ID, r.Version = before.ID, before.Version
			got, err := w.SaveCardReader(w.Context(), w.tenant, r)
			r.Version = 2
			wantAnswer(w, r, got, err)
			w.keepKinds("READERS")
			return append(w.readers(r), w.newReaders(1))
		},
		unseen: storedtest.NotRead{"READER write_id": notRead},
	},
	"UpdateCardReader": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			r := w.storeReader(w.reader())
			name, metadata := "another", member.Metadata(`{"other":[1]}`)
			r.Name, r.Metadata = name, metadata
			got, err := w.UpdateCardReader(w.Context(), w.actor(), w.tenant, r.ID,
				func(reader.Reader) reader.Reader { return r })
			r.Version = 2
			wantAnswer(w, r, got, err)
			return append(w.readers(r), w.audited(w.tenant.Merchant), w.newReaders(1))
		},
		unseen: storedtest.NotRead{"READER write_id": notRead},
	},
	"DeleteCardReader": {
		sets: "it expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			r := w.storeReader(w.reader())
			w.must(w.DeleteCardReader(w.Context(), w.actor(), w.tenant, r.ID, "deletion", stopNothing))
			return append(w.readers(), w.audited(w.tenant.Merchant), w.readerAgain(r), w.newReaders(1),
				w.expiries(start.AddDate(0, 0, 31)),
				storedtest.Expect("the deletion again", "done", func(ctx context.Context) (string, error) {
					return "done", w.DeleteCardReader(ctx, byTest, w.tenant, r.ID, "deletion", stopNothing)
				}))
		},
	},
}

// reader returns a reader with all its fields.
func (w fixture) reader() reader.Reader {
	w.Helper()
	return storedtest.Fill(w, w.Filler, func(r *reader.Reader) { r.Metadata = `{"key":"value"}` })
}

// storeReader stores the reader.
func (w fixture) storeReader(r reader.Reader) reader.Reader {
	w.Helper()
	got, err := w.CreateCardReader(w.Context(), w.actor(), w.tenant, r.ID, func() (reader.Reader, error) { return r, nil })
	r.Version = 1
	wantAnswer(w, r, got, err)
	return r
}

// readers expects the tenant's readers from each read.
func (w fixture) readers(want ...reader.Reader) []storedtest.Read {
	reads := []storedtest.Read{storedtest.Expect("CardReaders", append([]reader.Reader{}, want...),
		func(ctx context.Context) ([]reader.Reader, error) { return w.CardReaders(ctx, w.tenant) })}
	for _, r := range want {
		reads = append(reads, storedtest.Expect("CardReader", r, func(ctx context.Context) (reader.Reader, error) {
			return w.CardReader(ctx, w.tenant, r.ID)
		}))
	}
	return reads
}

// readerAgain expects the stored reader from a repeated creation.
func (w fixture) readerAgain(want reader.Reader) storedtest.Read {
	return storedtest.Expect("the creation again", want, func(ctx context.Context) (reader.Reader, error) {
		return w.CreateCardReader(ctx, byTest, w.tenant, want.ID, func() (reader.Reader, error) {
			return reader.Reader{}, errors.New("paired again")
		})
	})
}

// newReaders expects the version of the count, which only writes read.
func (w fixture) newReaders(want int) storedtest.Read {
	return storedtest.Expect("new readers", want, func(ctx context.Context) (int, error) {
		_, table := w.Raw()
		var got struct {
			Version int `dynamo:"version"`
		}
		err := table.Get("pk", "READERS#"+w.tenant.String()).Range("sk", dynamo.Equal, "COUNT").One(ctx, &got)
		return got.Version, err
	})
}
