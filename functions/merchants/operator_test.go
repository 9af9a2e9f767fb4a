package merchants_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

const (
	accounts = "/v0.1/me/accounts"
	firstOne = "correct horse battery"
	another  = "another battery staple"
)

// account is an operator in a response.
type account struct {
	ID          int32           `json:"id"`
	Username    string          `json:"username"`
	Nickname    *string         `json:"nickname"`
	AccountType string          `json:"account_type"`
	Disabled    bool            `json:"disabled"`
	Permissions map[string]bool `json:"permissions"`
	CreatedAt   time.Time       `json:"created_at"`
	UpdatedAt   time.Time       `json:"updated_at"`
}

func (a account) path() string { return accounts + "/" + strconv.Itoa(int(a.ID)) }

// permissions returns a map of all permissions: true for the granted permissions, and false for the others.
func permissions(granted ...string) map[string]bool {
	all := map[string]bool{}
	for _, name := range []string{"admin", "create_moto_payments", "full_transaction_history_view", "refund_transactions",
		"create_referral"} {
		all[name] = slices.Contains(granted, name)
	}
	return all
}

// decodeAccount returns the account in a response, which must have the status.
func decodeAccount(t testing.TB, status int, got world.Response) account {
	t.Helper()
	var a account
	if err := got.Into(&a); err != nil || got.Status != status {
		t.Fatalf("got %d %s, error %v, want %d and an operator", got.Status, got.Body, err, status)
	}
	return a
}

// newOperatorShop returns a shop whose passwords must not appear anywhere.
func newOperatorShop(t *testing.T) world.Shop {
	t.Helper()
	s := world.NewShop(t)
	s.Secret("password", firstOne)
	s.Secret("password", another)
	t.Cleanup(func() {
		if strings.Contains(s.Logs.String(), "argon2id") {
			t.Error("a hash of a password was found in the logs")
		}
	})
	return s
}

func operatorBody(username string, more fields) fields {
	body := fields{"username": username, "password": firstOne}
	maps.Copy(body, more)
	return body
}

func createOperator(s world.Shop, username string) account {
	s.Helper()
	return decodeAccount(s, 201, s.Send("POST", accounts, operatorBody(username, nil)))
}

func TestCreateOperator(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	till := "Till"
	for name, c := range map[string]struct {
		body fields
		want account
	}{
		"the least": {operatorBody("Till@example.com", nil), account{Username: "Till@example.com"}},
		"nulls": {operatorBody("n@example.com", fields{"nickname": nil, "permissions": nil}),
			account{Username: "n@example.com"}},
		"no nickname": {operatorBody("e@example.com", fields{"nickname": ""}), account{Username: "e@example.com"}},
		"everything": {operatorBody("all@example.com", fields{"nickname": till, "permissions": permissions("admin",
			"create_referral")}), account{Username: "all@example.com", Nickname: &till,
			Permissions: permissions("admin", "create_referral")}},
		"some permissions": {operatorBody("s@example.com", fields{"permissions": fields{"refund_transactions": true,
			"admin": nil, "other": true}}), account{Username: "s@example.com", Permissions: permissions("refund_transactions")}},
	} {
		got := decodeAccount(t, 201, s.Send("POST", accounts, c.body))
		want := c.want
		want.ID, want.AccountType, want.CreatedAt, want.UpdatedAt = got.ID, "operator", world.Start, world.Start
		if want.Permissions == nil {
			want.Permissions = permissions()
		}
		if diff := cmp.Diff(want, got); diff != "" || got.ID < 1 {
			t.Errorf("%s: id %d (-want +got):\n%s", name, got.ID, diff)
		}
		if diff := cmp.Diff(want, decodeAccount(t, 200, s.Send("GET", got.path(), nil))); diff != "" {
			t.Errorf("%s, read (-want +got):\n%s", name, diff)
		}
		m, err := s.App.Store.Member(t.Context(), s.Tenant(), got.ID)
		if err != nil || m.Type != member.TypeManaged || !slices.Equal(m.Roles, []string{member.RoleEmployee}) {
			t.Errorf("%s: got member %v, %v, want a managed one with role_employee", name, m, err)
		}
	}
}

func TestOperators_InvalidRequests(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	m := createOperator(s, "till@example.com")
	missing := func(param string) world.Refusal { return world.Missing(param) }
	badUsernames := map[string]any{"no address": "till", "a name in it": "Till <till@example.com>", "a number": 1,
		"too long": strings.Repeat("t", 245) + "@example.com", "a line break": "till\n@example.com"}
	badPasswords := map[string]any{"too short": "kqzvjmwhbxp", "characters count, not bytes": "🔑kqzvjmwhbx",
		"repeated": "kqzvkqzvkqzv", "common": "Password2026!", "only digits": "123456789012",
		"too long": strings.Repeat("x", 257), "a control character": "correct horse\u0000", "a number": 123456789012}
	for name, username := range badUsernames {
		world.Invalid("username").Check(t, s.Send("POST", accounts, operatorBody("", fields{"username": username})))
		world.Invalid("username").Check(t, s.Send("PUT", m.path(), fields{"username": username}))
		t.Log(name)
	}
	for name, password := range badPasswords {
		world.Invalid("password").Check(t,
			s.Send("POST", accounts, operatorBody("p@example.com", fields{"password": password})))
		world.Invalid("password").Check(t, s.Send("PUT", m.path(), fields{"password": password}))
		world.Invalid("password").Check(t, s.Send("PUT", m.path()+"/reset", fields{"password": password}))
		t.Log(name)
	}
	for _, body := range []any{nil, fields{}, fields{"username": nil, "password": firstOne}, fields{"username": ""}} {
		missing("username").Check(t, s.Send("POST", accounts, body))
	}
	for _, password := range []any{nil, ""} {
		missing("password").Check(t, s.Send("POST", accounts, fields{"username": "p@example.com", "password": password}))
		missing("password").Check(t, s.Send("PUT", m.path()+"/reset", fields{"password": password}))
	}
	world.Invalid("username").Check(t, s.Send("PUT", m.path(), fields{"username": ""}))
	world.Invalid("password").Check(t, s.Send("PUT", m.path(), fields{"password": ""}))
	world.Invalid("disabled").Check(t, s.Send("PUT", m.path(), fields{"disabled": "yes"}))
	world.Invalid("permissions").Check(t, s.Send("PUT", m.path(), fields{"permissions": true}))
	world.Invalid("permissions.admin").Check(t, s.Send("PUT", m.path(), fields{"permissions": fields{"admin": 1}}))
	tooLong := strings.Repeat("ä", 65)
	world.Invalid("nickname").Check(t,
		s.Send("POST", accounts, operatorBody("p@example.com", fields{"nickname": tooLong})))
	world.Invalid("nickname").Check(t, s.Send("PUT", m.path(), fields{"nickname": tooLong}))
	if diff := cmp.Diff(m, decodeAccount(t, 200, s.Send("GET", m.path(), nil))); diff != "" {
		t.Errorf("after refusals (-want +got):\n%s", diff)
	}
}

func TestCreateOperator_LongestFields(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	for _, body := range []fields{
		{"username": strings.Repeat("t", 244) + "@example.com", "password": longestPassword("🔑"),
			"nickname": strings.Repeat("ä", 64)},
		{"username": "a@b", "password": "kqzvjmwhbxpf"},
	} {
		m := decodeAccount(t, 201, s.Send("POST", accounts, body))
		decodeAccount(t, 200, s.Send("PUT", m.path(), fields{"username": body["username"], "nickname": body["nickname"],
			"password": another}))
		decodeAccount(t, 200, s.Send("PUT", m.path()+"/reset", fields{"password": longestPassword("y")}))
	}
}

// longestPassword returns a password of 256 characters.
func longestPassword(character string) string { return "kqzv" + strings.Repeat(character, 252) }

func TestCreateOperator_AddressTaken(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	taken := world.Refused(409, "CONFLICT", "", "conflict")
	createOperator(s, "till@example.com")
	m := createOperator(s, "other@example.com")
	taken.Check(t, s.Send("POST", accounts, operatorBody("TILL@example.com", nil)))
	taken.Check(t, s.Send("POST", accounts, operatorBody("kaffee@example.com", nil))) // the owner's address
	taken.Check(t, s.Send("PUT", m.path(), fields{"username": "Till@Example.com"}))
	decodeAccount(t, 200, s.Send("PUT", m.path(), fields{"username": "OTHER@example.com"}))
	decodeAccount(t, 200, s.Send("PUT", m.path(), fields{"username": "third@example.com"}))
	createOperator(s, "other@example.com")
	createOperator(s.OtherShop(), "till@example.com")
}

// TestCreateOperator_SameAddressConcurrently checks that only one of 20 concurrent requests creates the operator. A
// process computes or queues more than 20 password hashes at a time, so it refuses none of the requests for that
// reason.
func TestCreateOperator_SameAddressConcurrently(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	got := s.DoConcurrently(20, world.Request{Method: "POST", Path: accounts, APIKey: s.Merchant.Key.Plaintext,
		Body: operatorBody("till@example.com", nil)})
	if want := map[int]int{201: 1, 409: 19}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	wantOperators(t, s, "", "till@example.com")
}

// wantOperators checks which operators a query lists, in any order.
func wantOperators(t testing.TB, s world.Shop, query string, want ...string) []account {
	t.Helper()
	got := s.Send("GET", accounts+query, nil)
	var operators []account
	if err := got.Into(&operators); err != nil || got.Status != 200 || !strings.HasPrefix(string(got.Body), "[") {
		t.Fatalf("%s: got %d %s, error %v, want 200 and an array", query, got.Status, got.Body, err)
	}
	names := []string{}
	for _, a := range operators {
		names = append(names, a.Username)
	}
	if !slices.Equal(names, want) && len(names)+len(want) > 0 {
		t.Errorf("%s: got %v, want %v", query, names, want)
	}
	return operators
}

func TestListOperators(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	wantOperators(t, s, "")
	for _, name := range []string{"till@example.com", "Tilda@example.com", "bob+1@example.com"} {
		s.Clock.Advance(time.Second)
		createOperator(s, name)
	}
	wantOperators(t, s, "", "till@example.com", "Tilda@example.com", "bob+1@example.com")
	wantOperators(t, s, "?email=TIL", "till@example.com", "Tilda@example.com")
	wantOperators(t, s, "?email=example.com")
	wantOperators(t, s, "?email=bob%2B1%40example.com", "bob+1@example.com")
	wantOperators(t, s, "?email=bob+1@", "bob+1@example.com")
	wantOperators(t, s, "?query=TIL", "till@example.com", "Tilda@example.com")
	wantOperators(t, s, "?query=TIL&email=tilda", "Tilda@example.com")
	wantOperators(t, s, "?query=TIL&email=bob")
	all := wantOperators(t, s, "?include_primary=true", "kaffee@example.com", "till@example.com", "Tilda@example.com",
		"bob+1@example.com")
	wantOperators(t, s, "?include_primary=false", "till@example.com", "Tilda@example.com", "bob+1@example.com")
	wantOperators(t, s, "?include_primary=true&email=kaffee", "kaffee@example.com")
	for _, query := range []string{"?include[]=permissions&include[]=app_settings", "?include=permissions,app_settings",
		"?include%5B%5D=permissions", "?include[0]=app_settings", "?include=permissions&include=app_settings"} {
		wantOperators(t, s, query, "till@example.com", "Tilda@example.com", "bob+1@example.com")
	}
	s.Operate(fields{"command": "update_operator", "merchant_code": s.Merchant.Code, "operator_id": all[1].ID,
		"app_settings": fields{"tips_enabled": true, "tip_rates": []float64{0.2}}}, nil)
	s.Operate(fields{"command": "update_account", "merchant_code": s.Merchant.Code,
		"account": fields{"app_settings": fields{"font_name": "Inter"}}}, nil)
	decodeAccount(t, 200, s.Send("PUT", all[1].path(), fields{"nickname": "Till"})) // the app settings stay, too
	var shown []struct {
		AppSettings *struct {
			FontName    string    `json:"font_name"`
			TipsEnabled bool      `json:"tips_enabled"`
			TipRates    []float64 `json:"tip_rates"`
		} `json:"app_settings"`
	}
	got := s.Send("GET", accounts+"?include_primary=true&include[]=app_settings", nil)
	if err := got.Into(&shown); err != nil || len(shown) != 4 || shown[0].AppSettings.FontName != "Inter" ||
		!shown[1].AppSettings.TipsEnabled || !slices.Equal(shown[1].AppSettings.TipRates, []float64{0.2}) ||
		shown[2].AppSettings.TipsEnabled || !slices.Equal(shown[2].AppSettings.TipRates, []float64{0.05, 0.1, 0.15}) {
		t.Errorf("with app settings: got %s, error %v, want the owner's, the changed ones, and defaults", got.Body, err)
	}
	if got := s.Send("GET", accounts, nil); strings.Contains(string(got.Body), "app_settings") {
		t.Errorf("without include: got %s, want no app settings", got.Body)
	}
	owner := all[0]
	if owner.AccountType != "normal" || !maps.Equal(owner.Permissions, permissions("admin", "create_moto_payments",
		"full_transaction_history_view", "refund_transactions", "create_referral")) {
		t.Errorf("owner: got %+v, want account type normal and all permissions", owner)
	}
	if diff := cmp.Diff(owner, decodeAccount(t, 200, s.Send("GET", owner.path(), nil))); diff != "" {
		t.Errorf("owner, read (-want +got):\n%s", diff)
	}
	for query, param := range map[string]string{"?include[]=everything": "include", "?include[]=": "include",
		"?include_primary=maybe": "include_primary", "?include_primary=": "include_primary", "?email=": "email",
		"?query=": "query"} {
		world.Invalid(param).Check(t, s.Send("GET", accounts+query, nil))
	}
	wantOperators(t, s.OtherShop(), "")
}

// TestUpdateOperator_MergedFields checks that an absent field, null and a value have three different meanings (contract
// §2.2, §13.5).
func TestUpdateOperator_MergedFields(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	want := decodeAccount(t, 201, s.Send("POST", accounts, operatorBody("till@example.com", fields{"nickname": "Till",
		"permissions": permissions("refund_transactions")})))
	for i, c := range []struct {
		body   string
		change func(*account)
	}{
		{`{}`, nil},
		{`{"username":null,"password":null,"disabled":null,"permissions":null}`, nil},
		{`{"nickname":"Till"}`, nil},
		{`{"nickname":null}`, func(a *account) { a.Nickname = nil }},
		{`{"nickname":"T"}`, func(a *account) { n := "T"; a.Nickname = &n }},
		{`{"nickname":""}`, func(a *account) { a.Nickname = nil }},
		{`{"permissions":{}}`, nil},
		{`{"permissions":{"admin":true,"refund_transactions":null}}`, func(a *account) {
			a.Permissions = permissions("admin", "refund_transactions")
		}},
		{`{"permissions":{"refund_transactions":false}}`, func(a *account) { a.Permissions = permissions("admin") }},
		{`{"disabled":true}`, func(a *account) { a.Disabled = true }},
		{`{"username":"t@example.com"}`, func(a *account) { a.Username = "t@example.com" }},
		{`{"password":"` + another + `"}`, func(a *account) { a.Disabled = false }},
		{`{"disabled":true,"password":"a third battery"}`, func(a *account) { a.Disabled = true }},
		{`{"disabled":false}`, func(a *account) { a.Disabled = false }},
		// Clients send back fields that they have read.
		{`{"id":1,"account_type":"normal","created_at":"x","other":1}`, nil},
	} {
		s.Clock.Advance(time.Second)
		if c.change != nil {
			c.change(&want)
			want.UpdatedAt = s.Clock.Now()
		}
		got := decodeAccount(t, 200, s.Send("PUT", want.path(), json.RawMessage(c.body)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d %s (-want +got):\n%s", i, c.body, diff)
		}
		if diff := cmp.Diff(got, decodeAccount(t, 200, s.Send("GET", want.path(), nil))); diff != "" {
			t.Errorf("%d %s, read (-want +got):\n%s", i, c.body, diff)
		}
	}
	decodeAccount(t, 200, s.Send("PUT", want.path(), nil)) // no body means an empty body
}

func TestOperators_DisableResetDelete(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	want := createOperator(s, "till@example.com")
	s.Clock.Advance(time.Second)
	want.Disabled, want.UpdatedAt = true, s.Clock.Now()
	for _, body := range []any{nil, fields{}} {
		if diff := cmp.Diff(want, decodeAccount(t, 200, s.Send("POST", want.path()+"/disable", body))); diff != "" {
			t.Errorf("disable (-want +got):\n%s", diff)
		}
		s.Clock.Advance(time.Second)
	}
	want.UpdatedAt = s.Clock.Now()
	if diff := cmp.Diff(want, decodeAccount(t, 200,
		s.Send("PUT", want.path()+"/reset", fields{"password": another}))); diff != "" {
		t.Errorf("reset, which leaves it disabled (-want +got):\n%s", diff)
	}
	decodeAccount(t, 200, s.Send("PUT", want.path(), fields{"disabled": false}))
	want.UpdatedAt = s.Clock.Now()
	if diff := cmp.Diff(want, decodeAccount(t, 200, s.Send("DELETE", want.path(), nil))); diff != "" {
		t.Errorf("delete (-want +got):\n%s", diff)
	}
	notFound := world.Refused(404, "NOT_FOUND", "", "not-found")
	for _, r := range requestsOf(want.path()) {
		notFound.Check(t, s.Send(r.Method, r.Path, r.Body))
	}
	wantOperators(t, s, "")
	if again := createOperator(s, "till@example.com"); again.ID == want.ID {
		t.Errorf("got the deleted one's id %d again, want another", again.ID)
	}
}

func TestCreateOperator_WithoutMerchantProfile(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t).NewShop("DE", "EUR", map[string]any{"onboarding": true})
	world.Refused(409, "merchant_account_missing", "", "conflict").Check(t,
		s.Send("POST", accounts, operatorBody("till@example.com", nil)))
	s.Command("update_merchant", fields{"onboarding": false})
	createOperator(s, "till@example.com")
}

// TestResetOperatorPassword_UsedBefore checks that no operation sets one of the last four passwords.
func TestResetOperatorPassword_UsedBefore(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	m := createOperator(s, "till@example.com")
	used := world.Invalid("password")
	used.Check(t, s.Send("PUT", m.path(), fields{"password": firstOne, "nickname": "not written"}))
	for i := range member.Remembered {
		used.Check(t, s.Send("PUT", m.path()+"/reset", fields{"password": firstOne}))
		decodeAccount(t, 200, s.Send("PUT", m.path(), fields{"password": fmt.Sprintf("my password %d", i)}))
	}
	if got := decodeAccount(t, 200, s.Send("PUT", m.path()+"/reset", fields{"password": firstOne})); got.Nickname != nil {
		t.Errorf("got nickname %s, want what was refused not written", *got.Nickname)
	}
}
