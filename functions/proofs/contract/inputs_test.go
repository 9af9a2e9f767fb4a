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

// conditionalMembers are members that an operation needs in the bodies of this test, under a condition that the
// document cannot express.
var conditionalMembers = []string{
	"createCheckout merchant_code", // or a pay_to_email
	"processCheckout card",         // or a token
	"createPaymentPageAttempt card",
	"createMyBankAccount iban", // or a number with the codes of its bank
	"createApiKey name",        // except for a public key
	"updateApiKey name",
}

// alternativeMembers are members that an operation needs unless the request has the other member. The refusal names the
// other member.
var alternativeMembers = map[string]string{"updateFile collection_id": "status"}

// authenticatingMembers authenticate an OAuth client or a page. The value is the status of a request without them.
var authenticatingMembers = map[string]int{"client_id": http.StatusUnauthorized,
	"client_secret": http.StatusUnauthorized, "csrf_token": http.StatusForbidden}

// exampleWithMember names the example with a member that the operation's first example lacks.
var exampleWithMember = map[string]string{"updateMember user.nickname": "user", "updateMember user.password": "user",
	"updateReaderSettings menu_lock.passcode": "unlocked"}

// TestBodies_NullEmptyAndControl checks null, the empty text and a control character in each member of each body. These
// values are accepted exactly where the document allows them, and a refusal names the member. The test takes seconds,
// because the bodies have more than a thousand members.
func TestBodies_NullEmptyAndControl(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Shop().WithCallbacks()
	for _, o := range examples.All(t) {
		for _, member := range o.InputsIn("json") {
			if strings.Contains(member.Path, "[]") { // for members inside lists, only limits are compared
				continue
			}
			for _, value := range []any{nil, "", "a\u0085"} {
				one := examples.NewFixture(shop)
				request := one.Request(o, exampleWithMember[o.OperationID+" "+member.Path])
				request.Body = withValue(t, o, request.Body, member.Path, value)
				got := one.Do(request)
				empty := value == nil || value == ""
				allowed := member.Allows(value) &&
					(!empty || !slices.Contains(conditionalMembers, o.OperationID+" "+member.Path))
				other := alternativeMembers[o.OperationID+" "+member.Path]
				switch refused := got.Status >= 400; {
				case value == nil && other != "" && got.Status == http.StatusBadRequest && namesParam(got, other):
				case empty && refused && got.Status == authenticatingMembers[member.Path]:
				case allowed && value == "a\u0085": // the value may be refused because it names no existing thing
				case allowed == refused, refused && (got.Status != http.StatusBadRequest || !namesParam(got, member.Path)):
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

// TestQueries_EmptyValue checks that empty query parameters are refused, because clients leave out unused parameters.
// The test omits two operations. showAuthorization reads an empty parameter as absent (RFC 6749 §3.1), and the page of
// showSignIn names no parameter.
func TestQueries_EmptyValue(t *testing.T) {
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
				if got := one.Do(request); got.Status != http.StatusBadRequest || !namesParam(got, query.Path) {
					t.Errorf("%s: got %d %s, want 400 that names %s", request.Path, got.Status, got.Body, query.Path)
				}
			}
		}
	}
}

// withValue returns a body with another value at the path. It adds missing objects along the path.
func withValue(t *testing.T, o checker.Operation, body any, path string, value any) map[string]any {
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

// namesParam returns true if a refusal names the parameter, alone or among others (contract §3.1).
func namesParam(got world.Response, param string) bool {
	type fault struct {
		Param string `json:"param"`
	}
	var one fault
	if got.Into(&one) == nil {
		return one.Param == param || strings.HasPrefix(got.Text("error_description"), param+" ") // an OAuth error
	}
	var several []fault
	_ = got.Into(&several)
	return slices.Contains(several, fault{param}) || strings.Contains(string(got.Body), "<p>"+param+" ") // an HTML page
}
