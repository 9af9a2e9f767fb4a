package checker

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// loadOnce returns a document that parallel tests share, so no test may change it.
var loadOnce = sync.OnceValues(Load)

func loadDocument(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// successes returns the operation's statuses below 400, joined.
func successes(op *openapi3.Operation) string {
	var list []string
	for status := range op.Responses.Map() {
		if status < "400" {
			list = append(list, status)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

func TestOperations_Browsers(t *testing.T) {
	t.Parallel()
	got := map[string][]string{}
	for _, op := range sharedChecker(t).Operations() {
		if op.PublicKey {
			got["public key"] = append(got["public key"], op.OperationID)
		}
		if op.Action != "" {
			got[op.Action] = append(got[op.Action], op.OperationID)
		}
	}
	want := map[string][]string{"public key": {"retrieveCheckout", "processCheckout"},
		"checkout": {"createCheckout", "retrieveCheckout", "processCheckout"}}
	if !maps.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestDocument_DeprecatedOperations checks that the document marks the operations of contract §2.10 as deprecated. Only
// their successful answers may have the headers Deprecation and Link, and must have them.
func TestDocument_DeprecatedOperations(t *testing.T) {
	t.Parallel()
	var got []string
	for path, item := range loadDocument(t).Paths.Map() {
		for _, op := range item.Operations() {
			headers := op.Responses.Value(strings.Split(successes(op), ",")[0]).Value.Headers
			for _, name := range []string{"Deprecation", "Link"} {
				if sent := headers[name] != nil && headers[name].Value.Required; sent != op.Deprecated {
					t.Errorf("%s: got %s required %t, want %t as it is deprecated", op.OperationID, name, sent, op.Deprecated)
				}
			}
			if op.Deprecated {
				got = append(got, path)
			}
		}
	}
	slices.Sort(got)
	want := []string{"/v0.1/me/financials/payouts", "/v0.1/me/transactions", "/v0.1/me/transactions/history",
		"/v1.0/receipts/{id}"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v deprecated, want %v", got, want)
	}
}

func TestOperations_Complete(t *testing.T) {
	t.Parallel()
	doc := loadDocument(t)
	camel := regexp.MustCompile(`^[a-z][a-zA-Z0-9]+$`)
	for _, operation := range sharedChecker(t).Operations() {
		op := doc.Paths.Value(operation.Path).GetOperation(operation.Method)
		t.Run(op.OperationID, func(t *testing.T) {
			t.Parallel()
			if !camel.MatchString(op.OperationID) || op.Summary == "" || len(op.Tags) != 1 {
				t.Errorf("got summary %q, tags %v, want a lowerCamel operationId, a summary and one tag", op.Summary, op.Tags)
			}
			for _, status := range requiredErrors(operation) {
				if op.Responses.Value(status) == nil {
					t.Errorf("got no response %s, want one", status)
				}
			}
			if takesKey(operation) && op.Parameters.GetByInAndName("header", "Idempotency-Key") == nil {
				t.Error("got no Idempotency-Key, want one (contract §2.8)")
			}
			for status, response := range op.Responses.Map() {
				for _, header := range requiredHeaders(status) {
					if response.Value.Headers[header] == nil || !response.Value.Headers[header].Value.Required {
						t.Errorf("response %s: got %s absent or optional, want it required", status, header)
					}
				}
			}
		})
	}
}

// takesKey returns true if the operation takes an Idempotency-Key. Pages take none, because a key belongs to a
// merchant.
func takesKey(op Operation) bool { return !op.Public && op.Method != http.MethodGet }

// requiredErrors returns the errors that follow from the operation's route alone. Any query may be malformed (400). Any
// request may come without TLS (403) or too often (429). Any body may be too large (413), or in an unknown coding
// (415). An object named in the path may not exist (404). An Idempotency-Key may be in use (409) or taken (422).
func requiredErrors(op Operation) []string {
	list := []string{"400", "403", "429", "500", "504"}
	if !op.Public {
		list = append(list, "401")
	}
	if op.Method != http.MethodGet {
		list = append(list, "413", "415")
	}
	if strings.Contains(op.Path, "{") {
		list = append(list, "404")
	}
	if takesKey(op) {
		list = append(list, "409", "422")
	}
	return list
}

// TestDocument_NullableType checks that nullable stands beside a type. Without a type nullable has no effect (OpenAPI
// 3.0.3, clarified by proposal 2019-10-31), and linters refuse the document.
func TestDocument_NullableType(t *testing.T) {
	t.Parallel()
	text, err := loadDocument(t).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	found := 0
	var walk func(value any, at string)
	walk = func(value any, at string) {
		switch value := value.(type) {
		case map[string]any:
			if value["nullable"] == true {
				found++
				if _, typed := value["type"].(string); !typed {
					t.Errorf("%s: got nullable with type %v, want a type", at, value["type"])
				}
			}
			for name, member := range value {
				walk(member, at+"/"+name)
			}
		case []any:
			for _, member := range value {
				walk(member, at+"/")
			}
		}
	}
	if walk(root, "#"); found == 0 {
		t.Error("got nothing that is nullable, want something")
	}
}

// requiredHeaders returns the headers that a response with the status must have (contract §2.3, §2.9, §3.2, §3.4).
func requiredHeaders(status string) []string {
	list := []string{"X-Request-Id", "RateLimit-Policy", "RateLimit"}
	switch status {
	case "401":
		return append(list, "WWW-Authenticate")
	case "303":
		return append(list, "Location")
	case "424", "429":
		return append(list, "Retry-After")
	}
	return list
}

func TestDocument_References(t *testing.T) {
	t.Parallel()
	text, err := loadDocument(t).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	// The checker uses this response for methods that no path lists.
	used := map[string]bool{"#/components/responses/MethodNotAllowed": true}
	collectReferences(root, used)
	for ref := range used {
		if !resolves(root, ref) {
			t.Errorf("got a reference to %s, want one that resolves", ref)
		}
	}
	for kind, members := range root["components"].(map[string]any) {
		for name := range members.(map[string]any) {
			if ref := "#/components/" + kind + "/" + name; kind != "securitySchemes" && !used[ref] {
				t.Errorf("got %s unused, want a reference to it", ref)
			}
		}
	}
}

func collectReferences(value any, into map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		if ref, ok := value["$ref"].(string); ok {
			into[ref] = true
		}
		for _, member := range value {
			collectReferences(member, into)
		}
	case []any:
		for _, member := range value {
			collectReferences(member, into)
		}
	}
}

func resolves(root map[string]any, ref string) bool {
	pointer, local := strings.CutPrefix(ref, "#/")
	var value any = root
	for name := range strings.SplitSeq(pointer, "/") {
		members, ok := value.(map[string]any)
		if !ok {
			return false
		}
		value = members[name]
	}
	return local && value != nil
}
