package account_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// TestAuditHidesWhatIsPersonal: an entry shows that it is recorded, and no more.
func TestAuditHidesWhatIsPersonal(t *testing.T) {
	t.Parallel()
	number := []account.Identifier{{Ref: "de.steuer_id", Value: "hidden-1"}}
	a := account.Account{Meta: map[string]string{"crm": "hidden-2"},
		Profile: account.Profile{CertificateCode: "hidden-3", VATID: "DE123", Identifiers: number,
			Attributes: map[string]string{"risk": "hidden-4"}},
		Persons: []account.Person{{ID: "pers_1", GivenName: "Ada", Birthdate: "1990-12-31", PhoneNumber: "+49hidden-5",
			Address: merchant.Address{Line1: "hidden-6"}, Identifiers: number, Citizenship: "DE"}}}
	text, err := json.Marshal(a.ForAudit())
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hidden", "1990"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("got %s, want no %s in it", text, secret)
		}
	}
	for _, want := range []string{`"pers_1":{"given_name":"Ada","birthdate":"recorded"`, `"vat_id":"DE123"`,
		`"ref":"de.steuer_id","value":"recorded"`, `"meta":{"crm":"recorded"}`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("got %s, want %s in it", text, want)
		}
	}
	if a.Meta["crm"] != "hidden-2" || a.Persons[0].Identifiers[0].Value != "hidden-1" {
		t.Errorf("got %+v, want the account as it was", a)
	}
}
