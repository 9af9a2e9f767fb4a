package checkouts_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// largeCheckout returns a checkout with every field as long as clients can make it, and 100 attempts. A quote takes the
// most bytes in a function's answer.
func largeCheckout(at time.Time) payments.Checkout {
	amount := money.MustParse("10.10", "EUR")
	link := "https://shop.example/" + strings.Repeat("x", 2027)
	c := payments.Checkout{ID: uuid.NewString(), Reference: uuid.NewString(), Amount: amount, CreatedAt: at,
		Status: payments.CheckoutFailed, Purpose: payments.PurposeCheckout, Description: strings.Repeat(`"`, 1000),
		RedirectURL: link, ReturnURL: link}
	for range 100 {
		c.Transactions = append(c.Transactions, payments.CheckoutTransaction{ID: uuid.NewString(), Amount: amount,
			Status: payments.TransactionFailed, PaymentType: "ECOM", EntryMode: "CUSTOMER_ENTRY", Installments: 1,
			CreatedAt: at})
	}
	return c
}

// TestListCheckouts_LargestCheckouts checks that the list of the largest checkouts ends before a function's answer has
// 6 MB, which Lambda refuses. The list has the newest checkouts, newest first.
func TestListCheckouts_LargestCheckouts(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	var newest []string
	for i := range 150 {
		at := world.Start.Add(time.Duration(i) * time.Second)
		c, err := s.App.Store.CreateCheckout(t.Context(), s.Tenant(), largeCheckout(at))
		if err != nil {
			t.Fatal(err)
		}
		newest = append([]string{c.ID}, newest...)
	}
	request := world.Request{Method: "GET", Path: "/v0.1/checkouts", APIKey: s.Merchant.Key.Plaintext}
	response := s.Main().DoUnchecked(request)
	var got []string
	for _, one := range listed(t, response) {
		var c struct{ ID string }
		if err := json.Unmarshal(one, &c); err != nil {
			t.Fatal(err)
		}
		got = append(got, c.ID)
	}
	if len(got) == len(newest) || !slices.Equal(got, newest[:len(got)]) {
		t.Errorf("got %d checkouts, want fewer than %d, the newest first", len(got), len(newest))
	}
	var answer bytes.Buffer
	encoder := json.NewEncoder(&answer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(string(response.Body)); err != nil {
		t.Fatal(err)
	}
	size := answer.Len()
	t.Logf("%d checkouts, %d bytes in the body, %d in the answer", len(got), len(response.Body), size)
	if size < 4_900_000 || size > 5_001_000 {
		t.Errorf("got %d bytes in the answer, want close to 5 MB", size)
	}
}
