package customers_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestCustomer_FirstFault checks the order of faults: first the id, then the details, and last a customer who does not
// exist.
func TestCustomer_FirstFault(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	long := strings.Repeat("x", 256)
	worst := map[string]any{"email": long, "tax_id": long, "birth_date": "",
		"address": map[string]any{"state": long, "country": ""}}
	missing("customer_id").Check(t, createCustomer(s, "", worst))
	invalid("customer_id").Check(t, createCustomer(s, long, worst))
	for _, c := range []struct {
		param  string
		repair func()
	}{
		{"email", func() { worst["email"] = "ada" }},
		{"tax_id", func() { worst["tax_id"] = "" }},
		{"email", func() { worst["email"] = "" }},
		{"birth_date", func() { worst["birth_date"] = "1899-12-31" }},
		{"birth_date", func() { worst["birth_date"] = "1900-01-01" }},
		{"address.state", func() { worst["address"] = map[string]any{"country": "", "state": "XX"} }},
		{"address.country", func() { worst["address"] = map[string]any{"country": "BR", "state": "XX"} }},
		{"address.state", func() { worst["address"] = map[string]any{"country": "BR", "state": ""} }},
	} {
		want := invalid("personal_details." + c.param)
		want.Check(t, createCustomer(s, "customer", worst))
		want.Check(t, s.Send("PUT", at("nobody"), map[string]any{"personal_details": worst}))
		c.repair()
	}
	s.Must(201, createCustomer(s, "customer", worst))
	notFound.Check(t, s.Send("PUT", at("nobody"), map[string]any{"personal_details": worst}))
}
