package functions_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// conditional are members without which an operation can do nothing here, though
// the document cannot say so.
var conditional = []string{"processCheckout card"} // a token would do

// whole are requests that are accepted, with every object of their bodies.
func whole(t *tale) map[string]world.Request {
	t.Helper()
	payer := map[string]any{"address": map[string]any{}}
	order := t.Order("10.10")
	maps.Copy(order, map[string]any{"personal_details": payer, "hosted_checkout": map[string]any{"enabled": true}, "pay_to_email": "kaffee@example.com"})
	t.payer = t.Customer()
	t.open(map[string]any{"customer_id": t.payer})
	pay := t.Card(world.Frictionless)
	maps.Copy(pay, map[string]any{"personal_details": payer, "mandate": map[string]any{"type": "recurrent", "user_agent": "Mozilla/5.0"}})
	sold := t.Sell("10.10")
	return map[string]world.Request{
		"createCheckout":    {Method: "POST", Path: "/v0.1/checkouts", Body: order},
		"processCheckout":   t.put(pay),
		"updateCheckout":    {Method: "PATCH", Path: "/v0.1/checkouts/" + t.create(nil), Body: map[string]any{}},
		"createCustomer":    {Method: "POST", Path: "/v0.1/customers", Body: map[string]any{"customer_id": order["checkout_reference"], "personal_details": payer}},
		"updateCustomer":    {Method: "PUT", Path: "/v0.1/customers/" + t.payer, Body: map[string]any{"personal_details": payer}},
		"refundTransaction": {Method: "POST", Path: "/v0.1/me/refund/" + sold.ID, Body: map[string]any{}},
		"createRefund":      {Method: "POST", Path: "/v1.0/merchants/" + t.Merchant.Code + "/payments/" + sold.ID + "/refunds", Body: map[string]any{}},
	}
}

// TestMembersTakeWhatTheDocumentSays, and nothing else: null, the empty text and a
// control character in each member of each body there is. What is refused names
// the member.
func TestMembersTakeWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	one := newTale(t)
	for _, o := range documented(t) {
		for _, member := range o.Body {
			for _, value := range []any{nil, "", "a\u0085"} {
				request, known := whole(one)[o.OperationID]
				if !known {
					t.Fatalf("%s has a body, and no request here", o.OperationID)
				}
				request.Body = with(t, request.Body, member.Path, value)
				got := one.Do(request)
				allowed := member.Allows(value) && !(value == nil && slices.Contains(conditional, o.OperationID+" "+member.Path))
				switch refused := got.Status >= 400; {
				case allowed && value == "a\u0085": // it may still name nothing that is there
				case allowed == refused, refused && (got.Status != http.StatusBadRequest || !names(got, member.Path)):
					t.Errorf("%s, %s of %q: %d %s", o.OperationID, member.Path, value, got.Status, got.Body)
				}
				if got.Status >= http.StatusInternalServerError {
					t.Errorf("%s, %s of %q: %d", o.OperationID, member.Path, value, got.Status)
				}
			}
		}
	}
}

// TestQueriesTakeNoEmptyValue: one that is not meant is left out.
func TestQueriesTakeNoEmptyValue(t *testing.T) {
	t.Parallel()
	one := newTale(t)
	sold := one.Sell("10.10")
	complete := map[string]string{ // what else the operation needs
		"listPayouts": "start_date=2026-11-01&end_date=2026-11-02", "listMyPayouts": "start_date=2026-11-01&end_date=2026-11-02",
		"retrieveReceipt": "mid=" + one.Merchant.Code, "listMerchantPaymentMethods": "currency=EUR",
	}
	for _, o := range documented(t) {
		path := strings.NewReplacer("{merchant_code}", one.Merchant.Code, "{id}", sold.ID).Replace(o.Path)
		for _, query := range o.Queries() {
			for _, spelling := range []string{query, query + "="} {
				got := one.Do(world.Request{Method: o.Method, Path: path + "?" + complete[o.OperationID] + "&" + spelling})
				if got.Status != http.StatusBadRequest || !names(got, query) {
					t.Errorf("%s?%s: %d %s", path, spelling, got.Status, got.Body)
				}
			}
		}
	}
}

// with is a body with another value at the path.
func with(t *testing.T, body any, path string, value any) map[string]any {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var changed map[string]any
	if err := json.Unmarshal(text, &changed); err != nil {
		t.Fatal(err)
	}
	at, names := changed, strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		inner, ok := at[name].(map[string]any)
		if !ok {
			t.Fatalf("the request has no object %s", name)
		}
		at = inner
	}
	at[names[len(names)-1]] = value
	return changed
}

// names says that a refusal names the parameter, alone or among others (contract §3.1).
func names(got world.Response, param string) bool {
	type fault struct {
		Param string `json:"param"`
	}
	var one fault
	if got.Into(&one) == nil {
		return one.Param == param
	}
	var several []fault
	_ = got.Into(&several)
	return slices.Contains(several, fault{param})
}
