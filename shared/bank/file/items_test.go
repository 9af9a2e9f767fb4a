package file

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/clock"
	"github.com/cashwrap/cashwrap/localstack/storedtest"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/table"
)

// shelf is an empty table with the bank's books, and what fills the fields of its entries.
type shelf struct {
	testing.TB
	*storedtest.Filler
	*Bank
}

// TestEachStoredFieldIsReadBack, and whatever attribute were not stored would be missed.
func TestEachStoredFieldIsReadBack(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(shelf) []storedtest.Answer{
		"an order that waits": func(w shelf) []storedtest.Answer {
			o := w.waiting()
			return []storedtest.Answer{w.order(o), storedtest.Reads("waiting", []bank.Transfer{o.Transfer},
				func(ctx context.Context) ([]bank.Transfer, error) { return w.Orders(ctx, "EUR", 10) })}
		},
		"an order that was paid": func(w shelf) []storedtest.Answer {
			o := w.waiting()
			next := storedtest.Fill(w, w.Filler, func(next *order) { next.ID, next.Standing = o.ID, paid })
			_, err := w.books.move(w.Context(), o.ID, func(order) (order, error) { return next, nil })
			w.must(err)
			return []storedtest.Answer{w.order(next), storedtest.Reads("statement",
				[]bank.StatementLine{{ID: next.ID, Tenant: next.Tenant, Amount: next.Amount, At: next.SettledAt}},
				func(ctx context.Context) ([]bank.StatementLine, error) {
					var lines []bank.StatementLine
					for line, err := range w.Statement(ctx) {
						if err != nil {
							return nil, err
						}
						lines = append(lines, line)
					}
					return lines, nil
				})}
		},
		"a file that was begun": func(w shelf) []storedtest.Answer {
			e := storedtest.Fill[export](w, w.Filler)
			_, err := w.books.begin(w.Context(), e)
			w.must(err)
			return []storedtest.Answer{w.export(e)}
		},
		"a file that was sealed": func(w shelf) []storedtest.Answer {
			e := storedtest.Fill[export](w, w.Filler)
			begun := e
			begun.Digest = ""
			_, err := w.books.begin(w.Context(), begun)
			w.must(err)
			_, err = w.books.seal(w.Context(), e)
			w.must(err)
			return []storedtest.Answer{w.export(e)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storedtest.Open(t, clock.New().Now, nil)
			db, items := s.Raw()
			w := shelf{t, &storedtest.Filler{}, New(table.Books{DB: db, Table: items, Now: clock.New().Now})}
			storedtest.RoundTrip(t, s, write(w), nil)
		})
	}
}

func (w shelf) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// waiting is an order in no file, as it was entered.
func (w shelf) waiting() order {
	w.Helper()
	o := storedtest.Fill(w, w.Filler, func(o *order) { o.Standing = waiting })
	got, err := w.books.open(w.Context(), o)
	if diff := cmp.Diff(o, got, storedtest.Options); err != nil || diff != "" {
		w.Fatalf("entered: %v (-want +got):\n%s", err, diff)
	}
	return o
}

func (w shelf) order(o order) storedtest.Answer {
	return storedtest.Reads("order", []order{o, o}, func(ctx context.Context) ([]order, error) {
		one, err := w.books.order(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		many, err := w.books.orders(ctx, []string{o.ID})
		return []order{one, many[o.ID]}, err
	})
}

func (w shelf) export(e export) storedtest.Answer {
	return storedtest.Reads("export", e, func(ctx context.Context) (export, error) { return w.books.export(ctx, e.ID) })
}
