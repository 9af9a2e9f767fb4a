package payments_test

import (
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestCodeWithin_EveryIdentifier checks that each identifier of a transaction leads to its code, for any attempt's id.
func TestCodeWithin_EveryIdentifier(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tx := transactionOf(t, rapid.String().Draw(t, "id"))
		if !codeForm.MatchString(tx.Code) || payments.CodeOfID(tx.ID) != tx.Code {
			t.Fatalf("%q: got code %s, want %s of the form %s", tx.ID, tx.Code, payments.CodeOfID(tx.ID), codeForm)
		}
		for what, id := range map[string]string{
			"client transaction id": tx.ClientTransactionID,
			"refund":                tx.RefundID(rapid.String().Draw(t, "operation")),
			"chargeback":            tx.ChargebackID(rapid.String().Draw(t, "chargeback")),
		} {
			if code, ok := payments.CodeWithin(id); !ok || code != tx.Code || !uuidV4.MatchString(id) {
				t.Fatalf("%s %s: got code %s, %t, want %s, true, and a UUID", what, id, code, ok, tx.Code)
			}
		}
		if code, ok := payments.CodeOfInternalID(tx.InternalID()); !ok || code != tx.Code {
			t.Fatalf("internal id %d: got code %s, %t, want %s, true", tx.InternalID(), code, ok, tx.Code)
		}
	})
}

// TestEventID_Distinct checks that an event's id follows from its cause and differs from all others.
func TestEventID_Distinct(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cause := rapid.String().Draw(t, "cause")
		a, b := transactionOf(t, "attempt-1"), transactionOf(t, "attempt-2")
		ids := map[string]bool{a.ClientTransactionID: true, a.RefundID(cause): true, a.RefundID(cause + "'"): true,
			a.ChargebackID(cause): true,
			b.ClientTransactionID: true, b.RefundID(cause): true, b.ChargebackID(cause): true}
		if len(ids) != 7 || !ids[transactionOf(t, "attempt-1").RefundID(cause)] {
			t.Fatalf("got ids %v, again %s, want 7 ids and the same again", ids, transactionOf(t, "attempt-1").RefundID(cause))
		}
		number := payments.Event{ID: a.RefundID(cause)}.NumericID()
		if number < 0 || number >= 1<<53 || number == (payments.Event{ID: b.RefundID(cause)}).NumericID() {
			t.Fatalf("got event number %d, another's %d, want different ones of 53 bits", number,
				payments.Event{ID: b.RefundID(cause)}.NumericID())
		}
	})
}

// TestCodeWithin_ForeignText checks that any text from a client leads to no code or to a code of the right form.
func TestCodeWithin_ForeignText(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9a-fA-F-]{0,40}`),
		rapid.StringMatching(`T?[0-9A-Z]{0,12}`),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 16, 16), func(b []byte) string { return uuid.UUID(b).String() }))
	rapid.Check(t, func(t *rapid.T) {
		id := text.Draw(t, "text")
		if code := payments.CodeOfID(id); !codeForm.MatchString(code) {
			t.Fatalf("%q: got code %q, want the form %s", id, code, codeForm)
		}
		if code, ok := payments.CodeWithin(id); ok && !codeForm.MatchString(code) {
			t.Fatalf("within %q: got code %q, want the form %s", id, code, codeForm)
		}
		if code, ok := payments.CodeOfInternalID(rapid.Int64().Draw(t, "number")); ok && !codeForm.MatchString(code) {
			t.Fatalf("of an internal id: got code %q, want the form %s", code, codeForm)
		}
	})
}

func TestCodeOfInternalID_OutOfRange(t *testing.T) {
	t.Parallel()
	for _, id := range []int64{-1, -1 << 63, 1<<63 - 1, 101559956668416 << 6} { // 36^9 codes
		if code, ok := payments.CodeOfInternalID(id); ok {
			t.Errorf("%d: got code %s, want none", id, code)
		}
	}
	if code, ok := payments.CodeOfInternalID(101559956668415 << 6); !ok || code != "TZZZZZZZZZ" {
		t.Errorf("the last code: got %s, %t, want TZZZZZZZZZ, true", code, ok)
	}
	for _, id := range []string{"", "ffffffff-ffff-4fff-bfff-ffffffffffff", "{00000000-0000-4000-8000-000000000000}",
		"00000000000040008000000000000000", "urn:uuid:00000000-0000-4000-8000-000000000000"} {
		if code, ok := payments.CodeWithin(id); ok {
			t.Errorf("%s: got code %s, want none", id, code)
		}
	}
}
