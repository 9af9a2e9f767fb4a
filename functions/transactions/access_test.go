package transactions_test

import (
	"net/url"
	"slices"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// addresses returns the family's operations on one transaction, by path.
func addresses(s world.Shop, p world.Payment) map[string]string {
	return map[string]string{
		"/v0.1/me/refund/" + p.ID: "POST",
		"/v1.0/merchants/" + s.Merchant.Code + "/payments/" + p.ID + "/refunds":  "POST",
		"/v2.1/merchants/" + s.Merchant.Code + "/transactions?id=" + p.ID:        "GET",
		"/v2.1/merchants/" + s.Merchant.Code + "/transactions/history?limit=100": "GET",
		"/v0.1/me/transactions?id=" + p.ID:                                       "GET",
		"/v0.1/me/transactions/history?limit=100":                                "GET",
	}
}

// items returns the ids of the items on a page of the history.
func items(t *testing.T, got world.Response) []string {
	t.Helper()
	var page historyPage
	if err := got.Into(&page); err != nil || got.Status != 200 {
		t.Fatalf("history: got %d %s, %v, want 200 and a page", got.Status, got.Body, err)
	}
	ids := []string{}
	for _, item := range page.Items {
		ids = append(ids, item.ID)
	}
	return ids
}

// TestTransactionAccess_ScopesAndKeys checks that the history accepts the same scopes as the detail (contract §1). A
// public key may use no operation of this family, and every request needs a key (§2.1).
func TestTransactionAccess_ScopesAndKeys(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	public := s.WithKey(s.NewKey("public"))
	for path, method := range addresses(s, p) {
		denied.Check(t, public.Send(method, path, nil))
		s.Want(path+" without a key", 401, s.Do(world.Request{Method: method, Path: path, APIKey: world.NoKey}))
	}
	for scope, want := range map[string]int{"transactions.history": 200, "transactions.read": 200, "payments": 403,
		"receipts.read": 403} {
		other := withScope(s, scope)
		for _, path := range []string{"/v2.1/merchants/" + s.Merchant.Code + "/transactions/history", legacyHistory} {
			if got := other.Send("GET", path, nil); got.Status != want {
				t.Errorf("%s with %s: got %d, want %d", path, scope, got.Status, want)
			}
		}
	}
	wantSummary(s, p, "SUCCESSFUL, left 10.10")
}

// TestListTransactions_OtherMerchant checks that a history does not contain another merchant's items. A page also
// cannot begin at such an item (contract §2.1).
func TestListTransactions_OtherMerchant(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p, other := s.Sell("10.10"), s.OtherShop()
	theirs := other.Sell("20.20")
	notFound.Check(t, s.Send("GET", "/v2.1/merchants/"+other.Merchant.Code+"/transactions/history", nil))
	for _, path := range []string{"/v2.1/merchants/" + s.Merchant.Code + "/transactions/history", legacyHistory} {
		if got := items(t, s.Send("GET", path, nil)); !slices.Equal(got, []string{p.ID}) {
			t.Errorf("%s: got %v, want %s alone", path, got, p.ID)
		}
		if got := items(t, s.Send("GET", path+"?transaction_code="+theirs.Code, nil)); len(got) != 0 {
			t.Errorf("%s by another's code: got %v, want no items", path, got)
		}
		for _, end := range []string{"oldest_ref", "newest_ref"} {
			invalid(end).Check(t, s.Send("GET", path+"?"+end+"="+theirs.ID, nil))
		}
	}
}

// TestTransactionAccess_TestMode checks that test credentials see no live data (contract §2.1).
func TestTransactionAccess_TestMode(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.GoLive()
	s = s.NewLiveShop()
	p := s.Sell("10.10")
	try := s.WithKey(s.NewKey("secret", "payments", "transactions.history"))
	for name, value := range queries(s, p) {
		query := name + "=" + url.QueryEscape(value)
		notFound.Check(t, try.Transaction(query))
		notFound.Check(t, legacyTransaction(try, query))
	}
	notFound.Check(t, refundV0(try, p, ""))
	notFound.Check(t, refundV1(try, p, ""))
	for _, path := range []string{"/v2.1/merchants/" + s.Merchant.Code + "/transactions/history", legacyHistory} {
		if got := items(t, try.Send("GET", path, nil)); len(got) != 0 {
			t.Errorf("%s: got %v, want no items", path, got)
		}
		invalid("newest_ref").Check(t, try.Send("GET", path+"?newest_ref="+p.ID, nil))
	}
	wantSummary(s, p, "SUCCESSFUL, left 10.10")
}

// TestListMyTransactions_SuccessorLink checks the headers of contract §2.10.
func TestListMyTransactions_SuccessorLink(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	successor := `<http://cashwrap.test/v2.1/merchants/` + s.Merchant.Code +
		`/transactions/history>; rel="successor-version"`
	for query, status := range map[string]int{"": 200, "?limit=0": 400} {
		got := s.Send("GET", legacyHistory+query, nil)
		if got.Status != status || got.Header.Get("Deprecation") != "@1793491200" || got.Header.Get("Link") != successor {
			t.Errorf("%s: got %d, Deprecation %q, Link %q, want %d, @1793491200, %q", query, got.Status,
				got.Header.Get("Deprecation"), got.Header.Get("Link"), status, successor)
		}
	}
	if got := s.Send("GET", "/v2.1/merchants/"+s.Merchant.Code+"/transactions/history",
		nil); got.Header.Get("Deprecation") != "" {
		t.Errorf("version 2.1: got %v, want no Deprecation", got.Header)
	}
}
