package contract_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
)

// sendSpelled sends the operation's example, changed by spell, like a client that ignores the document. It returns the
// fault, or "taken".
func sendSpelled(shop world.Shop, o checker.Operation, member string, spell func(*world.Request)) string {
	one := examples.NewFixture(shop)
	request := one.Request(o, exampleWithMember[o.OperationID+" "+member])
	spell(&request)
	got := one.Main().DoUnchecked(request)
	if got.Status < 400 {
		return "taken"
	}
	return got.Text("error_code") + got.Text("error") + " " + got.Text("param")
}

// TestBodies_OtherSpellings checks that each body accepts an empty array in place of an empty object, and an integer
// with a fraction of zero (contract §2.2).
func TestBodies_OtherSpellings(t *testing.T) {
	t.Parallel()
	shop := world.New(t).Shop().WithCallbacks()
	objects, integers := 0, 0
	for _, o := range examples.All(t) {
		for _, member := range o.InputsIn("json") {
			if strings.Contains(member.Path, "[]") { // members inside lists are read like other members
				continue
			}
			send := func(value any) string {
				return sendSpelled(shop, o, member.Path, func(r *world.Request) {
					r.Body = withValue(t, o, r.Body, member.Path, value)
				})
			}
			var as, want any
			switch {
			case member.Is("object"):
				objects++
				as, want = []any{}, map[string]any{}
			case member.Is("integer"):
				integers++
				as, want = json.RawMessage("12.0"), 12
			default:
				continue
			}
			if got, want := send(as), send(want); got != want {
				t.Errorf("%s, %s of %v: got %q, want %q", o.OperationID, member.Path, as, got, want)
			}
		}
	}
	if objects < 30 || integers < 5 {
		t.Errorf("got %d objects and %d integers, want 30 and 5 or more", objects, integers)
	}
}

// TestQueries_OtherSpellings checks that queries accept booleans as PHP and .NET clients write them (contract §2.2).
func TestQueries_OtherSpellings(t *testing.T) {
	t.Parallel()
	shop := world.New(t).Shop().WithCallbacks()
	spellings := map[string][]string{"true": {"1", "True", "TRUE"}, "false": {"0", "False", "FALSE"}}
	booleans := 0
	for _, o := range examples.All(t) {
		for _, query := range o.InputsIn("query") {
			if !query.Is("boolean") {
				continue
			}
			booleans++
			send := func(value string) string {
				return sendSpelled(shop, o, "", func(r *world.Request) {
					path, others, _ := strings.Cut(r.Path, "?")
					kept := slices.DeleteFunc(strings.Split(others, "&"), func(pair string) bool {
						return pair == "" || strings.HasPrefix(pair, query.Path+"=")
					})
					r.Path = path + "?" + strings.Join(append(kept, query.Path+"="+value), "&")
				})
			}
			for _, value := range slices.Sorted(maps.Keys(spellings)) {
				want := send(value)
				for _, spelling := range spellings[value] {
					if got := send(spelling); got != want {
						t.Errorf("%s, %s=%s: got %q, want %q as for %s", o.OperationID, query.Path, spelling, got, want, value)
					}
				}
			}
			if got := send("yes"); got != "INVALID "+query.Path {
				t.Errorf("%s, %s=yes: got %q, want INVALID %s", o.OperationID, query.Path, got, query.Path)
			}
		}
	}
	if booleans < 10 {
		t.Errorf("got %d booleans, want 10 or more", booleans)
	}
}

// TestIDs_InCapitals checks that a UUID in capitals names the same thing, and that replies have lower case (RFC 9562
// §4).
func TestIDs_InCapitals(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	sold := s.Sell("10.10")
	client := s.Transaction("id=" + sold.ID).Text("client_transaction_id")
	up, id := strings.ToUpper, s.Create("10.10", nil)
	query := "/v2.1/merchants/" + s.Merchant.Code + "/transactions?"
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		shows        string
	}{
		{"GET", "/v0.1/checkouts/" + up(id), nil, 200, id},
		{"PATCH", "/v0.1/checkouts/" + up(id), map[string]any{"description": "Tea"}, 200, id},
		{"GET", "/v0.1/checkouts/" + up(id) + "/payment-methods", nil, 200, ""},
		{"PUT", "/v0.1/checkouts/" + up(id), s.Card(world.Frictionless), 200, id},
		{"DELETE", "/v0.1/checkouts/" + up(s.Create("1", nil)), nil, 200, ""},
		{"GET", query + "id=" + up(sold.ID), nil, 200, sold.ID},
		{"GET", query + "client_transaction_id=" + up(client), nil, 200, client},
		{"GET", "/v0.1/me/transactions?id=" + up(sold.ID), nil, 200, sold.ID},
		{"GET", "/v1.1/receipts/" + up(sold.ID) + "?mid=" + s.Merchant.Code, nil, 200, sold.ID},
		{"POST", "/v0.1/me/refund/" + up(sold.ID), map[string]any{"amount": 1}, 204, ""},
		{"GET", "/v0.1/me/transactions/history?limit=1&oldest_incl=true&oldest_ref=" + up(sold.ID), nil, 200, sold.ID},
		{"POST", "/v1.0/merchants/" + s.Merchant.Code + "/payments/" + up(sold.ID) + "/refunds", nil, 201, ""},
	} {
		got := s.Main().DoUnchecked(world.Request{Method: c.method, Path: c.path, Body: c.body})
		body := string(got.Body)
		if got.Status != c.status || !strings.Contains(body, c.shows) || strings.Contains(body, up(id)) {
			t.Errorf("%s %s: got %d %s, want %d with %s", c.method, c.path, got.Status, got.Body, c.status, c.shows)
		}
	}
}
