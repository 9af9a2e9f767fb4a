package readers_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
)

// newPixTill returns a till of a merchant in Brazil.
func newPixTill(t testing.TB) till {
	t.Helper()
	return tillOf(world.NewShop(t).WithCallbacks().NewShop("BR", "BRL", nil), "TILL0001")
}

// pixBody returns the body of a checkout that is paid by a Pix code.
func (c till) pixBody(more map[string]any) map[string]any {
	body := c.SaleBody(1010)
	body["payment_type"] = "pix"
	maps.Copy(body, more)
	return body
}

// showPix makes the terminal show a Pix code for 10.10, and returns the checkout's id.
func (c till) showPix(more map[string]any) string {
	c.Helper()
	made := c.Must(201, c.Send("POST", c.Path("/checkout"), c.pixBody(more)))
	checkout := made.Text("data.checkout_id")
	if got := c.Read(checkout); got.Text("data.status") != "pending" || got.Text("data.payment_type") != "pix" {
		c.Errorf("got %s, want it pending, by pix", got.Body)
	}
	return checkout
}

// payCode pays the Pix code by an operator's command. It returns the code of the refusal, or "".
func (c till) payCode(checkout string) string {
	c.Helper()
	err := client.Invoke(c.Main().Invoke).Operate(c.Context(), map[string]any{"command": "pay_voucher",
		"merchant_code": c.Merchant.Code, "checkout_id": checkout}, nil)
	var refused *client.Refusal
	if errors.As(err, &refused) {
		return refused.Code
	}
	if err != nil {
		c.Error(err)
	}
	return ""
}

// payElsewhere pays the Pix code at the acquirer without telling the platform.
func (c till) payElsewhere(checkout string) error {
	c.Helper()
	stored, err := c.App.Store.AnyCheckout(c.Context(), c.Tenant(), checkout)
	if err == nil {
		_, err = c.App.Sandbox.PayVoucher(c.Context(), stored.Attempt.ID)
	}
	return err
}

// TestPix_Paid checks that an operator's command pays the code, with the tip, and pays it only once. The reader is busy
// until the payment, and free directly afterwards.
func TestPix_Paid(t *testing.T) {
	t.Parallel()
	c := newPixTill(t)
	checkout := c.showPix(map[string]any{"tip_rates": []any{0.1}, "installments": 1})
	if got := c.payCode(checkout); got != "CONFLICT" {
		t.Errorf("pay before the tip is selected: got %q, want CONFLICT", got)
	}
	c.Clock.Advance(pays)
	wantFate(c, checkout, waits)
	if got := c.Send("GET", c.Path("/status"), nil); got.Text("data.state") != "WAITING_FOR_CARD" {
		t.Errorf("status: got %s, want WAITING_FOR_CARD", got.Body)
	}
	wantRefusal(t, c.Do(c.SaleRequest(1010)), busy, "READER_BUSY")
	for range 2 {
		if got := c.payCode(checkout); got != "" {
			t.Errorf("pay: got %s, want no error", got)
		}
		wantFate(c, checkout, paid)
	}
	read := c.Read(checkout)
	if read.Text("data.payment_type") != "pix" || read.Text("data.payment_status") != "SUCCESSFUL" {
		t.Errorf("got %s, want a Pix payment that is SUCCESSFUL", read.Body)
	}
	world.Holds(t, c.Transaction("client_transaction_id="+read.Text("data.client_transaction_id")).Body, map[string]string{
		"payment_type": `"POS"`, "entry_mode": `"QR_CODE_PIX"`, "amount": "11.11", "tip_amount": "1.01", "card": "",
		"simple_payment_type": "", "verification_method": "", "process_as": "", "installments_count": "1"})
	next := c.Begin(1010)
	c.Clock.Advance(pays)
	wantFate(c, next, paid)
	if got := c.Read(next).Text("data.payment_type"); got != "card" {
		t.Errorf("a card: got payment_type %s, want card", got)
	}
	if got := c.payCode(next); got != "CONFLICT" {
		t.Errorf("pay a card's checkout: got %q, want CONFLICT", got)
	}
}

// pixEnds lists the ways to end a checkout without a payment of its code.
var pixEnds = map[string]struct {
	end  func(till)
	want fate
}{
	"expired": {func(c till) {
		c.Clock.Advance(2 * time.Minute)
		c.RunUntilIdle()
	}, forgotten},
	"terminated": {func(c till) { c.Terminate() }, stopped},
	"deleted":    {func(c till) { c.Send("DELETE", c.Path(""), nil) }, stopped},
	"offline and expired": {func(c till) {
		c.SetOffline(true)
		c.Clock.Advance(2 * time.Minute)
		c.RunUntilIdle()
	}, forgotten},
}

// TestPix_NotPaid checks that each way in pixEnds cancels the code at the acquirer. The acquirer then refuses a late
// payment.
func TestPix_NotPaid(t *testing.T) {
	t.Parallel()
	for name, way := range pixEnds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newPixTill(t)
			checkout := c.showPix(nil)
			c.Clock.Advance(pays)
			wantFate(c, checkout, waits)
			way.end(c)
			wantFate(c, checkout, way.want)
			if err := c.payElsewhere(checkout); !errors.Is(err, sandbox.ErrNotPayable) {
				t.Errorf("a late payment: got error %v, want ErrNotPayable", err)
			}
			if got := c.payCode(checkout); got != "CONFLICT" {
				t.Errorf("a late payment by an operator: got %q, want CONFLICT", got)
			}
			c.runToEnd()
			wantFate(c, checkout, way.want)
			if name != "expired" && name != "terminated" {
				return
			}
			if got := c.payCode(c.showPix(nil)); got != "" { // the reader is free again
				t.Errorf("the next: got %s, want no error", got)
			}
		})
	}
}

// TestPix_PaidFirst checks that a payment of the code is recorded. The platform finds the payment by a poll, or while
// it ends the checkout.
func TestPix_PaidFirst(t *testing.T) {
	t.Parallel()
	ends := map[string]func(till){"poll": func(c till) {
		c.Relay()
		c.Clock.Advance(6 * time.Second)
		c.Relay()
	}}
	for name, way := range pixEnds {
		ends[name] = way.end
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newPixTill(t)
			checkout := c.showPix(nil)
			if err := c.payElsewhere(checkout); err != nil {
				t.Fatal(err)
			}
			end(c)
			if got := c.CheckoutRecords(checkout); got.Captured != 1 || got.Transactions["SUCCESSFUL"] != 1 {
				t.Errorf("got %+v, want one payment", got)
			}
			wantFate(c, checkout, paid)
			c.runToEnd()
			wantFate(c, checkout, paid)
		})
	}
}

// TestPix_TerminatedAndPaid terminates a checkout whose code is already paid, and a checkout whose code is not paid.
// After every fault at every step of the termination, the checkout has only one outcome.
func TestPix_TerminatedAndPaid(t *testing.T) {
	t.Parallel()
	for name, isPaid := range map[string]bool{"paid": true, "not paid": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newPixTill(t)
			c.Attempts(6, func(try string, send func(world.Request) world.Response) {
				checkout := c.showPix(nil)
				want := stopped
				if isPaid {
					want = paid
					if err := c.payElsewhere(checkout); err != nil {
						t.Errorf("%s: %v", try, err)
					}
				}
				send(world.Request{Method: "POST", Path: c.Path("/terminate")})
				c.runToEnd()
				wantOneOf(c, checkout, try, want)
				if err := c.payElsewhere(checkout); !isPaid && !errors.Is(err, sandbox.ErrNotPayable) {
					t.Errorf("%s: a late payment: got error %v, want ErrNotPayable", try, err)
				}
			})
		})
	}
}

// TestPix_Refused checks that Pix requires a merchant in Brazil, the currency BRL, and a reader that shows codes.
// Fields for cards are refused (contract §13.9).
func TestPix_Refused(t *testing.T) {
	t.Parallel()
	brazil := newPixTill(t)
	germany := tillOf(brazil.NewShop("DE", "EUR", nil), "TILL0001")
	abroad := tillOf(brazil.NewShop("BR", "EUR", nil), "TILL0001")
	of := func(field string, value any) map[string]any { return map[string]any{field: value} }
	for _, c := range []struct {
		name   string
		at     till
		more   map[string]any
		fields []string // refused with 422; nil if payment_type gets 400 INVALID
	}{
		{"another country", germany, nil, []string{"payment_type"}},
		{"another currency", abroad, nil, []string{"payment_type"}},
		{"card_type", brazil, of("card_type", "credit"), []string{"card_type"}},
		{"installments", brazil, of("installments", 2), []string{"installments"}},
		{"nothing to pay", brazil, of("total_amount", map[string]any{"currency": "BRL", "minor_unit": 2, "value": 0}),
			[]string{"total_amount"}},
		{"all", germany, map[string]any{"card_type": "debit", "installments": 3},
			[]string{"payment_type", "card_type", "installments"}},
		{"boleto", brazil, of("payment_type", "boleto"), nil},
		{"capitals", brazil, of("payment_type", "PIX"), nil},
		{"empty", brazil, of("payment_type", ""), nil},
		{"a number", brazil, of("payment_type", 1), nil},
	} {
		got := c.at.Send("POST", c.at.Path("/checkout"), c.at.pixBody(c.more))
		if c.fields == nil {
			world.Invalid("payment_type").Check(t, got)
			continue
		}
		forOthers.Check(t, got)
		var shape struct{ Errors map[string][]string }
		err := got.Into(&shape)
		for _, field := range c.fields {
			if err != nil || len(shape.Errors) != len(c.fields) || len(shape.Errors[field]) == 0 {
				t.Errorf("%s: got %s, %v, want errors of %v", c.name, got.Body, err, c.fields)
			}
		}
	}
	r, err := brazil.App.Store.CardReader(t.Context(), brazil.Tenant(), brazil.ID)
	if err == nil {
		r.Model = "air"
		_, err = brazil.App.Store.SaveCardReader(t.Context(), brazil.Tenant(), r)
	}
	if err != nil {
		t.Fatal(err)
	}
	forOthers.Check(t, brazil.Send("POST", brazil.Path("/checkout"), brazil.pixBody(nil)))
	body := brazil.SaleBody(1010)
	body["payment_type"] = "card"
	checkout := brazil.Send("POST", brazil.Path("/checkout"), body).Text("data.checkout_id")
	brazil.Clock.Advance(pays)
	wantFate(brazil, checkout, paid)
}

// TestPix_TestAmounts checks the test amounts for which the acquirer refuses the payment, or gives no outcome at first.
// They are the same as for cards (contract §12).
func TestPix_TestAmounts(t *testing.T) {
	t.Parallel()
	c := newPixTill(t)
	of := func(value int64) map[string]any {
		return map[string]any{"total_amount": c.SaleBody(value)["total_amount"]}
	}
	notTaken := c.Send("POST", c.Path("/checkout"), c.pixBody(of(4224))).Text("data.checkout_id")
	wantFate(c, notTaken, fate{"cancelled", "the acquirer did not take the payment", 1, 0, map[string]int{"CANCELLED": 1}})
	unknown := c.showPix(of(4225))
	wantFate(c, unknown, fate{"pending", "", 0, 0, map[string]int{"PENDING": 1}})
	c.Clock.Advance(40 * time.Second)
	wantFate(c, unknown, paid)
}
