package inspector_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// TestOverview_WaitingForPayer checks that a checkout is listed, with links to issuer or bank, until the payer has
// acted.
func TestOverview_WaitingForPayer(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	challenged := f.create("challenged", nil)
	f.ask(http.MethodPut, "/v0.1/checkouts/"+challenged, byCard(client.Challenged), http.StatusAccepted)
	bank := f.create("bank", object{"redirect_url": "https://shop.example/thanks"})
	who := object{"first_name": "Ada", "last_name": "Lovelace", "email": "ada@example.com",
		"address": object{"country": "NL"}}
	f.ask(http.MethodPut, "/v0.1/checkouts/"+bank, object{"payment_type": "ideal", "personal_details": who}, http.StatusOK)
	f.want(f.get("/sandbox", http.StatusOK), "Open page of challenged", "Open page of bank", "€10.10 by iDEAL")

	lead := func(id string) client.Response {
		t.Helper()
		got, err := f.Do(t.Context(), client.Request{Method: http.MethodPost, Path: "/sandbox/payer",
			Body: url.Values{"merchant_code": {f.env["MERCHANT_CODE"]}, "checkout_id": {id}}})
		if err != nil || got.Status != http.StatusOK {
			t.Fatalf("got %d %s, error %v, want 200", got.Status, got.Body, err)
		}
		return got
	}
	f.want(string(lead(bank).Body), "Go to the bank&#39;s page", f.BaseURL+"/apm/")
	form, err := lead(challenged).FormTo(f.BaseURL + "/3ds/challenge")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := f.Do(t.Context(), form.Request())
	if err != nil || asked.Status != http.StatusOK {
		t.Fatalf("the issuer's page: got %d %s, error %v, want 200", asked.Status, asked.Body, err)
	}
	f.ask(http.MethodDelete, "/v0.1/checkouts/"+challenged, nil, http.StatusOK)
	f.want(string(lead(challenged).Body), "No payer is needed")
	if page := f.get("/sandbox", http.StatusOK); strings.Contains(page, "Open page of challenged") {
		t.Errorf("got %s, want no checkout on it that waits for nobody", page)
	}
}

func TestButton_PayBoleto(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	f.env["MERCHANT_CODE"], f.env["API_KEY"] = f.env["BRL_MERCHANT_CODE"], f.env["BRL_API_KEY"]
	id := f.create("boleto", object{"currency": "BRL", "redirect_url": "https://shop.example/thanks"})
	f.ask(http.MethodPut, "/v0.1/checkouts/"+id, object{"payment_type": "pix"}, http.StatusOK)
	f.want(f.get("/sandbox", http.StatusOK), `aria-label="Pay boleto"`)
	form := url.Values{"merchant_code": {f.env["MERCHANT_CODE"]}, "checkout_id": {id}}
	f.want(f.pressButton("pay_voucher", form), "The code is paid.", "R$10.10 SUCCESSFUL")
	if got := f.ask(http.MethodGet, "/v0.1/checkouts/"+id, nil, http.StatusOK); got.Text("status") != "PAID" {
		t.Errorf("got %s, want PAID", got.Body)
	}
	form.Set("checkout_id", f.create("unpaid", object{"currency": "BRL"}))
	f.want(f.pressButton("pay_voucher", form), `class="bad"`, "does not wait for a boleto or Pix payment")
}

// TestButton_Operator checks chargebacks, resending, payouts, offline readers and the clock.
func TestButton_Operator(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	f.want(f.pressButton("run_payouts", nil), "There is nothing to pay out: pay a checkout first.")
	developer := newReceiver(t)
	paid := f.pay(f.create("coffee", object{"return_url": developer.URL}))
	code := paid.Text("transaction_code")
	f.pay(f.create("cake", nil))
	first := <-developer.got
	page := ""
	f.waitUntil("the callback on the page", func() bool {
		page = f.get("/sandbox", http.StatusOK)
		return strings.Contains(page, "msg_")
	})
	_, id, _ := strings.Cut(page, `aria-label="Resend `)
	id, _, _ = strings.Cut(id, `"`)
	f.waitUntil("the callback again", func() bool { // the callback cannot be resent while its first delivery is recorded
		f.pressButton("resend_callback", url.Values{"id": {id}})
		return len(developer.got) > 0
	})
	if again := <-developer.got; again != first {
		t.Errorf("got %s again, want %s", again, first)
	}
	f.want(f.pressButton("resend_callback", url.Values{"id": {"msg_none"}}), "There is no such callback.")

	of := url.Values{"merchant_code": {f.env["MERCHANT_CODE"]}, "transaction": {code}}
	f.want(f.pressButton("charge_back", of), code+" is charged back.", "€10.10 CHARGEBACK")
	f.want(f.pressButton("run_payouts", nil), "Paid out: T#"+f.env["MERCHANT_CODE"], "EUR of", ": PAID.",
		"ahead of the real time", "€10.10 PAID_OUT")
	f.want(f.pressButton("advance_clock", url.Values{"by": {"7d"}}), "The clock has moved.", "7d ")
	f.want(f.pressButton("advance_clock", url.Values{"by": {"never"}}), "is not a duration above zero")
}

// TestButton_ReaderOffline also puts the reader back online.
func TestButton_ReaderOffline(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	readers := "/v0.1/merchants/" + f.env["MERCHANT_CODE"] + "/readers"
	id := f.ask(http.MethodPost, readers, object{"pairing_code": "ABCD1234", "name": "Counter"},
		http.StatusCreated).Text("id")
	f.waitUntil("a reader that has confirmed", func() bool {
		return strings.Contains(f.get("/sandbox", http.StatusOK), "Take offline: Counter")
	})
	of := url.Values{"merchant_code": {f.env["MERCHANT_CODE"]}, "reader_id": {id}, "offline": {"true"}}
	f.want(f.pressButton("set_reader_offline", of), "The reader is offline.", "Put online: Counter")
	amount := object{"total_amount": object{"currency": "EUR", "minor_unit": 2, "value": 100}}
	refused := f.ask(http.MethodPost, readers+"/"+id+"/checkout", amount, http.StatusUnprocessableEntity)
	f.want(f.get("/sandbox/requests/"+refused.Header.Get("X-Request-Id"), http.StatusOK), "<td>terminal</td>")
	of.Set("offline", "false")
	f.want(f.pressButton("set_reader_offline", of), "The reader is online.", "Take offline: Counter")
	of.Set("reader_id", "rdr_none")
	f.want(f.pressButton("set_reader_offline", of), "The merchant has no such virtual reader.")
}

// TestButton_PayPixAtReader also checks that the button names the reader.
func TestButton_PayPixAtReader(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	f.env["MERCHANT_CODE"], f.env["API_KEY"] = f.env["BRL_MERCHANT_CODE"], f.env["BRL_API_KEY"]
	readers := "/v0.1/merchants/" + f.env["MERCHANT_CODE"] + "/readers"
	reader := readers + "/" + f.ask(http.MethodPost, readers, object{"pairing_code": "ABCD1234", "name": "Counter"},
		http.StatusCreated).Text("id")
	f.waitUntil("a reader that has confirmed", func() bool {
		return strings.Contains(f.get("/sandbox", http.StatusOK), "Take offline: Counter")
	})
	id := f.ask(http.MethodPost, reader+"/checkout", object{"payment_type": "pix", "total_amount": object{
		"currency": "BRL", "minor_unit": 2, "value": 1010}}, http.StatusCreated).Text("data.checkout_id")
	f.want(f.get("/sandbox", http.StatusOK), `aria-label="Pay Counter"`)
	form := url.Values{"merchant_code": {f.env["MERCHANT_CODE"]}, "checkout_id": {id}}
	f.want(f.pressButton("pay_voucher", form), "The code is paid.", "R$10.10 SUCCESSFUL")
	if got := f.ask(http.MethodGet, reader+"/checkout/"+id, nil, http.StatusOK); got.Text("data.status") != "successful" {
		t.Errorf("got %s, want it successful", got.Body)
	}
}
