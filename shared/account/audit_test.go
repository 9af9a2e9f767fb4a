package account_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// TestForAudit_Personal checks that an entry shows a personal value only as "recorded".
func TestForAudit_Personal(t *testing.T) {
	t.Parallel()
	number := []account.Identifier{{Ref: "de.steuer_id", Value: "hidden-1"}}
	a := account.Account{Meta: map[string]string{"crm": "hidden-2"},
		Profile: account.Profile{CertificateCode: "hidden-3", VATID: "DE123", Identifiers: number,
			Attributes: map[string]string{"risk": "hidden-4"}},
		Persons: []account.Person{{ID: "pers_1", GivenName: "Ada", Birthdate: "1990-12-31", PhoneNumber: "+49hidden-5",
			Address: merchant.Address{Line1: "hidden-6"}, Identifiers: number, Citizenship: "DE"}}}
	text, err := json.Marshal(a.ForAudit(a))
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

// TestForAudit_Changed checks that an entry shows a hidden value that has changed as "changed".
func TestForAudit_Changed(t *testing.T) {
	t.Parallel()
	hides := func(text string, person account.Person) account.Account {
		person.ID, person.PhoneNumber, person.Address = "pers_1", "+49"+text, merchant.Address{Line1: text}
		person.Identifiers = []account.Identifier{{Ref: "de.steuer_id", Value: text}, {Ref: "de.passport", Value: "same"}}
		return account.Account{Meta: map[string]string{"crm": text}, Persons: []account.Person{person},
			Profile: account.Profile{CertificateCode: text, Attributes: map[string]string{"risk": text, "seats": "same"}}}
	}
	before := hides("hidden-1", account.Person{Birthdate: "1990-12-31"})
	after := hides("hidden-2", account.Person{Birthdate: "1990-12-30"})
	by := audit.ByPlatform(audit.Actor{Kind: audit.Command}, "test")
	entry, err := audit.New(by, time.Time{}, audit.Change{Before: before.ForAudit(before),
		After: after.ForAudit(before)})
	const want = `{"merchant_profile":{"attributes":{"risk":"changed"},"permanent_certificate_access_code":"changed"},` +
		`"meta":{"crm":"changed"},"persons":{"pers_1":{"address":"changed","birthdate":"changed","identifiers":[` +
		`{"ref":"de.steuer_id","value":"changed"},{"ref":"de.passport","value":"recorded"}],"phone_number":"changed"}}}`
	if err != nil || entry.After != want ||
		strings.ReplaceAll(string(entry.Before), "recorded", "changed") != strings.ReplaceAll(want, "recorded", "changed") {
		t.Errorf("got %s before and %s, %v, want %s", entry.Before, entry.After, err, want)
	}
	var none account.Account
	entry, err = audit.New(by, time.Time{}, audit.Change{After: after.ForAudit(none)})
	if all := string(entry.After); err != nil || strings.Contains(all, "changed") || !strings.Contains(all, "recorded") {
		t.Errorf("a new one: got %s, %v, want it recorded", all, err)
	}
}
