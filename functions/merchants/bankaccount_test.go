package merchants_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jacoelho/banking/iban"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

const bankAccounts = "/v0.1/me/merchant-profile/bank-accounts"

var (
	pendingAccount   = world.Refused(409, "cannot_add_bank_account", "", "conflict")
	sameAccount      = world.Refused(409, "CONFLICT", "", "conflict")
	tooManyAccounts  = world.Refused(409, "max_number_of_bank_accounts_exceeded", "", "conflict")
	noMerchant       = world.Refused(409, "merchant_account_missing", "", "conflict")
	deniedAccounts   = world.Refused(403, "FORBIDDEN", "", "forbidden")
	noAccount        = world.Refused(404, "NOT_FOUND", "", "not-found")
	holderWithIBAN   = fields{"account_holder_name": "Café GmbH", "iban": sandbox.PaidIBAN}
	anotherOfHolder  = fields{"account_holder_name": "Café GmbH", "iban": sandbox.LostAnswerIBAN, "primary": true}
	rejectedOfHolder = fields{"account_holder_name": "Café GmbH", "iban": sandbox.RejectedIBAN, "primary": true}
)

// listPath returns the path of listBankAccounts.
func listPath(s world.Shop) string { return "/v1.1/merchants/" + s.Merchant.Code + "/bank-accounts" }

// addAccount adds an account and waits for the bank's decision.
func addAccount(s world.Shop, account fields) world.Response {
	s.Helper()
	r := s.Must(201, s.Send("POST", bankAccounts, account))
	s.Clock.Advance(sandbox.VerifiedAfter)
	return r
}

// wantAccounts checks the accounts that a path lists, without their times of creation.
func wantAccounts(t *testing.T, got world.Response, want ...fields) {
	t.Helper()
	accounts := []fields{}
	err := got.Into(&accounts)
	for _, a := range accounts {
		if a["created_at"] == nil {
			t.Errorf("got %v, want the time at which it was added", a)
		}
		delete(a, "created_at")
	}
	if diff := cmp.Diff(append([]fields{}, want...), accounts); err != nil || got.Status != 200 || diff != "" {
		t.Errorf("got %d %s, %v (-want +got):\n%s", got.Status, got.Body, err, diff)
	}
}

// asShown returns an account as clients see it.
func asShown(of fields, status string, primary bool) fields {
	view := maps.Clone(of)
	view["status"], view["primary"] = status, primary
	return view
}

func TestListMyBankAccounts(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	wantAccounts(t, s.Send("GET", bankAccounts, nil))
	noAccount.Check(t, s.Send("GET", bankAccounts+"?primary=true", nil))
	got := s.Send("POST", bankAccounts, holderWithIBAN)
	if got.Status != 201 || got.Text("status") != "PENDING_VERIFICATION" || got.Text("created_at") == "" {
		t.Errorf("got %d %s, want 201 and it pending", got.Status, got.Body)
	}
	s.Clock.Advance(sandbox.VerifiedAfter - time.Millisecond)
	wantAccounts(t, s.Send("GET", bankAccounts, nil), asShown(holderWithIBAN, "PENDING_VERIFICATION", true))
	pendingAccount.Check(t, s.Send("POST", bankAccounts, anotherOfHolder))
	s.Clock.Advance(time.Millisecond)
	wantAccounts(t, s.Send("GET", bankAccounts, nil), asShown(holderWithIBAN, "VERIFIED", true))
	addAccount(s, anotherOfHolder)
	addAccount(s, rejectedOfHolder)
	all := []fields{asShown(holderWithIBAN, "VERIFIED", false), asShown(anotherOfHolder, "VERIFIED", true),
		asShown(rejectedOfHolder, "REJECTED", false)}
	for _, path := range []string{bankAccounts, bankAccounts + "?primary=false", listPath(s)} {
		wantAccounts(t, s.Send("GET", path, nil), all...)
	}
	wantAccounts(t, s.Send("GET", listPath(s)+"?primary=true", nil), all[1])
	one := s.Send("GET", bankAccounts+"?primary=true", nil)
	if one.Status != 200 || one.Text("iban") != sandbox.LostAnswerIBAN {
		t.Errorf("primary: got %d %s, want the object of %s", one.Status, one.Body, sandbox.LostAnswerIBAN)
	}
	world.Invalid("primary").Check(t, s.Send("GET", bankAccounts+"?primary=2", nil))
	never := fields{"account_holder_name": "Café GmbH", "iban": sandbox.UnverifiedIBAN}
	addAccount(s, never)
	s.Clock.Advance(365 * 24 * time.Hour)
	pendingAccount.Check(t, s.Send("POST", bankAccounts, holderWithIBAN))
	wantAccounts(t, s.Send("GET", listPath(s), nil), append(all, asShown(never, "PENDING_VERIFICATION", false))...)
}

// TestCreateMyBankAccount_VerifiedBySweep checks that the sweep verifies an account that no request has read.
func TestCreateMyBankAccount_VerifiedBySweep(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	addAccount(s, holderWithIBAN)
	s.Clock.Advance(time.Minute)
	s.PassMinute()
	stored, err := s.App.Store.BankAccounts(t.Context(), s.Tenant())
	if err != nil || stored.Payee().IBAN != sandbox.PaidIBAN {
		t.Errorf("got %+v, %v, want it VERIFIED and paid", stored, err)
	}
}

func TestCreateMyBankAccount_Fields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		country, currency string
		account, more     fields // more: fields that differ in the response
	}{
		{"DE", "EUR", fields{"account_holder_name": "A", "iban": sandbox.PaidIBAN}, nil},
		{"DE", "EUR", fields{"account_holder_name": " " + strings.Repeat("ü", 68) + " ", "iban": sandbox.PaidIBAN},
			fields{"account_holder_name": strings.Repeat("ü", 68)}},
		{"DE", "EUR", fields{"account_holder_name": strings.Repeat("ü", 70), "iban": "de17 1001 0010 0000 0056 78",
			"swift": "markdeff"}, fields{"iban": sandbox.PaidIBAN, "swift": "MARKDEFF"}},
		{"DE", "EUR", fields{"account_holder_name": "A", "swift": "MARKDEFFXXX", "bank_code": strings.Repeat("1", 35),
			"branch_code": strings.Repeat("2", 35), "account_number": strings.Repeat("3", 32), "account_type": "SAVINGS",
			"account_category": "PERSONAL"}, nil},
		{"DE", "EUR", fields{"account_holder_name": "A", "account_category": "business", "status": "OPEN",
			"iban": sandbox.PaidIBAN, "swift": nil}, fields{"account_category": "BUSINESS", "status": nil, "swift": nil}},
		{"US", "USD", fields{"account_holder_name": "A", "bank_code": "021000021", "account_number": "123-4567"}, nil},
		{"CL", "CLP", fields{"account_holder_name": "A", "swift": "BSCHCLRM", "account_number": "1234567"}, nil},
		{"GB", "GBP", fields{"account_holder_name": "A", "bank_code": "20-00-00", "account_number": "55779911"}, nil},
		{"BR", "BRL", fields{"account_holder_name": "A", "bank_code": "001", "branch_code": "1584-9",
			"account_number": "00210169", "check_digit": "6", "account_type": "CURRENT"},
			fields{"check_digit": nil, "bank_name": "Banco do Brasil"}},
		{"BR", "BRL", fields{"account_holder_name": "A", "bank_code": "260", "branch_code": "0001",
			"account_number": "1-9"}, nil},
	} {
		s := world.NewShop(t).NewShop(c.country, c.currency, nil)
		addAccount(s, c.account)
		want := asShown(c.account, "VERIFIED", true)
		maps.Copy(want, c.more)
		want["status"] = "VERIFIED"
		maps.DeleteFunc(want, func(_ string, value any) bool { return value == nil })
		wantAccounts(t, s.Send("GET", bankAccounts, nil), want)
	}
}

func TestCreateMyBankAccount_Invalid(t *testing.T) {
	t.Parallel()
	w := world.NewShop(t)
	for _, c := range []struct {
		country, currency string
		account           fields
		want              world.Refusal
	}{
		{"DE", "EUR", fields{}, world.Missing("account_holder_name")},
		{"DE", "EUR", fields{"account_holder_name": " "}, world.Missing("account_holder_name")},
		{"DE", "EUR", fields{"account_holder_name": strings.Repeat("ü", 71)}, world.Invalid("account_holder_name")},
		{"DE", "EUR", fields{"account_holder_name": "A\n"}, world.Invalid("account_holder_name")},
		{"DE", "EUR", fields{"account_holder_name": "A", "iban": "DE18100100100000005678"}, world.Invalid("iban")},
		{"DE", "EUR", fields{"account_holder_name": "A", "swift": "MARKDE"}, world.Invalid("swift")},
		{"DE", "EUR", fields{"account_holder_name": "A", "swift": "MARKDEFFXX"}, world.Invalid("swift")},
		{"DE", "EUR", fields{"account_holder_name": "A", "bank_code": strings.Repeat("1", 36)}, world.Invalid("bank_code")},
		{"DE", "EUR", fields{"account_holder_name": "A", "branch_code": "1/2"}, world.Invalid("branch_code")},
		{"DE", "EUR", fields{"account_holder_name": "A", "account_number": strings.Repeat("3", 33)},
			world.Invalid("account_number")},
		{"DE", "EUR", fields{"account_holder_name": "A", "check_digit": "123"}, world.Invalid("check_digit")},
		{"DE", "EUR", fields{"account_holder_name": "A", "account_type": "current"}, world.Invalid("account_type")},
		{"DE", "EUR", fields{"account_holder_name": "A", "account_category": "Business"}, world.Invalid("account_category")},
		{"DE", "EUR", fields{"account_holder_name": "A", "status": "VERIFIED"}, world.Invalid("status")},
		{"DE", "EUR", fields{"account_holder_name": "A", "primary": "true"}, world.Invalid("primary")},
		{"DE", "EUR", fields{"account_holder_name": "A"}, world.Missing("iban")},
		{"DE", "EUR", fields{"account_holder_name": "A", "iban": nil, "swift": "MARKDEFF"}, world.Missing("iban")},
		{"DE", "EUR", fields{"account_holder_name": "A", "iban": "", "account_number": ""}, world.Missing("iban")},
		{"DE", "EUR", fields{"account_holder_name": "A", "account_number": "5678"}, world.Missing("bank_code")},
		{"DE", "EUR", fields{"account_holder_name": "A", "bank_code": "10010010"}, world.Missing("account_number")},
		{"GB", "GBP", fields{"account_holder_name": "A", "account_number": "55779911", "swift": "BARCGB22"},
			world.Missing("bank_code")},
		{"US", "USD", fields{"account_holder_name": "A"}, world.Missing("account_number")},
		{"US", "USD", fields{"account_holder_name": "A", "account_number": "1"}, world.Missing("bank_code")},
		{"US", "USD", fields{"account_holder_name": "A", "account_number": "1", "bank_code": "021000022"},
			world.Invalid("bank_code")},
		{"BR", "BRL", fields{"account_holder_name": "A", "bank_code": "260", "account_number": "1-9"},
			world.Missing("branch_code")},
		{"GB", "GBP", fields{"account_holder_name": "A", "bank_code": "2000", "account_number": "55779911"},
			world.Invalid("bank_code")},
		{"BR", "BRL", fields{"account_holder_name": "A", "bank_code": "001", "account_number": "00210169",
			"check_digit": "7"}, world.Invalid("check_digit")},
	} {
		s := w.NewShop(c.country, c.currency, nil)
		c.want.Check(t, s.Send("POST", bankAccounts, c.account))
		wantAccounts(t, s.Send("GET", bankAccounts, nil))
	}
}

// TestCreateMyBankAccount_ConflictOrder checks that faults of the body are reported before conflicts, and conflicts in
// the contract's order. A REJECTED account does not count towards the maximum.
func TestCreateMyBankAccount_ConflictOrder(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).NewShop("DE", "EUR", fields{"onboarding": true})
	noMerchant.Check(t, s.Send("POST", bankAccounts, holderWithIBAN))
	noAccount.Check(t, s.Send("GET", bankAccounts, nil))
	world.Missing("account_holder_name").Check(t, s.Send("POST", bankAccounts, nil))
	s.Command("update_merchant", fields{"onboarding": false})
	for n := range merchant.MaxBankAccounts {
		addAccount(s, rejectedOfHolder)
		addAccount(s, numberedAccount(t, n))
	}
	for range 2 {
		sameAccount.Check(t, s.Send("POST", bankAccounts, numberedAccount(t, 0)))
		tooManyAccounts.Check(t, s.Send("POST", bankAccounts, numberedAccount(t, merchant.MaxBankAccounts)))
	}
	var all []fields
	if err := s.Send("GET", listPath(s), nil).Into(&all); err != nil || len(all) != 20 {
		t.Errorf("got %d accounts, %v, want 20", len(all), err)
	}
}

// numberedAccount returns an account with an IBAN derived from n.
func numberedAccount(t *testing.T, n int) fields {
	t.Helper()
	number, err := iban.ReplaceChecksum(fmt.Sprintf("DE001001001000%04d5678", n))
	if err != nil {
		t.Fatal(err)
	}
	return fields{"account_holder_name": "Café GmbH", "iban": number}
}

// TestCreateMyBankAccount_SameNumber checks that the number of an existing account is refused in each spelling. The
// number of a REJECTED account is accepted. Each refusal is stored under its Idempotency-Key.
func TestCreateMyBankAccount_SameNumber(t *testing.T) {
	t.Parallel()
	german := world.NewShop(t)
	british, american := german.NewShop("GB", "GBP", nil), german.NewShop("US", "USD", nil)
	for _, c := range []struct {
		shop       world.Shop
		one, again fields
	}{
		{german, holderWithIBAN, fields{"account_holder_name": "Another", "iban": "de17 1001 0010 0000 0056 78",
			"swift": "MARKDEFF", "primary": true}},
		{british, fields{"account_holder_name": "A", "bank_code": "20-00-00", "account_number": "55779911"},
			fields{"account_holder_name": "A", "branch_code": "200000", "account_number": "55779911"}},
		{american, fields{"account_holder_name": "A", "bank_code": "021000021", "account_number": "1234567"},
			fields{"account_holder_name": "A", "bank_code": "021000021", "account_number": "123-4567"}},
	} {
		addAccount(c.shop, c.one)
		for range 2 {
			sameAccount.Check(t, c.shop.Do(world.Request{Method: "POST", Path: bankAccounts, Body: c.again,
				APIKey: c.shop.Merchant.Key.Plaintext, IdempotencyKey: "again"}))
		}
		wantAccounts(t, c.shop.Send("GET", bankAccounts, nil), asShown(c.one, "VERIFIED", true))
	}
	addAccount(german, rejectedOfHolder)
	wantAccounts(t, german.Send("GET", bankAccounts+"?primary=false", nil), asShown(holderWithIBAN, "VERIFIED", true),
		asShown(rejectedOfHolder, "REJECTED", false))
	addAccount(german, rejectedOfHolder) // accepted: the holder's name may have been wrong
}

func TestCreateMyBankAccount_Concurrently(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	got := s.DoConcurrently(100, world.Request{Method: "POST", Path: bankAccounts, APIKey: s.Merchant.Key.Plaintext,
		Body: holderWithIBAN})
	if want := map[int]int{201: 1, 409: 99}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	wantAccounts(t, s.Send("GET", bankAccounts, nil), asShown(holderWithIBAN, "PENDING_VERIFICATION", true))
}

// TestCreateMyBankAccount_Repeated checks that requests under one Idempotency-Key add one account, even if interrupted
// at any step. A request that was refused only because another account was pending succeeds when repeated later.
func TestCreateMyBankAccount_Repeated(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{faults.FailBefore, faults.DieAfter} {
		for step, reached := 1, true; reached; step++ {
			s := world.NewShop(t)
			addAccount(s, holderWithIBAN)
			r := world.Request{Method: "POST", Path: bankAccounts, APIKey: s.Merchant.Key.Plaintext,
				IdempotencyKey: "add", Body: anotherOfHolder}
			p := s.Process()
			p.Steps.Plan(step, fault)
			p.Do(r)
			reached = len(p.Steps.Taken()) >= step
			p.Stop()
			s.Clock.Advance(time.Minute)
			for range 2 {
				if got := s.Do(r); got.Status != 201 || got.Text("iban") != sandbox.LostAnswerIBAN {
					t.Errorf("%s at step %d: got %d %s, want 201", fault, step, got.Status, got.Body)
				}
			}
			s.Clock.Advance(sandbox.VerifiedAfter)
			wantAccounts(t, s.Send("GET", bankAccounts, nil), asShown(holderWithIBAN, "VERIFIED", false),
				asShown(anotherOfHolder, "VERIFIED", true))
			if !reached && step < 5 {
				t.Errorf("%s: got %d steps, want 5 or more", fault, step)
			}
		}
	}
	s := world.NewShop(t)
	s.Send("POST", bankAccounts, holderWithIBAN)
	r := world.Request{Method: "POST", Path: bankAccounts, APIKey: s.Merchant.Key.Plaintext, IdempotencyKey: "later",
		Body: anotherOfHolder}
	pendingAccount.Check(t, s.Do(r))
	s.Clock.Advance(sandbox.VerifiedAfter)
	s.Want("when the other is verified", 201, s.Do(r))
}

// TestListBankAccounts_RequiredScopes checks that a credential with one of the scopes reads only its merchant's
// accounts in the credential's mode.
func TestListBankAccounts_RequiredScopes(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).NewLiveShop()
	addAccount(s, holderWithIBAN)
	other := s.NewShop("DE", "EUR", nil)
	noAccount.Check(t, other.Send("GET", listPath(s), nil))
	wantAccounts(t, other.Send("GET", listPath(other), nil))
	addAccount(other, holderWithIBAN) // only the bank could refuse another merchant's number
	wantAccounts(t, other.Send("GET", bankAccounts, nil), asShown(holderWithIBAN, "VERIFIED", true))
	test := s.WithKey(s.NewKey("secret", "user.payout-settings"))
	wantAccounts(t, test.Send("GET", listPath(s), nil))
	addAccount(test, anotherOfHolder)
	wantAccounts(t, test.Send("GET", bankAccounts, nil), asShown(anotherOfHolder, "VERIFIED", true))
	wantAccounts(t, s.Send("GET", bankAccounts, nil), asShown(holderWithIBAN, "PENDING_VERIFICATION", true))

	for _, c := range []struct {
		kind   string
		scopes []string
		reads  bool
	}{{"secret", []string{"user.profile"}, true}, {"secret", []string{"user.profile_readonly"}, true},
		{"secret", []string{"payments", "payouts.read"}, false}, {"public", nil, false}} {
		key := other.WithKey(other.NewKey(c.kind, c.scopes...))
		deniedAccounts.Check(t, key.Send("POST", bankAccounts, anotherOfHolder))
		for _, path := range []string{bankAccounts, listPath(other)} {
			if got := key.Send("GET", path, nil); (got.Status == 200) != c.reads {
				t.Errorf("%v: got %d of %s, want it to read %t", c.scopes, got.Status, path, c.reads)
			}
		}
	}
}
