package stripe

import (
	"context"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/table"
)

// recognised is the reason why the field write_id may be missing from what a read returns.
const recognised = "a write recognises itself by it, see TestAcquirer_EveryRule/Charge_Interrupted"

// TestRecords_EachFieldReadBack checks that each stored attribute is read back and that no field is left unstored.
func TestRecords_EachFieldReadBack(t *testing.T) {
	t.Parallel()
	s := storedtest.Open(t, clock.New().Now, nil)
	db, items := s.Raw()
	b, filler := records{table.Client{DB: db, Table: items, Now: clock.New().Now}}, &storedtest.Filler{}
	final := storedtest.Fill[outcome](t, filler)
	decided := storedtest.Fill(t, filler, func(c *charge) { c.Closing, c.Outcome = &final, &final })
	pinned := decided
	pinned.Outcome = nil
	if stored, isOurs, err := b.create(t.Context(), pinned); err != nil || !isOurs || stored != pinned {
		t.Fatalf("got %+v, %t, %v, want the charge pinned", stored, isOurs, err)
	}
	if _, err := b.update(t.Context(), decided); err != nil {
		t.Fatal(err)
	}
	waiting := storedtest.Fill(t, filler, func(c *charge) { c.Closing, c.Outcome = &final, &final })
	waiting.Outcome = nil
	if _, _, err := b.create(t.Context(), waiting); err != nil {
		t.Fatal(err)
	}
	unsent := storedtest.Fill(t, filler, func(r *refund) { r.Outcome = &final })
	made := unsent
	unsent.Name, unsent.Outcome = "", nil
	if _, err := b.createRefund(t.Context(), unsent); err != nil {
		t.Fatal(err)
	}
	if _, err := b.updateRefund(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if name, err := b.createCustomer(t.Context(), "T#MC1", "ada", "cus_1"); err != nil || name != "cus_1" {
		t.Fatalf("got %q, %v, want the customer stored", name, err)
	}
	storedtest.RoundTrip(t, s, []storedtest.Read{
		storedtest.Expect("charge", decided, func(ctx context.Context) (charge, error) {
			return b.readCharge(ctx, decided.ID)
		}),
		storedtest.Expect("pinned charge", waiting, func(ctx context.Context) (charge, error) {
			return b.readCharge(ctx, waiting.ID)
		}),
		storedtest.Expect("refund", made, func(ctx context.Context) (refund, error) { return b.readRefund(ctx, made.ID) }),
		storedtest.Expect("customer", "cus_1", func(ctx context.Context) (string, error) {
			return b.readCustomer(ctx, "T#MC1", "ada")
		}),
	}, storedtest.NotRead{"CHARGE write_id": recognised})
}

// TestOutcome_InPort checks that the form of the port has each stored field of an outcome.
func TestOutcome_InPort(t *testing.T) {
	t.Parallel()
	o := storedtest.Fill[outcome](t, &storedtest.Filler{})
	got := o.inPort()
	if back := (outcome{got.Decision, got.AuthCode, got.ReturnCode, got.Card, got.AcquirerReference,
		got.NetworkTransactionID, got.ThreeDS, got.NeverRetry}); back != o {
		t.Errorf("got %+v, want %+v", back, o)
	}
}
