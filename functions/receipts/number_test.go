package receipts_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

func TestReceiptNumber_FirstRead(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.OtherShop()
	first, second, theirs := s.Sell("10"), s.Sell("20"), other.Sell("30")
	refunded := refundEvent(s, first, "2.5")
	for _, c := range []struct {
		of    world.Shop
		id    string
		event int64
		want  string
	}{
		{s, second.Code, 0, "1"}, {s, first.ID, refunded, "2"}, {other, theirs.ID, 0, "1"}, {s, first.ID, 0, "3"},
		{s, second.ID, 0, "1"}, {s, first.Code, refunded, "2"}, {s, first.ID, 0, "3"},
	} {
		if got := receiptNumber(c.of, c.id, c.event); got != c.want {
			t.Errorf("receipt of %s %d: got number %s, want %s", c.id, c.event, got, c.want)
		}
	}
}

// shown holds the fields about the payment or refund on a receipt.
type shown struct {
	Amount    string
	Status    string
	Timestamp time.Time
	ReceiptNo string `json:"receipt_no"`
	Products  []struct {
		Total string `json:"total_with_vat"`
	}
	VATRates []struct{ Gross json.Number } `json:"vat_rates"`
	Events   []struct {
		ID        int64
		Type      string
		Status    string
		Amount    string
		ReceiptNo string `json:"receipt_no"`
	}
}

func readNumber(s world.Shop, id string, event int64) shown {
	s.Helper()
	var r struct {
		Data shown `json:"transaction_data"`
	}
	if err := receipt(s, id, event).Into(&r); err != nil {
		s.Fatal(err)
	}
	return r.Data
}

func TestRetrieveReceipt_Refund(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	id := refundEvent(s, p, "2.5")
	at := s.Clock.Now().UTC().Truncate(time.Millisecond)
	got := readNumber(s, p.ID, id)
	if got.Amount != "2.50" || got.Status != "SUCCESSFUL" || !got.Timestamp.Equal(at) || got.ReceiptNo != "1" ||
		got.Products[0].Total != "2.50" || got.VATRates[0].Gross != "2.50" {
		t.Errorf("refund: got %+v, want a SUCCESSFUL one of 2.50 at %s with number 1, and 2.50 in its product and VAT rate",
			got, at)
	}
	whole := readNumber(s, p.ID, 0)
	if whole.Amount != "10.10" || whole.ReceiptNo != "2" || len(whole.Events) != 2 {
		t.Fatalf("payment: got %+v, want 10.10 with number 2 and two events", whole)
	}
	for i, e := range whole.Events {
		want := []string{"PAYOUT SCHEDULED 7.40 ", "REFUND REFUNDED 2.50 1"}[i]
		if got := fmt.Sprintf("%s %s %s %s", e.Type, e.Status, e.Amount, e.ReceiptNo); got != want ||
			(e.Type == "REFUND") != (e.ID == id) {
			t.Errorf("event %d: got %s with id %d, want %s, and %d as the refund's", i, got, e.ID, want, id)
		}
	}
}

// TestReceiptNumber_NoMoneyMoved checks that a receipt without a movement of money says so, and has no number.
func TestReceiptNumber_NoMoneyMoved(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	declined, pending, paid := charge(s, "11", nil), charge(s, "42.25", nil), s.Sell("100")
	refused, waiting := refundEvent(s, paid, "42.01"), refundEvent(s, paid, "42.25")
	check := func(id string, event int64, status, number string) {
		t.Helper()
		if got := readNumber(s, id, event); got.Status != status || got.ReceiptNo != number {
			t.Errorf("%s %d: got %s, number %q, want %s, %q", id, event, got.Status, got.ReceiptNo, status, number)
		}
	}
	check(declined.ID, 0, "FAILED", "")
	check(pending.ID, 0, "PENDING", "")
	check(paid.ID, refused, "FAILED", "")
	check(paid.ID, waiting, "PENDING", "")
	check(paid.ID, 0, "SUCCESSFUL", "1")
	s.PassMinute()
	s.PassMinute()
	check(pending.ID, 0, "SUCCESSFUL", "2")
	check(paid.ID, waiting, "SUCCESSFUL", "3")
	check(declined.ID, 0, "FAILED", "")
	check(paid.ID, refused, "FAILED", "")
}

func TestReceiptNumber_ConcurrentReads(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	const receipts, readers = 5, 4
	var paid []world.Payment
	for range receipts {
		paid = append(paid, s.Sell("10"))
	}
	got := make([]string, receipts*readers)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i] = receiptNumber(s, paid[i%receipts].ID, 0) })
	}
	all.Wait()
	for i, n := range got {
		if n != got[i%receipts] {
			t.Errorf("receipt %d: got number %s, want %s, as its first reader", i%receipts, n, got[i%receipts])
		}
	}
	ofEach := slices.Sorted(slices.Values(got[:receipts]))
	if diff := cmp.Diff([]string{"1", "2", "3", "4", "5"}, ofEach); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

// TestReceiptNumber_EachFault checks that a first read that is interrupted leaves no gap in the numbers.
func TestReceiptNumber_EachFault(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10")
	receiptNumber(s, p.ID, 0)
	last := 1
	world.Everywhere(t, 4, func(step int, fault faults.Fault) []string {
		p := s.Sell("10")
		doomed := s.Process()
		doomed.Steps.Plan(step, fault)
		cut := doomed.Do(world.Request{Method: "GET", Path: receiptPath(s, p.ID, 0), APIKey: s.Merchant.Key.Plaintext})
		last++
		want := fmt.Sprint(last)
		if got := receiptNumber(s, p.ID, 0); got != want ||
			(cut.Status == 200 && cut.Text("transaction_data.receipt_no") != want) {
			t.Errorf("%s at step %d: got number %s, and before %d %s; want number %s, also in a 200 before",
				fault, step, got, cut.Status, cut.Body, want)
		}
		return doomed.Steps.Taken()
	})
}
