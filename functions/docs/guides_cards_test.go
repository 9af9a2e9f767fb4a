//go:build unix

package docs_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/platformtest"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// readTable returns the cells of the table in a section of a guide, without its head.
func readTable(t *testing.T, name, section string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("guides/" + name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## "+section+"\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, strings.Split(strings.Trim(line, "| \n"), " | "))
		}
	}
	return rows
}

// buyer makes payments and refunds them on a separate platform.
type buyer struct {
	*testing.T
	place platform.Folder
	env   map[string]string
}

func newBuyer(t *testing.T) buyer {
	t.Helper()
	home, env := platformtest.Start(t)
	return buyer{t, platform.Folder(filepath.Join(home, ".local")), env}
}

func (b buyer) do(method, path string, body any) client.Response {
	b.Helper()
	response, err := client.Client{BaseURL: b.env["BASE_URL"]}.Do(b.Context(), client.Request{
		Method: method, Path: path, APIKey: b.env["API_KEY"], Body: body})
	if err != nil {
		b.Fatal(err)
	}
	return response
}

// pay pays a new checkout and returns the reply.
func (b buyer) pay(amount, card string) client.Response {
	b.Helper()
	created := b.do(http.MethodPost, "/v0.1/checkouts", map[string]any{"checkout_reference": uuid.NewString(),
		"amount": json.Number(amount), "currency": "EUR", "merchant_code": b.env["MERCHANT_CODE"]})
	return b.do(http.MethodPut, "/v0.1/checkouts/"+created.Text("id"), map[string]any{"payment_type": "card",
		"card": map[string]any{"name": "Ada Lovelace", "number": card, "expiry_month": "12", "expiry_year": "2030",
			"cvv": "737"}})
}

// summary returns a reply in the form of the guide's tables, for example 200 `PAID`.
func summary(r client.Response) string {
	word := cmp.Or(r.Text("error_code"), r.Text("status"))
	if _, challenged := r.JSON()["next_step"]; challenged {
		word = "next_step"
	}
	return fmt.Sprintf("%d `%s`", r.Status, word)
}

// retrieveTransaction retrieves the only transaction of the checkout.
func (b buyer) retrieveTransaction(paid client.Response) (shown struct {
	Card   struct{ Type string }
	Events []struct{ Status string }
}) {
	b.Helper()
	var checkout struct{ Transactions []struct{ ID string } }
	if err := paid.Into(&checkout); err != nil || len(checkout.Transactions) != 1 {
		b.Fatalf("got %s and error %v, want a checkout with one transaction", paid.Body, err)
	}
	read := b.do(http.MethodGet, fmt.Sprintf("/v2.1/merchants/%s/transactions?id=%s", b.env["MERCHANT_CODE"],
		checkout.Transactions[0].ID), nil)
	if err := read.Into(&shown); err != nil {
		b.Fatal(err)
	}
	return shown
}

func wantSame(t *testing.T, want, got [][]string) {
	t.Helper()
	if diff := gocmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("%d rows; platform against guide (-guide +platform):\n%s", len(want), diff)
	}
}

// TestGuide_TestCards pays with each card of the guide, and checks that each reply is as the guide says.
func TestGuide_TestCards(t *testing.T) {
	t.Parallel()
	b := newBuyer(t)
	rows := readTable(t, "test-cards.md", "Cards")
	var got [][]string
	for _, row := range rows {
		paid := b.pay("10.00", strings.Trim(row[0], "`"))
		brand := row[1] // during a challenge there is no transaction to show yet
		if paid.Status == http.StatusOK {
			brand = "`" + b.retrieveTransaction(paid).Card.Type + "`"
		}
		got = append(got, []string{row[0], brand, summary(paid), row[3]})
	}
	wantSame(t, rows, got)
}

// TestGuide_TestAmounts pays each amount of the guide, and refunds the same amount from a payment of 100.00.
func TestGuide_TestAmounts(t *testing.T) {
	t.Parallel()
	b := newBuyer(t)
	rows := readTable(t, "test-cards.md", "Amounts")
	var got [][]string
	for _, row := range rows {
		amount := strings.Trim(row[0], "`")
		got = append(got, []string{row[0], summary(b.pay(amount, "4200000000000091")), b.refund(amount), row[3]})
	}
	wantSame(t, rows, got)
}

// refund makes a payment of 100.00 and refunds the amount from it. It returns the reply's status and the status of the
// refund's event. If the refund is refused, it returns the reply's summary.
func (b buyer) refund(amount string) string {
	b.Helper()
	paid := b.pay("100.00", "4200000000000091")
	reply := b.do(http.MethodPost, fmt.Sprintf("/v1.0/merchants/%s/payments/%s/refunds", b.env["MERCHANT_CODE"],
		paid.Text("transaction_id")), map[string]any{"amount": json.Number(amount)})
	if reply.Status != http.StatusCreated {
		return summary(reply)
	}
	events := b.retrieveTransaction(paid).Events
	return fmt.Sprintf("%d `%s`", reply.Status, events[len(events)-1].Status)
}

// TestGuide_TestBankAccounts adds each bank account of the guide, and pays out to the verified accounts.
func TestGuide_TestBankAccounts(t *testing.T) {
	t.Parallel()
	for _, row := range readTable(t, "test-cards.md", "Bank accounts") {
		t.Run(row[0], func(t *testing.T) {
			t.Parallel()
			b := newBuyer(t)
			got := []string{row[0], b.verify(strings.Trim(row[0], "`")), "none"}
			if got[1] == "`VERIFIED`" {
				got[2] = b.payOut()
			}
			wantSame(t, [][]string{row}, [][]string{got})
		})
	}
}

// verify adds a primary bank account and returns its status a minute later.
func (b buyer) verify(iban string) (status string) {
	b.Helper()
	const accounts = "/v0.1/me/merchant-profile/bank-accounts"
	added := b.do(http.MethodPost, accounts,
		map[string]any{"account_holder_name": "Ada", "iban": iban, "primary": true})
	if added.Status != http.StatusCreated {
		b.Fatalf("%s: got %d %s, want 201", iban, added.Status, added.Body)
	}
	b.advance("1m")
	b.waitUntil(func() bool {
		var all []struct{ IBAN, Status string }
		if err := b.do(http.MethodGet, accounts, nil).Into(&all); err != nil {
			b.Fatal(err)
		}
		status = all[len(all)-1].Status
		return all[len(all)-1].IBAN == iban && (status != "PENDING_VERIFICATION" || strings.HasSuffix(iban, "9999"))
	})
	return "`" + status + "`"
}

// payOut makes a payment and returns the status of its payout's record.
func (b buyer) payOut() (status string) {
	b.Helper()
	paid := b.pay("10.00", "4200000000000091")
	b.advance("24h")
	b.waitUntil(func() bool {
		event := b.retrieveTransaction(paid).Events[0].Status
		if event == "RECONCILED" {
			b.advance("15m")
		}
		return event == "PAID_OUT" || event == "FAILED"
	})
	var records []struct{ Status string }
	path := fmt.Sprintf("/v1.0/merchants/%s/payouts?start_date=2026-01-01&end_date=2099-12-31", b.env["MERCHANT_CODE"])
	if err := b.do(http.MethodGet, path, nil).Into(&records); err != nil || len(records) == 0 {
		b.Fatalf("got %d records and error %v, want one", len(records), err)
	}
	return "`" + records[0].Status + "`"
}

func (b buyer) advance(length string) {
	b.Helper()
	d, err := time.ParseDuration(length)
	if err == nil {
		err = b.place.Advance(b.Context(), d)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// waitUntil polls the platform until shows returns true.
func (b buyer) waitUntil(shows func() bool) {
	b.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !shows(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatal("got no outcome from the platform within two minutes, want one")
		}
	}
}
