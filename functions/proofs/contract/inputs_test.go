package contract_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
)

// conditional are members without which an operation can do nothing here, though
// the document cannot say so.
var conditional = []string{
	"createCheckout merchant_code", // a pay_to_email would do
	"processCheckout card",         // a token would do
	"createPaymentPageAttempt card",
	"createMyBankAccount iban", // a number with the codes of its bank would do
	"createApiKey name",        // a public key may have none
	"updateApiKey name",
}

// either are members that an operation needs unless it gets another, which its refusal names.
var either = map[string]string{"updateFile collection_id": "status"}

// authenticating are members by which a client of OAuth or a page authenticates itself, with the status without them.
var authenticating = map[string]int{"client_id": http.StatusUnauthorized, "client_secret": http.StatusUnauthorized,
	"csrf_token": http.StatusForbidden}

// shownBy are the examples with members that the first one of an operation has not.
var shownBy = map[string]string{"updateMember user.nickname": "user", "updateMember user.password": "user",
	"updateReaderSettings menu_lock.passcode": "unlocked"}

// TestMembersTakeWhatTheDocumentSays, and nothing else: null, the empty text and a control character in each member of
// each body there is. What is refused names the member. It takes seconds, for more than a thousand members.
func TestMembersTakeWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Shop().WithCallbacks()
	for _, o := range examples.All(t) {
		for _, member := range o.InputsIn("json") {
			if strings.Contains(member.Path, "[]") { // of a list, whose limits are compared alone
				continue
			}
			for _, value := range []any{nil, "", "a\u0085"} {
				one := examples.NewFixture(shop)
				request := one.Request(o, shownBy[o.OperationID+" "+member.Path])
				request.Body = with(t, o, request.Body, member.Path, value)
				got := one.Do(request)
				empty := value == nil || value == ""
				allowed := member.Allows(value) &&
					(!empty || !slices.Contains(conditional, o.OperationID+" "+member.Path))
				other := either[o.OperationID+" "+member.Path]
				switch refused := got.Status >= 400; {
				case value == nil && other != "" && got.Status == http.StatusBadRequest && names(got, other):
				case empty && refused && got.Status == authenticating[member.Path]:
				case allowed && value == "a\u0085": // it may still name nothing that is there
				case allowed == refused, refused && (got.Status != http.StatusBadRequest || !names(got, member.Path)):
					t.Errorf("%s, %s of %q: got %d %s, want accepted %t, refused only by 400 that names it", o.OperationID,
						member.Path, value, got.Status, got.Body, allowed)
				}
				if got.Status >= http.StatusInternalServerError {
					t.Errorf("%s, %s of %q: got %d, want a status below 500", o.OperationID, member.Path, value, got.Status)
				}
			}
		}
	}
}

// TestQueriesTakeNoEmptyValue: one that is not meant is left out. Only OAuth takes one for
// absent (RFC 6749 §3.1), and the page to sign in names no parameter.
func TestQueriesTakeNoEmptyValue(t *testing.T) {
	t.Parallel()
	one := examples.New(t)
	fix := examples.FixtureOf(one.Shop)
	for _, o := range examples.All(t) {
		if o.OperationID == "showAuthorization" || o.OperationID == "showSignIn" {
			continue
		}
		request := world.Request{Method: o.Method}
		for _, query := range o.InputsIn("query") {
			for _, spelling := range []string{query.Path, query.Path + "="} {
				request.Path = fix.Request(o, "").Path
				separator := "?"
				if strings.Contains(request.Path, "?") {
					separator = "&"
				}
				request.Path += separator + spelling
				if got := one.Do(request); got.Status != http.StatusBadRequest || !names(got, query.Path) {
					t.Errorf("%s: got %d %s, want 400 that names %s", request.Path, got.Status, got.Body, query.Path)
				}
			}
		}
	}
}

// with is a body with another value at the path. The objects on the way there
// are made if they are missing.
func with(t *testing.T, o checker.Operation, body any, path string, value any) map[string]any {
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
	for n, name := range names[:len(names)-1] {
		if at[name] == nil {
			path := strings.Join(names[:n+1], ".")
			on := slices.IndexFunc(o.InputsIn("json"), func(i checker.Input) bool { return i.Path == path })
			at[name] = o.InputsIn("json")[on].Sample()
		}
		at = at[name].(map[string]any)
	}
	at[names[len(names)-1]] = value
	return changed
}

// names reports whether a refusal names the parameter, alone or among others (contract §3.1).
func names(got world.Response, param string) bool {
	type fault struct {
		Param string `json:"param"`
	}
	var one fault
	if got.Into(&one) == nil {
		return one.Param == param || strings.HasPrefix(got.Text("error_description"), param+" ") // of OAuth
	}
	var several []fault
	_ = got.Into(&several)
	return slices.Contains(several, fault{param}) || strings.Contains(string(got.Body), "<p>"+param+" ") // of a page
}
