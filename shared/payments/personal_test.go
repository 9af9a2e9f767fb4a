package payments_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// fields returns a pointer to each leaf of the details, by JSON path.
var fields = map[string]func(*payments.PersonalDetails) *string{
	"first_name":          func(d *payments.PersonalDetails) *string { return &d.FirstName },
	"last_name":           func(d *payments.PersonalDetails) *string { return &d.LastName },
	"email":               func(d *payments.PersonalDetails) *string { return &d.Email },
	"phone":               func(d *payments.PersonalDetails) *string { return &d.Phone },
	"birth_date":          func(d *payments.PersonalDetails) *string { return &d.BirthDate },
	"tax_id":              func(d *payments.PersonalDetails) *string { return &d.TaxID },
	"address.city":        func(d *payments.PersonalDetails) *string { return &d.Address.City },
	"address.country":     func(d *payments.PersonalDetails) *string { return &d.Address.Country },
	"address.line_1":      func(d *payments.PersonalDetails) *string { return &d.Address.Line1 },
	"address.line_2":      func(d *payments.PersonalDetails) *string { return &d.Address.Line2 },
	"address.postal_code": func(d *payments.PersonalDetails) *string { return &d.Address.PostalCode },
	"address.state":       func(d *payments.PersonalDetails) *string { return &d.Address.State },
}

func filled(value string) payments.PersonalDetails {
	var d payments.PersonalDetails
	for _, field := range fields {
		*field(&d) = value
	}
	return d
}

// changeTo returns a change that names the given fields, by JSON path, as a request does.
func changeTo(t interface{ Fatal(...any) }, named map[string]string) *payments.PersonalDetailsChange {
	body, address := map[string]any{}, map[string]any{}
	for path, value := range named {
		if name, within := strings.CutPrefix(path, "address."); within {
			address[name] = value
		} else {
			body[path] = value
		}
	}
	body["address"] = address
	var c payments.PersonalDetailsChange
	if err := json.Unmarshal([]byte(asJSON(t, body)), &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

// TestApply_FieldByField checks that a PUT merges field by field, also in the address (contract §5.1).
func TestApply_FieldByField(t *testing.T) {
	t.Parallel()
	for changed := range fields {
		for _, value := range []string{"new", ""} {
			old := filled("old")
			merged := changeTo(t, map[string]string{changed: value}).Apply(old)
			for name, other := range fields {
				want := "old"
				if name == changed {
					want = value
				}
				if got := *other(&merged); got != want {
					t.Errorf("%s = %q: got %s %q, want %q", changed, value, name, got, want)
				}
			}
			if diff := cmp.Diff(filled("old"), old); diff != "" {
				t.Errorf("%s: the old details were altered (-want +got):\n%s", changed, diff)
			}
		}
	}
}

func TestApply_Nothing(t *testing.T) {
	t.Parallel()
	old := filled("old")
	for name, change := range map[string]*payments.PersonalDetailsChange{
		"nil": nil, "empty": {}, "empty address": {Address: &payments.AddressChange{}},
	} {
		if diff := cmp.Diff(old, change.Apply(old)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := (&payments.PersonalDetailsChange{}).Apply(payments.PersonalDetails{}); got != (payments.PersonalDetails{}) {
		t.Errorf("nothing applied to no details: got %+v, want none", got)
	}
}

// TestApply_LastChangeWins checks that the last change to name a field decides its value.
func TestApply_LastChangeWins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		got, want := filled("old"), filled("old")
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			named := map[string]string{}
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				if rapid.Bool().Draw(t, name) {
					named[name] = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "value")
					*fields[name](&want) = named[name]
				}
			}
			change := changeTo(t, named)
			got = change.Apply(change.Apply(got)) // the second time must change nothing
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("details (-want +got):\n%s", diff)
		}
	})
}

func asJSON(t interface{ Fatal(...any) }, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPersonalDetails_Faults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 256)
	for name, c := range map[string]struct {
		field, value string
		country      string
		want         string
	}{
		"longest first name":  {field: "first_name", value: long[2:]},
		"first name too long": {field: "first_name", value: long, want: "INVALID personal_details.first_name"},
		"last name too long":  {field: "last_name", value: long, want: "INVALID personal_details.last_name"},
		"phone too long":      {field: "phone", value: long, want: "INVALID personal_details.phone"},
		"tax_id too long":     {field: "tax_id", value: long, want: "INVALID personal_details.tax_id"},
		"city too long":       {field: "address.city", value: long, want: "INVALID personal_details.address.city"},
		"line_1 too long":     {field: "address.line_1", value: long, want: "INVALID personal_details.address.line_1"},
		"line_2 too long":     {field: "address.line_2", value: long, want: "INVALID personal_details.address.line_2"},
		"code too long": {field: "address.postal_code", value: long,
			want: "INVALID personal_details.address.postal_code"},
		"state too long":     {field: "address.state", value: long, want: "INVALID personal_details.address.state"},
		"email":              {field: "email", value: "a.b+c@mail.example"},
		"no email":           {field: "email", value: ""},
		"email with a name":  {field: "email", value: "Ana <ana@mail.example>", want: "INVALID personal_details.email"},
		"email without host": {field: "email", value: "ana@", want: "INVALID personal_details.email"},
		"leap day":           {field: "birth_date", value: "2004-02-29"},
		"no birth date":      {field: "birth_date", value: "", want: "INVALID personal_details.birth_date"},
		"born today":         {field: "birth_date", value: "2026-11-20"},
		"born tomorrow":      {field: "birth_date", value: "2026-11-21", want: "INVALID personal_details.birth_date"},
		"born in 1900":       {field: "birth_date", value: "1900-01-01"},
		"born in 1899":       {field: "birth_date", value: "1899-12-31", want: "INVALID personal_details.birth_date"},
		"born in 9999":       {field: "birth_date", value: "9999-12-31", want: "INVALID personal_details.birth_date"},
		"no such day":        {field: "birth_date", value: "2005-02-29", want: "INVALID personal_details.birth_date"},
		"other date form":    {field: "birth_date", value: "29.02.2004", want: "INVALID personal_details.birth_date"},
		"date and time": {field: "birth_date", value: "2004-02-29T00:00:00Z",
			want: "INVALID personal_details.birth_date"},
		"country":          {field: "address.country", value: "DE"},
		"empty country":    {field: "address.country", value: "", want: "INVALID personal_details.address.country"},
		"no such country":  {field: "address.country", value: "ZZ", want: "INVALID personal_details.address.country"},
		"small country":    {field: "address.country", value: "de", want: "INVALID personal_details.address.country"},
		"alpha-3 country":  {field: "address.country", value: "DEU", want: "INVALID personal_details.address.country"},
		"CEP":              {field: "address.postal_code", value: "01310-100", country: "BR"},
		"CEP without dash": {field: "address.postal_code", value: "01310100", country: "BR"},
		"short CEP": {field: "address.postal_code", value: "01310-10", country: "BR",
			want: "INVALID personal_details.address.postal_code"},
		"dash elsewhere": {field: "address.postal_code", value: "0131-0100", country: "BR",
			want: "INVALID personal_details.address.postal_code"},
		"CEP elsewhere":   {field: "address.postal_code", value: "SW1A 1AA", country: "GB"},
		"Brazilian state": {field: "address.state", value: "TO", country: "BR"},
		"no such state": {field: "address.state", value: "XX", country: "BR",
			want: "INVALID personal_details.address.state"},
		"small state": {field: "address.state", value: "sp", country: "BR",
			want: "INVALID personal_details.address.state"},
		"state elsewhere": {field: "address.state", value: "XX", country: "US"},
	} {
		named := map[string]string{c.field: c.value}
		if c.country != "" {
			named["address.country"] = c.country
		}
		if got := strings.Join(faultCodes(detailFaults(changeTo(t, named))), ","); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// detailFaults returns the faults of the details in a request.
func detailFaults(d *payments.PersonalDetailsChange) failure.List {
	return validate.Fields(struct {
		Details *payments.PersonalDetailsChange `json:"personal_details"`
	}{d}, birthday)
}

// birthday is the day on which these tests check details.
var birthday = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// TestPersonalDetails_ControlCharacters checks that no free text of a payer accepts control characters.
func TestPersonalDetails_ControlCharacters(t *testing.T) {
	t.Parallel()
	for name := range fields {
		for _, control := range []string{"\x00", "\n", "\x7f", "\u0085"} {
			got, want := faultCodes(detailFaults(changeTo(t, map[string]string{name: "a" + control}))),
				"INVALID personal_details."+name
			if !slices.Contains(got, want) {
				t.Errorf("%s with %q: got faults %v, want %s among them", name, control, got, want)
			}
		}
	}
}

func TestPersonalDetails_AllFaults(t *testing.T) {
	t.Parallel()
	named := map[string]string{}
	for name := range fields {
		named[name] = strings.Repeat("x", 256)
	}
	named["address.country"] = "BR"
	var got []string
	for _, f := range detailFaults(changeTo(t, named)) {
		got = append(got, strings.TrimPrefix(f.Param, "personal_details."))
	}
	slices.Sort(got)
	want := []string{
		"address.city", "address.line_1", "address.line_2", "address.postal_code", "address.postal_code",
		"address.state", "address.state",
		"birth_date", "email", "email", "first_name", "last_name", "phone", "tax_id",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got faults of %v, want of %v", got, want)
	}
	if faults := detailFaults(nil); faults != nil {
		t.Errorf("no details: got faults %v, want none", faults)
	}
	if faults := detailFaults(&payments.PersonalDetailsChange{}); faults != nil {
		t.Errorf("empty details: got faults %v, want none", faults)
	}
}

// TestAddressChange_LineAliases checks that line1 means line_1, and that line_1 wins (contract §2.2).
func TestAddressChange_LineAliases(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]string{
		`{"line_1":"a","line_2":"b"}`:             {"a", "b"},
		`{"line1":"a","line2":"b"}`:               {"a", "b"},
		`{"line_1":"a","line2":"b"}`:              {"a", "b"},
		`{"line1":"x","line_1":"a","line2":"b"}`:  {"a", "b"},
		`{"line_1":null,"line1":"a","line2":"b"}`: {"a", "b"},
	} {
		var d payments.PersonalDetailsChange
		if err := json.Unmarshal([]byte(`{"first_name":"Ana","address":`+body+`}`), &d); err != nil {
			t.Fatal(err)
		}
		if got := [2]string{d.Address.Line1.Or(""), d.Address.Line2.Or("")}; got != want {
			t.Errorf("%s: got lines %q, want %q", body, got, want)
		}
	}
	var d payments.PersonalDetailsChange
	if err := json.Unmarshal([]byte(`{"address":{"city":"Köln","line1":5}}`), &d); err == nil {
		t.Errorf("a number as a line: got %+v, want an error", d.Address)
	}
	if got, want := asJSON(t, payments.Address{Line1: "a"}), `{"line_1":"a"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
