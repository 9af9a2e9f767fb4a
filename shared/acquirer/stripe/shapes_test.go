package stripe_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// mock is Stripe's own mock. It checks the shape of each request against the description of Stripe's API, and answers
// with fixed objects.
const mock = "github.com/stripe/stripe-mock@v0.203.0"

// startMock starts the mock, and returns its address.
func startMock(t *testing.T) string {
	t.Helper()
	folder, address := t.TempDir(), fmt.Sprintf("127.0.0.1:%d", enginetest.FreePort(t))
	install := exec.CommandContext(t.Context(), "go", "install", mock)
	install.Env = append(os.Environ(), "GOBIN="+folder)
	if output, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, output)
	}
	mock := exec.CommandContext(t.Context(), filepath.Join(folder, "stripe-mock"), "-http-addr", address)
	enginetest.StartServer(t, mock, address)
	return "http://" + address
}

// TestRequests_Shapes checks the shape of every kind of request by Stripe's own mock.
func TestRequests_Shapes(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	w := newFixture(t)
	w.useEverything(t)
	address, tried := startMock(t), map[string]bool{}
	for _, taken := range w.api.Taken {
		parts := strings.SplitN(taken, " ", 3)
		status, answer := sendTo(t, parts[0], address+parts[1], parts[2])
		if tried[parts[0]+" "+someID.ReplaceAllString(parts[1], "{id}")] = true; status != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", taken, status, answer)
		}
	}
	if len(tried) < 14 {
		t.Errorf("got requests %v, want 14 kinds", tried)
	}
}

// someID matches an id of the stand-in.
var someID = regexp.MustCompile(`[a-z]+_[0-9]{24}`)

// sendTo sends a form, or a query, and returns the answer.
func sendTo(t *testing.T, method, url, form string) (status int, answer string) {
	t.Helper()
	if method == http.MethodGet {
		url, form = url+"?"+form, ""
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "Bearer "+stripetest.Key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// useEverything makes each call of the acquirer, with each method.
func (w *fixture) useEverything(t *testing.T) {
	t.Helper()
	for _, m := range []payments.Method{payments.IDEAL, payments.Bancontact, payments.EPS, payments.P24, payments.Twint,
		payments.PayPal, payments.Satispay, payments.Boleto, payments.Pix} {
		w.mustCharge(t, methodCharge(string(m), m, "10", "EUR"))
	}
	w.mustCharge(t, walletCharge("wallet"))
	w.mustCharge(t, cardCharge("declined", stripetest.DecliningCard, "10"))
	w.mustCharge(t, cardCharge("asked", stripetest.AskingCard, "10"))
	stored := cardCharge("stored", plainCard, "10")
	stored.Store, stored.Customer, stored.Seller.Account = true, "ada", "acct_1"
	stored.Consent = &payments.Consent{IP: "192.0.2.1", UserAgent: "browser"}
	saved := cardCharge("saved", plainCard, "10")
	saved.Card, saved.Token, saved.Customer = nil, w.mustCharge(t, stored).Card.AcquirerToken, "ada"
	saved.Agreement = &acquirer.Agreement{}
	w.mustCharge(t, saved)
	for id, amount := range map[string]string{"free": "0", "held": "1"} {
		c := cardCharge(id, plainCard, amount)
		c.Verification = true
		w.mustCharge(t, c)
	}
	ctx, ten := t.Context(), money.MustParse("10", "EUR")
	_, lookUpErr := w.LookUp(ctx, "asked")
	_, cancelErr := w.Cancel(ctx, "asked")
	_, refundErr := w.Refund(ctx, acquirer.Refund{ID: "r", ChargeID: "stored", Amount: ten})
	_, pendingErr := w.Refund(ctx, acquirer.Refund{ID: "p", ChargeID: "saved", Amount: money.MustParse("42.25", "EUR")})
	_, foundErr := w.CancelRefund(ctx, "p")
	for _, err := range []error{lookUpErr, cancelErr, refundErr, pendingErr, foundErr,
		w.DeleteCard(ctx, saved.Token)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.api.Dispute("du_1", w.ours("stored"), 1000, -1000)
	w.statement(t, time.Time{})
	w.statement(t, w.Now())
	for _, err := range w.Hints(ctx, w.Now()) {
		if err != nil {
			t.Fatal(err)
		}
	}
}
