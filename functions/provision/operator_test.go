package provision_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// TestUpdateOperator checks that a command sets only the given app settings.
func TestUpdateOperator(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	of := identity.Tenant{Mode: identity.Test, Merchant: m.Code}
	employee, err := d.App.Store.CreateMember(t.Context(), world.ByTest, of, "till@example.com", "operation",
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewEmployee(id, member.Registration{Email: "till@example.com"}, nil, d.Clock.Now()), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	update := func(settings any, more fields) fields {
		f := fields{"command": "update_operator", "merchant_code": m.Code, "operator_id": employee.Number(),
			"app_settings": settings}
		for name, value := range more {
			f[name] = value
		}
		return f
	}
	want := merchant.AppSettings{}
	for _, c := range []struct {
		settings fields
		change   func()
	}{
		{fields{"tips_enabled": true, "tip_rates": []float64{0.1, 0.2}}, func() {
			want.TipsEnabled, want.TipRates = true, []money.Decimal{"0.1", "0.2"}
		}},
		{fields{"font_name": "Inter"}, func() { want.FontName = "Inter" }},
		{fields{"tip_rates": []float64{0.3}}, func() { want.TipRates = []money.Decimal{"0.3"} }},
		{fields{}, func() {}},
	} {
		run[any](d, update(c.settings, nil))
		c.change()
		if got, err := d.App.Store.Member(t.Context(), of, employee.Number()); err != nil ||
			!cmp.Equal(got.AppSettings, want) {
			t.Errorf("%v: got %+v, %v, want %+v", c.settings, got.AppSettings, err, want)
		}
	}
	for _, c := range map[string]struct {
		command     fields
		code, param string
	}{
		"too long":         {update(fields{"font_name": strings.Repeat("x", 33)}, nil), "INVALID", "app_settings.font_name"},
		"unknown":          {update(fields{"font": "Inter"}, nil), "INVALID", "app_settings.font"},
		"another type":     {update(fields{"tips_enabled": 1}, nil), "INVALID", "app_settings.tips_enabled"},
		"no object":        {update("x", nil), "INVALID", "app_settings"},
		"a rate above one": {update(fields{"tip_rates": []float64{1.5}}, nil), "INVALID", "app_settings.tip_rates.0"},
		"none": {fields{"command": "update_operator", "merchant_code": m.Code, "operator_id": 1},
			"MISSING", "app_settings"},
		"unknown operator": {update(fields{}, fields{"operator_id": 1}), "NOT_FOUND", ""},
		"the owner":        {update(fields{}, fields{"operator_id": member.NumberOf(member.OwnerID(of))}), "NOT_FOUND", ""},
		"the other mode":   {update(fields{}, fields{"mode": "live"}), "INVALID", "mode"},
	} {
		d.checkRefused(c.command, c.code, c.param)
	}
}
