package merchant_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

var addedAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// numbered returns an account whose number contains its id.
func numbered(id string) merchant.BankAccount {
	return merchant.BankAccount{ID: id, Holder: "Shop", IBAN: "number of " + id}
}

// addDecided adds an account and records the bank's decision about it.
func addDecided(t *testing.T, b merchant.BankAccounts, id string, primary bool,
	verdict merchant.BankAccountStatus) merchant.BankAccounts {
	t.Helper()
	b, err := b.Add(numbered(id), primary, addedAt)
	if err != nil {
		t.Fatal(err)
	}
	return b.Decide(id, verdict)
}

// TestVouch_IBANWithBankCode checks an account with an IBAN that also has the bank's code.
func TestVouch_IBANWithBankCode(t *testing.T) {
	t.Parallel()
	asked := numbered("a")
	asked.BankCode = "10010010"
	b, err := merchant.BankAccounts{}.Add(asked, true, addedAt)
	if err != nil {
		t.Fatal(err)
	}
	vouched := numbered("vouched")
	vouched.IBAN = asked.IBAN
	b, err = b.Vouch(vouched, addedAt)
	if _, pending := b.Pending(); err != nil || pending || len(b.All) != 1 || b.Paid != "a" {
		t.Errorf("got %+v, %v, want one account, VERIFIED", b, err)
	}
}

// TestBankAccounts_PrimaryAndPaid checks the rules of contract §7.3.
func TestBankAccounts_PrimaryAndPaid(t *testing.T) {
	t.Parallel()
	const pending, verified, rejected = merchant.BankAccountPending, merchant.BankAccountVerified,
		merchant.BankAccountRejected
	type step struct {
		id            string
		primary       bool
		verdict       merchant.BankAccountStatus
		isPrimary, is string // the primary account and the paid account afterwards
	}
	for name, steps := range map[string][]step{
		"the first is primary":              {{"a", false, pending, "a", ""}},
		"it is paid when it is verified":    {{"a", false, verified, "a", "a"}},
		"another is not":                    {{"a", false, verified, "a", "a"}, {"b", false, verified, "a", "a"}},
		"another on demand, at once":        {{"a", false, verified, "a", "a"}, {"b", true, pending, "b", "a"}},
		"which is paid when it is verified": {{"a", false, verified, "a", "a"}, {"b", true, verified, "b", "b"}},
		"a rejected one hands it back":      {{"a", false, verified, "a", "a"}, {"b", true, rejected, "a", "a"}},
		"a rejected first one has nobody":   {{"a", false, rejected, "a", ""}},
		"the next is the first then":        {{"a", false, rejected, "a", ""}, {"b", false, verified, "b", "b"}},
		"to the last of several": {{"a", false, verified, "a", "a"}, {"b", true, verified, "b", "b"},
			{"c", true, rejected, "b", "b"}},
		"never to one that was not primary": {{"a", false, verified, "a", "a"}, {"b", false, verified, "a", "a"},
			{"c", true, rejected, "a", "a"}},
	} {
		var b merchant.BankAccounts
		for i, s := range steps {
			b = addDecided(t, b, s.id, s.primary, s.verdict)
			if payee := b.Payee(); b.Primary != s.isPrimary || b.Paid != s.is || payee.ID != s.is {
				t.Errorf("%s, step %d: got primary %q, paid %q (%q), want %q and %q", name, i, b.Primary, b.Paid, payee.ID,
					s.isPrimary, s.is)
			}
		}
	}
}

// TestDecide_UnroutablePrimary checks that the payee stays the same if no transfer can name the new primary account.
func TestDecide_UnroutablePrimary(t *testing.T) {
	t.Parallel()
	b := addDecided(t, merchant.BankAccounts{}, "a", false, merchant.BankAccountVerified)
	b, err := b.Add(merchant.BankAccount{ID: "b", Holder: "Shop", AccountNumber: "12345678"}, true, addedAt)
	if b = b.Decide("b", merchant.BankAccountVerified); err != nil || b.Primary != "b" || b.Paid != "a" {
		t.Errorf("got primary %q, paid %q, %v, want b and a", b.Primary, b.Paid, err)
	}
}

// TestAdd_Conflicts checks values below, at and above each limit of contract §7.3. The failures must come in the
// contract's order.
func TestAdd_Conflicts(t *testing.T) {
	t.Parallel()
	var b merchant.BankAccounts
	for n := range merchant.MaxBankAccounts {
		for i := range 11 { // rejected accounts do not count, and only some of them are kept
			b = addDecided(t, b, fmt.Sprintf("rejected %d.%d", n, i), false,
				merchant.BankAccountRejected)
		}
		b = addDecided(t, b, fmt.Sprint("verified ", n), n%2 == 0, merchant.BankAccountVerified)
	}
	if len(b.All) != 20 {
		t.Errorf("got %d accounts, want 10 that are VERIFIED and the latest 10 that are REJECTED", len(b.All))
	}
	for range 2 {
		if _, err := b.Add(numbered("11th"), false, addedAt); !errors.Is(err, merchant.ErrTooManyBankAccounts) {
			t.Errorf("the 11th: got error %v, want ErrTooManyBankAccounts", err)
		}
		if _, err := b.Vouch(numbered("11th"), addedAt); !errors.Is(err, merchant.ErrTooManyBankAccounts) {
			t.Errorf("the 11th, an operator's: got error %v, want ErrTooManyBankAccounts", err)
		}
	}
	b.All[len(b.All)-1].Status = merchant.BankAccountPending
	if _, err := b.Add(numbered("12th"), false, addedAt); !errors.Is(err, merchant.ErrVerificationPending) {
		t.Errorf("beside a pending one: got error %v, want ErrVerificationPending", err)
	}
	for code, err := range map[string]*failure.Error{"cannot_add_bank_account": merchant.ErrVerificationPending,
		"max_number_of_bank_accounts_exceeded": merchant.ErrTooManyBankAccounts} {
		if err.Code != code || err.Kind != failure.KindConflict {
			t.Errorf("got %s of kind %v, want %s, a conflict", err.Code, err.Kind, code)
		}
	}
}

// TestAdd_SameNumber checks that the number of an existing account is refused in any spelling, unless the account was
// REJECTED.
func TestAdd_SameNumber(t *testing.T) {
	t.Parallel()
	type account = merchant.BankAccount
	number := func(number, check, bank, branch, bic string) account {
		return account{AccountNumber: number, CheckDigit: check, BankCode: bank, BranchCode: branch, BIC: bic}
	}
	for name, c := range map[string]struct {
		one, another account
		same         bool
	}{
		"IBAN":                  {account{IBAN: "A"}, account{IBAN: "A", Holder: "Another", BIC: "BANKDEFF"}, true},
		"another IBAN":          {account{IBAN: "A"}, account{IBAN: "B"}, false},
		"an IBAN instead":       {number("1", "", "2", "", ""), account{IBAN: "A"}, false},
		"number and bank":       {number("1", "", "2", "3", ""), number("1", "", "2", "3", ""), true},
		"another number":        {number("1", "", "2", "3", ""), number("4", "", "2", "3", ""), false},
		"another bank":          {number("1", "", "2", "3", ""), number("1", "", "4", "3", ""), false},
		"another branch":        {number("1", "", "2", "3", ""), number("1", "", "2", "4", ""), false},
		"separators":            {number("5577", "", "200000", "", ""), number("55-77", "", "20-00 00", "", ""), true},
		"sort code as a branch": {number("1", "", "200000", "", ""), number("1", "", "", "200000", ""), true},
		"sort code twice":       {number("1", "", "200000", "", ""), number("1", "", "200000", "20-00-00", ""), true},
		"check digit apart":     {number("1-X", "", "2", "", ""), number("1", "X", "2", "", ""), true},
		"another check digit":   {number("1", "X", "2", "", ""), number("1", "1", "2", "", ""), false},
		"lower case":            {number("1-x", "", "2", "", ""), number("1-X", "", "2", "", ""), true},
		"BIC beside a code":     {number("1", "", "2", "", ""), number("1", "", "2", "", "BANKDEFF"), true},
		"BIC alone":             {number("1", "", "", "", "BANKDEFF"), number("1", "", "", "", "BANKDEFFXXX"), true},
		"another BIC":           {number("1", "", "", "", "BANKDEFF"), number("1", "", "", "", "BANKFRPP"), false},
	} {
		for _, verdict := range []merchant.BankAccountStatus{merchant.BankAccountVerified, merchant.BankAccountRejected} {
			c.one.ID, c.another.ID = "one", "another"
			b, err := merchant.BankAccounts{}.Add(c.one, false, addedAt)
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.Decide("one", verdict).Add(c.another, false, addedAt)
			want := c.same && verdict == merchant.BankAccountVerified
			if errors.Is(err, merchant.ErrBankAccountExists) != want || !want && err != nil {
				t.Errorf("%s, %s: got error %v, want it refused: %t", name, verdict, err, want)
			}
		}
	}
	if err := merchant.ErrBankAccountExists; err.Code != "CONFLICT" || err.Kind != failure.KindConflict {
		t.Errorf("got %s of kind %v, want CONFLICT", err.Code, err.Kind)
	}
}

func TestAdd_Repeated(t *testing.T) {
	t.Parallel()
	once, err := merchant.BankAccounts{}.Add(numbered("a"), true, addedAt)
	for _, now := range []merchant.BankAccounts{once, once.Decide("a", merchant.BankAccountVerified)} {
		again, err2 := now.Add(numbered("a"), true, addedAt.Add(time.Hour))
		if diff := cmp.Diff(now, again); err != nil || err2 != nil || diff != "" {
			t.Errorf("again: %v, %v (-want +got):\n%s", err, err2, diff)
		}
	}
}

// TestPostponed_GrowingGaps checks that the bank is asked soon at first. If the bank never decides, it is asked four
// times a day.
func TestPostponed_GrowingGaps(t *testing.T) {
	t.Parallel()
	b, err := merchant.BankAccounts{}.Add(numbered("a"), false, addedAt)
	if err != nil {
		t.Fatal(err)
	}
	var gaps []time.Duration
	for asked := addedAt; len(gaps) < 16; {
		if early := b.Postponed(b.CheckAt.Add(-time.Nanosecond)); !early.CheckAt.Equal(b.CheckAt) {
			t.Errorf("asked early: got postponed to %s, want %s", early.CheckAt, b.CheckAt)
		}
		gaps = append(gaps, b.CheckAt.Sub(asked))
		asked = b.CheckAt
		b = b.Postponed(asked)
	}
	want := []time.Duration{2 * time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
	if !slices.Equal(gaps[:4], want) || gaps[15] != 6*time.Hour {
		t.Errorf("got gaps %v, want %v and so on, at last 6h", gaps, want)
	}
	if b = b.Decide("a", merchant.BankAccountVerified); !b.CheckAt.IsZero() {
		t.Errorf("decided: got %s as the next check, want none", b.CheckAt)
	}
}

// accountsMachine applies random events, and tracks the state that contract §7.3 requires after them.
type accountsMachine struct {
	merchant.BankAccounts
	made  int
	final map[string]merchant.BankAccountStatus // the bank's verdicts about all accounts
	paid  string                                // the last account that was VERIFIED and primary
}

// TestBankAccounts_AnyHistory checks contract §7.3 with events in any order.
func TestBankAccounts_AnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &accountsMachine{final: map[string]merchant.BankAccountStatus{}}
		t.Repeat(map[string]func(*rapid.T){"": m.check, "add": m.add, "decide": m.decide, "decide again": m.decideAgain,
			"vouch": m.vouch})
	})
}

func (m *accountsMachine) draw(t *rapid.T) merchant.BankAccount {
	m.made++
	return merchant.BankAccount{ID: fmt.Sprint(m.made), Holder: "Shop",
		IBAN: rapid.SampledFrom([]string{"one", "two", "three", fmt.Sprint("own ", m.made)}).Draw(t, "number")}
}

// change applies a rule, and checks that the rule does not modify its input.
func (m *accountsMachine) change(t *rapid.T, rule func() (merchant.BankAccounts, error)) error {
	before := m.BankAccounts
	before.All = slices.Clone(before.All)
	next, err := rule()
	if diff := cmp.Diff(before, m.BankAccounts); diff != "" {
		t.Fatalf("what was read (-want +got):\n%s", diff)
	}
	if err != nil {
		return err
	}
	m.BankAccounts = next
	return nil
}

func (m *accountsMachine) add(t *rapid.T) {
	a, primary := m.draw(t), rapid.Bool().Draw(t, "primary")
	_, pending := m.Pending()
	there := m.indexOf(a.IBAN) >= 0
	full := m.count(merchant.BankAccountVerified) >= 10
	before := m.Primary
	err := m.change(t, func() (merchant.BankAccounts, error) { return m.Add(a, primary, addedAt) })
	switch {
	case pending != errors.Is(err, merchant.ErrVerificationPending),
		(there && !pending) != errors.Is(err, merchant.ErrBankAccountExists),
		(full && !there && !pending) != errors.Is(err, merchant.ErrTooManyBankAccounts):
		t.Fatalf("pending %t, there %t, full %t: got error %v", pending, there, full, err)
	case err != nil:
	case (m.Primary == a.ID) != (primary || m.paid == ""), m.Primary != a.ID && m.Primary != before:
		t.Fatalf("added as primary %t: got primary %s, before it %s", primary, m.Primary, before)
	}
}

func (m *accountsMachine) decide(t *rapid.T) {
	a, pending := m.Pending()
	if !pending {
		return
	}
	verdict := rapid.SampledFrom([]merchant.BankAccountStatus{merchant.BankAccountPending, merchant.BankAccountVerified,
		merchant.BankAccountRejected, merchant.BankAccountRejected}).Draw(t, "verdict")
	if verdict != merchant.BankAccountPending {
		m.final[a.ID] = verdict
	}
	if verdict == merchant.BankAccountVerified && m.Primary == a.ID {
		m.paid = a.ID
	}
	m.answer(t, a.ID, verdict)
}

// decideAgain repeats an answer of the bank, or contradicts it. Neither may change anything.
func (m *accountsMachine) decideAgain(t *rapid.T) {
	if len(m.final) == 0 {
		return
	}
	before := m.BankAccounts
	m.answer(t, fmt.Sprint(rapid.IntRange(0, m.made).Draw(t, "id")), merchant.BankAccountPending)
	for id := range m.final {
		for _, verdict := range []merchant.BankAccountStatus{merchant.BankAccountVerified, merchant.BankAccountRejected} {
			m.answer(t, id, verdict)
		}
	}
	if diff := cmp.Diff(before, m.BankAccounts); diff != "" {
		t.Fatalf("after another answer (-want +got):\n%s", diff)
	}
}

func (m *accountsMachine) answer(t *rapid.T, id string, verdict merchant.BankAccountStatus) {
	if err := m.change(t, func() (merchant.BankAccounts, error) { return m.Decide(id, verdict), nil }); err != nil {
		t.Fatal(err)
	}
}

func (m *accountsMachine) vouch(t *rapid.T) {
	a := m.draw(t)
	there := m.indexOf(a.IBAN)
	want := a.ID
	if there >= 0 {
		want = m.All[there].ID
	}
	full := there < 0 && m.count(merchant.BankAccountVerified)+m.count(merchant.BankAccountPending) >= 10
	err := m.change(t, func() (merchant.BankAccounts, error) { return m.Vouch(a, addedAt) })
	if full != errors.Is(err, merchant.ErrTooManyBankAccounts) || err == nil && m.Primary != want {
		t.Fatalf("full %t: got error %v, primary %s, want %s", full, err, m.Primary, want)
	}
	if err == nil {
		m.paid, m.final[want] = want, merchant.BankAccountVerified
	}
}

// indexOf returns the index of the account with the number that was not REJECTED, or -1.
func (m *accountsMachine) indexOf(number string) int {
	return slices.IndexFunc(m.All, func(a merchant.BankAccount) bool {
		return a.IBAN == number && a.Status != merchant.BankAccountRejected
	})
}

func (m *accountsMachine) count(status merchant.BankAccountStatus) (n int) {
	for _, a := range m.All {
		if a.Status == status {
			n++
		}
	}
	return n
}

func (m *accountsMachine) check(t *rapid.T) {
	pending := m.count(merchant.BankAccountPending)
	if verified := m.count(merchant.BankAccountVerified); verified+pending > 10 || pending > 1 ||
		m.count(merchant.BankAccountRejected) > 10 || (pending == 0) != m.CheckAt.IsZero() {
		t.Fatalf("got %d verified, %d pending, %d in all, next check %s", verified, pending, len(m.All), m.CheckAt)
	}
	ids := map[string]bool{}
	for i, a := range m.All {
		if a.Status != merchant.BankAccountRejected && m.indexOf(a.IBAN) != i {
			t.Fatalf("got %+v, want one account with its number", m.All)
		}
		if verdict := m.final[a.ID]; verdict != "" && a.Status != verdict || ids[a.ID] {
			t.Fatalf("%s: got %s, want %s, once", a.ID, a.Status, verdict)
		}
		ids[a.ID] = true
	}
	primary, is := m.Get(m.Primary)
	switch {
	case len(m.All) > 0 && !is:
		t.Fatalf("got primary %q, want one of the accounts", m.Primary)
	case m.Paid != m.paid:
		t.Fatalf("got %q paid, want %q", m.Paid, m.paid)
	case m.Paid != "" && m.Payee().Status != merchant.BankAccountVerified:
		t.Fatalf("got payee %+v, want a VERIFIED one", m.Payee())
	case is && m.Primary != m.Paid && primary.Status != merchant.BankAccountPending &&
		(m.Paid != "" || primary.Status != merchant.BankAccountRejected):
		t.Fatalf("got primary %+v beside %q, want a pending one", primary, m.Paid)
	}
}
