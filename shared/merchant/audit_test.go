package merchant_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

func auditText(t *testing.T, s merchant.State) string {
	t.Helper()
	text, err := json.Marshal(s.ForAudit())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// unaudited has the fields that the view does not show: internal fields, a number and its check digit beside an IBAN,
// and fields that the account's audit shows.
var unaudited = map[string]bool{"Code": true, "GrownAt": true, "CreatedAt": true, "UpdatedAt": true, "Version": true,
	"CheckAt": true, "AccountNumber": true, "CheckDigit": true, "Copied": true}

// TestForAudit_EachField checks that the view shows each field, but no account number.
func TestForAudit_EachField(t *testing.T) {
	t.Parallel()
	state := storedtest.Fill[merchant.State](t, &storedtest.Filler{})
	shown := auditText(t, state)
	seen := 0
	for _, part := range []struct {
		of   any
		with func(any) merchant.State
	}{
		{state.Merchant, func(v any) merchant.State { s := state; s.Merchant = v.(merchant.Merchant); return s }},
		{state.Merchant.Settings.Live, func(v any) merchant.State {
			return state.WithSettings(identity.Live, v.(merchant.Settings))
		}},
		{state.Accounts.Test.All[0], func(v any) merchant.State {
			accounts := *state.Accounts.Test
			accounts.All = slices.Clone(accounts.All)
			accounts.All[0] = v.(merchant.BankAccount)
			return state.WithBankAccounts(identity.Test, accounts)
		}},
		{*state.Accounts.Live, func(v any) merchant.State {
			return state.WithBankAccounts(identity.Live, v.(merchant.BankAccounts))
		}},
	} {
		for i := range reflect.TypeOf(part.of).NumField() {
			field := reflect.TypeOf(part.of).Field(i)
			changed := reflect.New(reflect.TypeOf(part.of)).Elem()
			changed.Set(reflect.ValueOf(part.of))
			changed.Field(i).SetZero()
			if got := auditText(t, part.with(changed.Interface())) != shown; got == unaudited[field.Name] {
				t.Errorf("%T.%s: got a change that is shown %t, want %t", part.of, field.Name, got, !got)
			}
			seen++
		}
	}
	if seen < 30 {
		t.Errorf("got %d fields, want 30 or more", seen)
	}
	for _, accounts := range []*merchant.BankAccounts{state.Accounts.Live, state.Accounts.Test} {
		for _, a := range accounts.All {
			if a.IBAN == "" || strings.Contains(shown, a.IBAN) || strings.Contains(shown, a.AccountNumber) {
				t.Errorf("got %s, want no number of %+v", shown, a)
			}
		}
	}
	held := *state.Schedules.Live
	held.Held = !held.Held
	if auditText(t, state.WithSchedule(identity.Live, held)) == shown {
		t.Error("held: got no difference, want one")
	}
}
