package transactions_test

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// persons holds a shop's employee and accountant, each with an access token. The shop has one payment by its key and
// one payment by the employee.
type persons struct {
	world.Shop
	employee, accountant world.Shop
	byKey, byEmployee    world.Payment
}

func newPersons(t *testing.T) persons {
	t.Helper()
	p := persons{Shop: world.NewShop(t)}
	p.employee = p.WithKey(p.TokenOf(p.Employ("till@example.com", member.Permissions{RefundTransactions: true})))
	books := member.Permissions{FullTransactionHistoryView: true}
	p.accountant = p.WithKey(p.TokenOf(p.Employ("books@example.com", books)))
	p.byKey = p.Sell("10")
	p.Clock.Advance(time.Second)
	p.byEmployee = p.employee.Sell("20")
	return p
}

func (p persons) reads(payment world.Payment) []string {
	mc, code := p.Merchant.Code, url.QueryEscape(payment.Code)
	return []string{"/v2.1/merchants/" + mc + "/transactions?id=" + payment.ID,
		"/v2.1/merchants/" + mc + "/transactions?foreign_transaction_id=" + payment.Reference,
		"/v0.1/me/transactions?transaction_code=" + code, "/v1.1/receipts/" + payment.ID + "?mid=" + mc}
}

// TestTransactionAccess_Employee checks that a person without full_transaction_history_view sees only payments of the
// person's own checkouts (contract §13.9).
func TestTransactionAccess_Employee(t *testing.T) {
	t.Parallel()
	p := newPersons(t)
	for _, c := range []struct {
		name    string
		by      world.Shop
		payment world.Payment
		want    int
	}{
		{"the employee, its own", p.employee, p.byEmployee, 200}, {"the employee, another's", p.employee, p.byKey, 404},
		{"the accountant", p.accountant, p.byEmployee, 200}, {"the accountant, the key's", p.accountant, p.byKey, 200},
		{"a key", p.Shop, p.byEmployee, 200},
	} {
		for _, path := range p.reads(c.payment) {
			if got := c.by.Send("GET", path, nil); got.Status != c.want {
				t.Errorf("%s, %s: got %d %s, want %d", c.name, path, got.Status, got.Body, c.want)
			}
		}
	}
	if got := p.Transaction("id=" + p.byEmployee.ID).Text("username"); got != "till@example.com" {
		t.Errorf("got username %q, want the employee's", got)
	}
	if got := p.Transaction("id=" + p.byKey.ID).Text("username"); got != "kaffee@example.com" {
		t.Errorf("got username %q, want the owner's", got)
	}
}

// TestRefund_Employee checks that a person can refund only with the permission to refund, and only a payment that the
// person can see.
func TestRefund_Employee(t *testing.T) {
	t.Parallel()
	p := newPersons(t)
	for name, c := range map[string]struct {
		by      world.Shop
		payment world.Payment
		want    int
	}{
		"its own": {p.employee, p.byEmployee, 204}, "another's": {p.employee, p.byKey, 404},
		"without the permission": {p.accountant, p.byKey, 403},
	} {
		p.Want(name, c.want, c.by.Send("POST", "/v0.1/me/refund/"+c.payment.ID, map[string]any{"amount": 1}))
	}
}

// TestListTransactions_Employee checks that the pages list all payments of the person, among any number of other items.
func TestListTransactions_Employee(t *testing.T) {
	t.Parallel()
	p := newPersons(t)
	want := []string{p.byEmployee.ID}
	for range 3 {
		p.Clock.Advance(time.Second)
		p.Sell("1")
		p.Clock.Advance(time.Second)
		want = append(want, p.employee.Sell("2").ID)
	}
	p.Clock.Advance(time.Second)
	p.Refund(p.byKey, "1")
	for path, filter := range map[string]string{"/v2.1/merchants/" + p.Merchant.Code + "/transactions/history": "",
		"/v0.1/me/transactions/history": "&users[]=till@example.com"} {
		for _, limit := range []string{"1", "100"} {
			var got []string
			for query := "limit=" + limit + filter; query != ""; {
				var page struct {
					Items []struct{ ID, User string }
					Links []struct{ Href string }
				}
				if r := p.employee.Send("GET", path+"?"+query, nil); r.Status != 200 || r.Into(&page) != nil {
					t.Fatalf("%s: got %d %s, want a page", query, r.Status, r.Body)
				}
				query = ""
				for _, link := range page.Links {
					query = link.Href
				}
				for _, item := range page.Items {
					got = append(got, item.ID)
					if item.User != "till@example.com" {
						t.Errorf("got user %q, want the employee", item.User)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s a page: got %q, want %q", path, limit, got, want)
			}
		}
		var one struct{ Items []any }
		r := p.employee.Send("GET", path+"?transaction_code="+p.byKey.Code, nil)
		if err := r.Into(&one); err != nil || r.Status != 200 || len(one.Items) > 0 {
			t.Errorf("another's code: got %d %s, want no items", r.Status, r.Body)
		}
	}
}
