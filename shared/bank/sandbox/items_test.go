package sandbox

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/table"
)

// TestRecords_ReadBack checks that each field of a record is stored and read back.
func TestRecords_ReadBack(t *testing.T) {
	t.Parallel()
	s := storedtest.Open(t, clock.New().Now, nil)
	db, items := s.Raw()
	b := New(table.Client{DB: db, Table: items, Now: clock.New().Now})
	f := &storedtest.Filler{}
	accepted := storedtest.Fill(t, f, func(t *transfer) { t.State = bank.Accepted })
	paid := storedtest.Fill(t, f, func(next *transfer) { next.ID, next.State = accepted.ID, bank.Paid })
	paid.LostAnswer = false // with a lost answer the statement line would have been written before
	read := func(want transfer) storedtest.Read {
		return storedtest.Expect("transfer", want, func(ctx context.Context) (transfer, error) {
			item, err := b.records.read(ctx, want.ID)
			return item.transfer, err
		})
	}
	statement := func(want ...bank.StatementLine) storedtest.Read {
		return storedtest.Expect("statement", want, func(ctx context.Context) ([]bank.StatementLine, error) {
			var lines []bank.StatementLine
			for _, since := range []time.Time{{}, clock.Start} {
				for l, err := range b.Statement(ctx, since) {
					if err != nil {
						return nil, err
					}
					l.LineID = "" // random
					lines = append(lines, l)
				}
			}
			return lines, nil
		})
	}
	line := func(of transfer) bank.StatementLine {
		return bank.StatementLine{ID: of.ID, Tenant: of.Tenant, Amount: of.Amount, At: clock.Start}
	}
	got, isNew, err := b.records.create(t.Context(), accepted)
	if diff := cmp.Diff(accepted, got, storedtest.Options); err != nil || !isNew || diff != "" {
		t.Fatalf("stored: new %t, %v (-want +got):\n%s", isNew, err, diff)
	}
	storedtest.RoundTrip(t, s, []storedtest.Read{read(accepted), statement(line(accepted), line(accepted))},
		storedtest.NotRead{"TRANSFER write_id": "a write recognises itself by it, see TestTransfer_LostReplyOfLostAnswer"})

	got, err = b.records.settle(t.Context(), paid)
	if diff := cmp.Diff(paid, got, storedtest.Options); err != nil || diff != "" {
		t.Fatalf("settled: %v (-want +got):\n%s", err, diff)
	}
	answers := []storedtest.Read{read(paid), statement(line(accepted), line(paid), line(accepted), line(paid))}
	storedtest.RoundTrip(t, s, answers, nil, cmp.Transformer("sorted", byContent))
}

// byContent counts equal lines of a statement. Their keys are random and cannot be compared.
func byContent(lines []bank.StatementLine) map[string]int {
	found := map[string]int{}
	for _, line := range lines {
		found[fmt.Sprintf("%+v", line)]++
	}
	return found
}
