package merchants_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestRetrieveMyAccount_ByPerson checks that the account shows the token's user, and has only the parts that the user
// may also read by separate operations.
func TestRetrieveMyAccount_ByPerson(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	const path = "/v0.1/me?include[]=settings&include[]=bank_accounts&include[]=operators&include[]=permissions" +
		"&include[]=app_settings"
	type answer struct {
		Account     struct{ Username, Type string }
		Permissions map[string]bool
		Operators   []any
		Profile     struct {
			Settings     any
			BankAccounts []any `json:"bank_accounts"`
			Owners       []any `json:"business_owners"`
		} `json:"merchant_profile"`
	}
	employed := func(email string, p member.Permissions) string { return s.TokenOf(s.Employ(email, p)) }
	all, admin := member.Permissions{Admin: true, FullTransactionHistoryView: true}, member.Permissions{Admin: true}
	for token, want := range map[string]struct {
		username, kind       string
		members, money, full bool // may read members; may read money; has the permission for all transactions
	}{
		s.Merchant.Key.Plaintext:                           {"kaffee@example.com", "normal", true, true, true},
		s.Token():                                          {"kaffee@example.com", "normal", true, true, true},
		s.TokenOf(s.Owner()):                               {"kaffee@example.com", "normal", true, true, true},
		employed("chef@example.com", all):                  {"chef@example.com", "operator", true, true, true},
		employed("admin@example.com", admin):               {"admin@example.com", "operator", true, false, false},
		employed("till@example.com", member.Permissions{}): {"till@example.com", "operator", false, false, false},
	} {
		var got answer
		if r := s.WithKey(token).Send("GET", path, nil); r.Status != 200 || r.Into(&got) != nil {
			t.Fatalf("%s: got %d %s, want 200", want.username, r.Status, r.Body)
		}
		if diff := cmp.Diff([]any{want.username, want.kind, want.members, want.members, want.money, want.money, want.full},
			[]any{got.Account.Username, got.Account.Type, got.Operators != nil, got.Profile.Owners != nil,
				got.Profile.Settings != nil, got.Profile.BankAccounts != nil,
				got.Permissions["full_transaction_history_view"]}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.username, diff)
		}
	}
}

// TestListPersons_WithoutMembersRead checks that no answer names the persons behind the merchant to an employee.
func TestListPersons_WithoutMembersRead(t *testing.T) {
	t.Parallel()
	s := newRecordedShop(t)
	employee := s.WithKey(s.TokenOf(s.Employ("till@example.com", member.Permissions{FullTransactionHistoryView: true,
		RefundTransactions: true, CreateMOTOPayments: true, CreateReferral: true})))
	profile, me := "/v0.1/me/merchant-profile", get(employee, accountPath)
	partial := fields{"complete": true}
	wantEqual(t, "account's person", partial, me["personal_profile"])
	wantEqual(t, "person", partial, get(employee, "/v0.1/me/personal-profile"))
	want := basicAccount(s.Merchant.Code)["merchant_profile"].(fields)
	delete(want, "business_owners")
	delete(want["address"].(fields), "first_name")
	delete(want["address"].(fields), "last_name")
	wantEqual(t, "account's profile", want, me["merchant_profile"])
	wantEqual(t, "profile", want, get(employee, profile))
	for _, path := range []string{"/persons", "/persons/" + personID} {
		world.Refused(403, "FORBIDDEN", "", "forbidden").Check(t,
			employee.Send("GET", "/v1/merchants/"+s.Merchant.Code+path, nil))
	}
	record(s, fields{"merchant_profile": fields{"doing_business_as": fields{"address": fields{"first_name": "Ada",
		"last_name": "Lovelace", "city": "Dublin"}}}})
	wantEqual(t, "business", fields{"address_line1": "Ring 1", "city": "Dublin", "country": "IE"},
		get(employee, profile+"/doing-business-as")["address"])
}

// TestAudit_PersonBehindClient checks that the audit names the person who acts, not the client with the token.
func TestAudit_PersonBehindClient(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	chef := s.Employ("chef@example.com", member.Permissions{Admin: true})
	for token, want := range map[string]audit.Actor{
		s.TokenOf(chef):          {Kind: audit.Member, ID: chef.ID, Email: "chef@example.com"},
		s.Token():                {Kind: audit.Client, ID: "client_1"},
		s.Merchant.Key.Plaintext: {Kind: audit.APIKey, ID: s.Merchant.Key.ID},
	} {
		s.Clock.Advance(time.Minute)
		created := decodeAccount(t, 201, s.WithKey(token).Send("POST", accounts, operatorBody(want.ID+"@example.com", nil)))
		var last audit.Entry
		for entry, err := range s.App.Store.AuditEntries(t.Context(), s.Merchant.Code, time.Time{}, s.Clock.Now(), "") {
			if last = entry; err != nil {
				t.Fatal(err)
			}
		}
		last.Actor.Source, last.Actor.Request = "", ""
		if diff := cmp.Diff(want, last.Actor); diff != "" {
			t.Errorf("operator %d (-want +got):\n%s", created.ID, diff)
		}
	}
}
