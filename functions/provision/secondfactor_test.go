package provision_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// turnOn turns on the member's second factor.
func (d operator) turnOn(m member.Member) {
	d.Helper()
	account := signin.Account{Kind: identity.User, ID: m.User()}
	_, err := d.App.Store.ChangeSecondFactor(d.Context(), account, func(f signin.Factor) (signin.Factor, error) {
		f.Enrolment, f.ConfirmedAt = "app", d.Clock.Now()
		return f, nil
	})
	if err != nil {
		d.Fatal(err)
	}
}

// TestRemoveSecondFactor checks that the command removes the factor of a user and of a managed user, with an entry in
// the audit.
func TestRemoveSecondFactor(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	shop := d.shop(m)
	till := shop.Employ("till@example.com", member.Permissions{})
	var want []string
	for _, of := range []member.Member{shop.Owner(), till} {
		remove := fields{"command": "remove_second_factor", "merchant_code": m.Code, "email": of.Email}
		d.checkRefused(remove, "NOT_FOUND", "")
		d.turnOn(of)
		answer := fields{"merchant_code": m.Code, "mode": "test", "email": of.Email, "removed": true}
		if diff := cmp.Diff(answer, run[fields](d, remove)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", of.Email, diff)
		}
		if f, err := d.App.Store.SecondFactor(t.Context(), of.User()); err != nil || f.Confirmed() {
			t.Errorf("%s: got %+v, %v, want it off", of.Email, f, err)
		}
		d.checkRefused(remove, "NOT_FOUND", "")
		want = append(want, "test member "+of.ID+` {"second_factor":true} {"second_factor":false}`)
	}
	var got []string
	for _, e := range d.listAudit(m, nil).Entries {
		if e.Operation == "remove_second_factor" {
			got = append(got, fmt.Sprintf("%s %s %s %s", e.Mode, e.Subject, e.Before, e.After))
		}
	}
	slices.Sort(want)
	slices.Sort(got) // the entries have the same time, so their order is not fixed
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		changes     fields
		code, param string
	}{
		{fields{"merchant_code": "MC00000000"}, "NOT_FOUND", ""},
		{fields{"mode": "live"}, "INVALID", "mode"},
		{fields{"email": ""}, "MISSING", "email"},
		{fields{"email": "nobody@example.com"}, "NOT_FOUND", ""},
	} {
		command := fields{"command": "remove_second_factor", "merchant_code": m.Code, "email": till.Email}
		d.checkRefused(with(command, c.changes), c.code, c.param)
	}
}
