package file

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/table"
)

// storedFixture has an empty table, the bank's records in it, and a filler that fills the records' fields.
type storedFixture struct {
	testing.TB
	*storedtest.Filler
	*Bank
}

// TestRecords_ReadBack checks that each field of a record is stored and read back.
func TestRecords_ReadBack(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(storedFixture) []storedtest.Read{
		"a transfer that waits": func(w storedFixture) []storedtest.Read {
			o := w.addWaiting()
			return []storedtest.Read{w.transfer(o), storedtest.Expect("waiting", []bank.Transfer{o.Transfer},
				func(ctx context.Context) ([]bank.Transfer, error) { return w.Waiting(ctx, "EUR", 10) })}
		},
		"a transfer that was paid": func(w storedFixture) []storedtest.Read {
			o := w.addWaiting()
			next := storedtest.Fill(w, w.Filler, func(next *transfer) { next.ID, next.State = o.ID, paid })
			_, err := w.records.update(w.Context(), o.ID, func(transfer) (transfer, error) { return next, nil })
			w.must(err)
			return []storedtest.Read{w.transfer(next), storedtest.Expect("statement",
				[]bank.StatementLine{{LineID: micros(next.SettledAt) + "#" + next.ID, ID: next.ID, Tenant: next.Tenant,
					Amount: next.Amount, At: next.SettledAt}},
				func(ctx context.Context) ([]bank.StatementLine, error) {
					var lines []bank.StatementLine
					for line, err := range w.Statement(ctx, time.Time{}) {
						if err != nil {
							return nil, err
						}
						lines = append(lines, line)
					}
					return lines, nil
				})}
		},
		"an account to verify": func(w storedFixture) []storedtest.Read {
			v := w.addAsked()
			return []storedtest.Read{w.verification(v), storedtest.Expect("asked",
				[]bank.Verification{{Tenant: v.Tenant, Account: v.Account}},
				func(ctx context.Context) ([]bank.Verification, error) { return w.Asked(ctx, 10) })}
		},
		"an account that was verified": func(w storedFixture) []storedtest.Read {
			v, err := w.records.decide(w.Context(), w.addAsked(), merchant.BankAccountVerified)
			w.must(err)
			return []storedtest.Read{w.verification(v)}
		},
		"a file that was begun": func(w storedFixture) []storedtest.Read {
			e := storedtest.Fill[export](w, w.Filler)
			_, err := w.records.createExport(w.Context(), e)
			w.must(err)
			return []storedtest.Read{w.export(e)}
		},
		"a file that was sealed": func(w storedFixture) []storedtest.Read {
			e := storedtest.Fill[export](w, w.Filler)
			begun := e
			begun.Digest = ""
			_, err := w.records.createExport(w.Context(), begun)
			w.must(err)
			_, err = w.records.seal(w.Context(), e)
			w.must(err)
			return []storedtest.Read{w.export(e)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storedtest.Open(t, clock.New().Now, nil)
			db, items := s.Raw()
			w := storedFixture{t, &storedtest.Filler{}, New(table.Client{DB: db, Table: items, Now: clock.New().Now})}
			storedtest.RoundTrip(t, s, write(w), nil)
		})
	}
}

func (w storedFixture) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// addWaiting stores a transfer that is in no file, and returns it.
func (w storedFixture) addWaiting() transfer {
	w.Helper()
	o := storedtest.Fill(w, w.Filler, func(o *transfer) { o.State = waiting })
	got, err := w.records.create(w.Context(), o)
	if diff := cmp.Diff(o, got, storedtest.Options); err != nil || diff != "" {
		w.Fatalf("stored: %v (-want +got):\n%s", err, diff)
	}
	return o
}

// addAsked stores an account that waits for the operator's answer, and returns it.
func (w storedFixture) addAsked() verification {
	w.Helper()
	v, err := w.records.openVerification(w.Context(), storedtest.Fill[bank.Verification](w, w.Filler))
	w.must(err)
	return v
}

func (w storedFixture) verification(v verification) storedtest.Read {
	return storedtest.Expect("verification", v, func(ctx context.Context) (verification, error) {
		return w.records.readVerification(ctx, v.Account.ID)
	})
}

func (w storedFixture) transfer(o transfer) storedtest.Read {
	return storedtest.Expect("transfer", []transfer{o, o}, func(ctx context.Context) ([]transfer, error) {
		one, err := w.records.readTransfer(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		many, err := w.records.readTransfers(ctx, []string{o.ID})
		return []transfer{one, many[o.ID]}, err
	})
}

func (w storedFixture) export(e export) storedtest.Read {
	return storedtest.Expect("export", e,
		func(ctx context.Context) (export, error) { return w.records.readExport(ctx, e.ID) })
}
