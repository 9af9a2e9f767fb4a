package platform

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
)

// everything maps operations that show a merchant to the query for all their fields. Operations whose fields
// retrieveMyAccount also shows are left out.
var everything = map[string]string{
	"retrieveMyAccount": "?include=operators,settings,doing_business_as,bank_accounts,app_settings,vat_rates," +
		"signup_flows,shelves,country_details,timeoffset_details,permissions",
	"retrieveMySettings": "", "retrieveMerchant": "", "listPersons": "", "listMyBankAccounts": "", "listBankAccounts": "",
	"listOperators": "?include=permissions,app_settings&include_primary=true",
}

// TestSeed_EachField checks that each field of these operations in openapi.yaml has a value in at least
// one seeded merchant. Null and the empty text are not values.
func TestSeed_EachField(t *testing.T) {
	t.Parallel()
	document, err := checker.Load()
	if err != nil {
		t.Fatal(err)
	}
	r := startSeedable(t)
	env, err := seed(t.Context(), newFolder(t), r)
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(everything)
	for path, item := range document.Paths.Map() {
		query, asked := "", false
		if item.Get != nil {
			query, asked = left[item.Get.OperationID]
		}
		if !asked {
			continue
		}
		operation := item.Get.OperationID
		delete(left, operation)
		shown := map[string]bool{}
		for _, m := range merchants() {
			code, key, _ := m.variableNames()
			p := payer{t, client.Client{BaseURL: r.URL}, r.Invoke, env[code], env[key]}
			addValued(operation, p.read(strings.ReplaceAll(path, "{merchant_code}", p.code)+query), shown)
		}
		documented := map[string]bool{}
		for _, content := range item.Get.Responses.Status(http.StatusOK).Value.Content {
			addFields(operation, content.Schema.Value, documented)
		}
		for _, field := range slices.Sorted(maps.Keys(documented)) {
			if !shown[field] {
				t.Errorf("%s: got no value of any seeded merchant, want one", field)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("got no operation %v in openapi.yaml", slices.Collect(maps.Keys(left)))
	}
}

// addFields adds the paths of all fields of a schema. Entries of a list, or of a map of texts, have their parent's
// path.
func addFields(path string, s *openapi3.Schema, all map[string]bool) {
	all[path] = true
	for name, property := range s.Properties {
		addFields(path+"."+name, property.Value, all)
	}
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		addFields(path, part.Value, all)
	}
	if s.Items != nil {
		addFields(path, s.Items.Value, all)
	}
}

// addValued adds the paths that have a value. A list or a map has a value if it has an entry.
func addValued(path string, value any, all map[string]bool) {
	switch v := value.(type) {
	case nil:
	case []any:
		for _, entry := range v {
			addValued(path, entry, all)
		}
	case map[string]any:
		all[path] = all[path] || len(v) > 0
		for name, member := range v {
			addValued(path+"."+name, member, all)
		}
	default:
		all[path] = all[path] || v != ""
	}
}

// read returns the answer to a GET, which must succeed.
func (p payer) read(path string) (body any) {
	p.Helper()
	got, err := p.Do(p.Context(), client.Request{Method: http.MethodGet, Path: path, APIKey: p.key})
	if err == nil {
		err = json.Unmarshal(got.Body, &body)
	}
	if err != nil || got.Status != http.StatusOK {
		p.Fatalf("GET %s: got %d %s, %v, want 200", path, got.Status, got.Body, err)
	}
	return body
}
