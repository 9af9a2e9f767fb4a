package provision_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// operator calls the provision function in a world.
type operator struct{ *world.World }

func newOperator(t *testing.T) operator {
	t.Helper()
	return operator{world.New(t)}
}

type fields = map[string]any

// registration returns a command that creates a sandbox merchant, with changes.
func registration(changes fields) fields {
	return with(fields{"command": "create_merchant", "name": "Buchladen", "email": "buch@example.com",
		"country": "DE", "currency": "EUR", "sandbox": true}, changes)
}

// with returns the command with changes.
func with(command, changes fields) fields {
	changed := maps.Clone(command)
	maps.Copy(changed, changes)
	return changed
}

type key struct{ ID, Plaintext, Mode string }

type provisioned struct {
	Code    string `json:"merchant_code"`
	Created bool
	Key     *key `json:"api_key"`
	TestKey *key `json:"test_api_key"`
}

// refusal is the error of an answer.
type refusal struct{ Code, Param, Message string }

// run runs a command that must succeed.
func run[Answer any](d operator, command fields) Answer {
	d.Helper()
	var answer struct{ Error *refusal }
	raw := d.invoke(command)
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Error != nil {
		d.Fatalf("%v: got %s, %v, want no error", command, raw, err)
	}
	var wanted Answer
	if err := json.Unmarshal(raw, &wanted); err != nil {
		d.Fatal(err)
	}
	return wanted
}

// runRefused runs a command that must be refused.
func (d operator) runRefused(command fields) refusal {
	d.Helper()
	var answer struct{ Error *refusal }
	raw := d.invoke(command)
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Error == nil {
		d.Fatalf("%v: got %s, %v, want it refused", command["command"], raw, err)
	}
	return *answer.Error
}

// checkRefused runs a command that must be refused with the code and a message. param is the parameter at fault, or "".
func (d operator) checkRefused(command fields, code, param string) {
	d.Helper()
	if got := d.runRefused(command); got.Code != code || got.Param != param || got.Message == "" {
		d.Errorf("%v: got %+v, want %s %s and a message", command, got, code, param)
	}
}

func encoded(t testing.TB, command fields) json.RawMessage {
	t.Helper()
	request, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func (d operator) invoke(command fields) json.RawMessage {
	d.Helper()
	answer, err := d.Main().Invoke(d.Context(), "provision", encoded(d, command))
	if err != nil {
		d.Fatalf("%v: got %v, want an answer", command["command"], err)
	}
	return answer
}

func (d operator) createMerchant(changes fields) provisioned {
	d.Helper()
	m := run[provisioned](d, registration(changes))
	for _, k := range []*key{m.Key, m.TestKey} {
		if k != nil {
			d.Secret("API key", k.Plaintext)
		}
	}
	return m
}

// authenticate returns the principal and the merchant of a request with the key.
func (d operator) authenticate(plaintext string) (identity.Principal, merchant.Merchant) {
	d.Helper()
	token, _ := identity.ParseToken(plaintext)
	p, m, err := d.App.Store.Authenticate(d.Context(), token, "")
	if err != nil {
		d.Fatal(err)
	}
	return p, m
}

// shop returns the merchant's shop, with the key for test mode.
func (d operator) shop(m provisioned) world.Shop {
	key := m.Key
	if m.TestKey != nil {
		key = m.TestKey
	}
	return world.Shop{World: d.World, Merchant: world.Merchant{Code: m.Code}, Currency: "EUR"}.WithKey(key.Plaintext)
}

func (d operator) createKey(arguments fields) key {
	d.Helper()
	arguments["command"] = "create_api_key"
	k := run[struct {
		Key key `json:"api_key"`
	}](d, arguments).Key
	d.Secret("API key", k.Plaintext)
	return k
}

// listStatus returns the status of the checkouts list for a key: 200, 401 or 403.
func (d operator) listStatus(plaintext string) int {
	d.Helper()
	return d.Do(world.Request{Method: http.MethodGet, Path: "/v0.1/checkouts", APIKey: plaintext}).Status
}
