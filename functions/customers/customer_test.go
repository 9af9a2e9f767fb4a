package customers_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// everything holds every personal detail that a customer can have.
const everything = `{"first_name":"Ada","last_name":"Lovelace","email":"ada@example.com","phone":"+4930123",` +
	`"birth_date":"1915-12-10",` +
	`"tax_id":"123","address":{"city":"Berlin","country":"DE","line_1":"Weg 1","line_2":"Hof","postal_code":"10115",` +
	`"state":"BE"}}`

func TestCreateCustomer_Valid(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	for name, c := range map[string]struct{ id, details, want string }{
		"everything": {"ada", everything, everything},
		"nothing":    {"nobody", `{}`, `{}`},
		"null":       {"null", `null`, `{}`},
		"null in it": {"nulls", `{"first_name":null,"email":"a@b.example","address":{"city":null,"country":"FR"}}`,
			`{"email":"a@b.example","address":{"country":"FR"}}`},
		"other names of lines": {"lines", `{"address":{"line1":"A","line2":"B"}}`, `{"address":{"line_1":"A","line_2":"B"}}`},
		"both names of a line": {"both", `{"address":{"line1":"A","line_1":"B"}}`, `{"address":{"line_1":"B"}}`},
		"unknown members":      {"unknown", `{"nick":"x","first_name":"Ada"}`, `{"first_name":"Ada"}`},
		"longest id":           {strings.Repeat("é", 255), `{}`, `{}`},
		"longest path":         {strings.Repeat("🙂", 255), `{}`, `{}`},
		"an id of all sorts":   {"a/b c?d#e%2F&ü+;=@:", `{"first_name":"<Ada> & Co"}`, `{"first_name":"<Ada> & Co"}`},
		"longest tax id": {"tax", `{"tax_id":"` + strings.Repeat("1", 255) + `"}`,
			`{"tax_id":"` + strings.Repeat("1", 255) + `"}`},
		"Brazilian": {"br", `{"address":{"country":"BR","postal_code":"01310100","state":"SP"}}`,
			`{"address":{"country":"BR","postal_code":"01310100","state":"SP"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			checkCustomer(t, s.Must(201, createCustomer(s, c.id, json.RawMessage(c.details))), c.id, c.want)
			checkCustomer(t, s.Must(200, s.Send("GET", at(c.id), nil)), c.id, c.want)
		})
	}
	t.Run("only an id", func(t *testing.T) {
		checkCustomer(t, s.Must(201, s.Send("POST", collection, map[string]any{"customer_id": "bare"})), "bare", `{}`)
	})
}

// badDetails lists personal details that are refused.
var badDetails = []struct {
	name, details string
	want          world.Refusal
}{
	{"no object", `"Ada"`, invalid("personal_details")},
	{"name no text", `{"first_name":1}`, invalid("personal_details.first_name")},
	{"name too long", `{"first_name":"` + strings.Repeat("x", 256) + `"}`, invalid("personal_details.first_name")},
	{"last name too long", `{"last_name":"` + strings.Repeat("x", 256) + `"}`, invalid("personal_details.last_name")},
	{"phone too long", `{"phone":"` + strings.Repeat("1", 256) + `"}`, invalid("personal_details.phone")},
	{"tax id too long", `{"tax_id":"` + strings.Repeat("1", 256) + `"}`, invalid("personal_details.tax_id")},
	{"email without a host", `{"email":"ada@"}`, invalid("personal_details.email")},
	{"email with a name", `{"email":"Ada <ada@example.com>"}`, invalid("personal_details.email")},
	{"two emails", `{"email":"ada@example.com, eve@example.com"}`, invalid("personal_details.email")},
	{"birth date of another form", `{"birth_date":"10.12.1915"}`, invalid("personal_details.birth_date")},
	{"birth date with a time", `{"birth_date":"1915-12-10T00:00:00Z"}`, invalid("personal_details.birth_date")},
	{"day that never was", `{"birth_date":"1915-02-29"}`, invalid("personal_details.birth_date")},
	{"empty birth date", `{"birth_date":""}`, invalid("personal_details.birth_date")},
	{"born tomorrow", `{"birth_date":"` + world.Start.AddDate(0, 0, 1).Format(time.DateOnly) + `"}`,
		invalid("personal_details.birth_date")},
	{"born before 1900", `{"birth_date":"1899-12-31"}`, invalid("personal_details.birth_date")},
	{"name with a line break", `{"first_name":"Ada\nLovelace"}`, invalid("personal_details.first_name")},
	{"city with a C1 control", `{"address":{"city":"Berlin\u0085"}}`, invalid("personal_details.address.city")},
	{"empty country", `{"address":{"country":""}}`, invalid("personal_details.address.country")},
	{"country's name", `{"address":{"country":"Germany"}}`, invalid("personal_details.address.country")},
	{"country in small letters", `{"address":{"country":"de"}}`, invalid("personal_details.address.country")},
	{"no country of earth", `{"address":{"country":"XX"}}`, invalid("personal_details.address.country")},
	{"city too long", `{"address":{"city":"` + strings.Repeat("x", 256) + `"}}`, invalid("personal_details.address.city")},
	{"line too long", `{"address":{"line1":"` + strings.Repeat("x", 256) + `"}}`,
		invalid("personal_details.address.line_1")},
	{"Brazilian postal code", `{"address":{"country":"BR","postal_code":"0131-0100"}}`,
		invalid("personal_details.address.postal_code")},
	{"Brazilian state", `{"address":{"country":"BR","state":"BE"}}`, invalid("personal_details.address.state")},
}

func TestCreateCustomer_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	for name, c := range map[string]struct {
		body any
		want world.Refusal
	}{
		"nothing":      {map[string]any{}, missing("customer_id")},
		"no body":      {nil, missing("customer_id")},
		"null":         {map[string]any{"customer_id": nil}, missing("customer_id")},
		"empty":        {map[string]any{"customer_id": ""}, missing("customer_id")},
		"too long":     {map[string]any{"customer_id": strings.Repeat("é", 256)}, invalid("customer_id")},
		"no text":      {map[string]any{"customer_id": 7}, invalid("customer_id")},
		"half a pair":  {`{"customer_id":"a\ud800"}`, malformed},
		"line break":   {map[string]any{"customer_id": "a\nb"}, invalid("customer_id")},
		"only details": {map[string]any{"personal_details": json.RawMessage(everything)}, missing("customer_id")},
		"no JSON":      {`{"customer_id":`, malformed},
		"a list":       {`[1]`, malformed},
		"a name twice": {`{"customer_id":"a","customer_id":"b"}`, malformed},
	} {
		t.Run(name, func(t *testing.T) { c.want.Check(t, s.Send("POST", collection, c.body)) })
	}
	for _, c := range badDetails {
		t.Run(c.name, func(t *testing.T) {
			c.want.Check(t, createCustomer(s, "refused", json.RawMessage(c.details)))
			notFound.Check(t, s.Send("GET", at("refused"), nil))
		})
	}
}

func TestCreateCustomer_Twice(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.OtherShop()
	s.Must(201, createCustomer(s, "ada", json.RawMessage(`{"first_name":"Ada"}`)))
	for _, details := range []string{`{"first_name":"Ada"}`, `{"first_name":"Eve"}`, `{}`} {
		exists.Check(t, createCustomer(s, "ada", json.RawMessage(details)))
	}
	s.Must(201, createCustomer(s, "ADA", nil))
	s.Must(201, createCustomer(other, "ada", json.RawMessage(`{"first_name":"Eve"}`)))
	checkCustomer(t, s.Send("GET", at("ada"), nil), "ada", `{"first_name":"Ada"}`)
	checkCustomer(t, other.Send("GET", at("ada"), nil), "ada", `{"first_name":"Eve"}`)
}

func TestIdempotencyKey_CreateCustomer(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	send := func(id string) world.Response {
		return s.Do(world.Request{Method: "POST", Path: collection, Body: map[string]any{"customer_id": id},
			IdempotencyKey: "k"})
	}
	first := s.Must(201, send("ada"))
	s.Clock.Advance(time.Minute)
	second := s.Must(201, send("ada"))
	replayed := second.Header.Get("Idempotency-Replayed")
	if string(first.Body) != string(second.Body) || replayed != "true" {
		t.Errorf("replay: got %s, Idempotency-Replayed %q\nwant %s, true", second.Body, replayed, first.Body)
	}
	world.Refused(422, "IDEMPOTENCY_KEY_REUSED", "", "idempotency-key-reused").Check(t, send("eve"))
	notFound.Check(t, s.Send("GET", at("eve"), nil))
}

// TestUpdateCustomer_Merge checks that an update changes only the fields sent, also within the address (contract §5.1).
func TestUpdateCustomer_Merge(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	replace := func(old, new string) string { return strings.Replace(everything, old, new, 1) }
	for name, c := range map[string]struct{ update, want string }{
		"first_name":  {`{"first_name":"Grace"}`, replace("Ada", "Grace")},
		"last_name":   {`{"last_name":"Hopper"}`, replace("Lovelace", "Hopper")},
		"email":       {`{"email":"grace@example.com"}`, replace("ada@", "grace@")},
		"phone":       {`{"phone":"1"}`, replace("+4930123", "1")},
		"birth_date":  {`{"birth_date":"1906-12-09"}`, replace("1915-12-10", "1906-12-09")},
		"tax_id":      {`{"tax_id":"4"}`, replace(`"123"`, `"4"`)},
		"city":        {`{"address":{"city":"Bonn"}}`, replace("Berlin", "Bonn")},
		"country":     {`{"address":{"country":"AT"}}`, replace(`"DE"`, `"AT"`)},
		"line_1":      {`{"address":{"line_1":"Gasse 2"}}`, replace("Weg 1", "Gasse 2")},
		"line1":       {`{"address":{"line1":"Gasse 2"}}`, replace("Weg 1", "Gasse 2")},
		"line_2":      {`{"address":{"line_2":"Keller"}}`, replace("Hof", "Keller")},
		"line2":       {`{"address":{"line2":"Keller"}}`, replace("Hof", "Keller")},
		"postal_code": {`{"address":{"postal_code":"53111"}}`, replace("10115", "53111")},
		"state":       {`{"address":{"state":"NW"}}`, replace(`"BE"`, `"NW"`)},
		"several": {`{"first_name":"Grace","address":{"city":"Bonn"}}`,
			strings.Replace(replace("Ada", "Grace"), "Berlin", "Bonn", 1)},
		"nothing":              {`{}`, everything},
		"null":                 {`null`, everything},
		"null fields":          {`{"first_name":null,"address":{"city":null}}`, everything},
		"null address":         {`{"address":null}`, everything},
		"empty address":        {`{"address":{}}`, everything},
		"what does not belong": {`{"nick":"x","address":{"planet":"x"}}`, everything},
	} {
		t.Run(name, func(t *testing.T) {
			s.Must(201, createCustomer(s, name, json.RawMessage(everything)))
			checkCustomer(t, s.Must(200, s.Send("PUT", at(name),
				map[string]any{"personal_details": json.RawMessage(c.update)})), name, c.want)
			checkCustomer(t, s.Must(200, s.Send("GET", at(name), nil)), name, c.want)
		})
	}
	t.Run("from nothing", func(t *testing.T) {
		s.Must(201, createCustomer(s, "new", nil))
		for _, body := range []any{nil, map[string]any{}, map[string]any{"customer_id": "other"}} {
			checkCustomer(t, s.Must(200, s.Send("PUT", at("new"), body)), "new", `{}`)
		}
		checkCustomer(t, s.Must(200, s.Send("PUT", at("new"),
			map[string]any{"personal_details": json.RawMessage(everything)})), "new", everything)
	})
}

func TestUpdateCustomer_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.Must(201, createCustomer(s, "ada", json.RawMessage(everything)))
	for _, c := range badDetails {
		t.Run(c.name, func(t *testing.T) {
			c.want.Check(t, s.Send("PUT", at("ada"), map[string]any{"personal_details": json.RawMessage(c.details)}))
			checkCustomer(t, s.Send("GET", at("ada"), nil), "ada", everything)
		})
	}
	t.Run("good and bad", func(t *testing.T) {
		invalid("personal_details.email").Check(t, s.Send("PUT", at("ada"),
			map[string]any{"personal_details": map[string]any{"first_name": "Eve", "email": "x"}}))
		malformed.Check(t, s.Send("PUT", at("ada"), `{`))
		checkCustomer(t, s.Send("GET", at("ada"), nil), "ada", everything)
	})
}

// TestUpdateCustomer_EmptyText checks that an empty text removes a detail, because forms send empty texts (contract
// §2.3). An empty date or country is invalid (see badDetails).
func TestUpdateCustomer_EmptyText(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.Must(201, createCustomer(s, "ada", json.RawMessage(everything)))
	details := json.RawMessage(`{"first_name":"","email":"","address":{"line_2":""}}`)
	for _, c := range []struct{ method, path, id, left string }{
		{"PUT", at("ada"), "ada", `{"last_name":"Lovelace","phone":"+4930123","birth_date":"1915-12-10","tax_id":"123",` +
			`"address":{"city":"Berlin","country":"DE","line_1":"Weg 1","postal_code":"10115","state":"BE"}}`},
		{"POST", collection, "empty", `{}`},
	} {
		body := map[string]any{"customer_id": c.id, "personal_details": details}
		checkCustomer(t, s.Send(c.method, c.path, body), c.id, c.left)
		checkCustomer(t, s.Must(200, s.Send("GET", at(c.id), nil)), c.id, c.left)
	}
}

// TestAddress_Empty checks that an address without fields is left out of the response, like every unknown detail
// (contract §5.1).
func TestAddress_Empty(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	emptied := `"address":{"line_1":"","line_2":"","city":"","postal_code":"","state":""}`
	for name, c := range map[string]struct{ created, updated, left string }{
		"created so":           {`{` + emptied + `}`, ``, `{}`},
		"created as an object": {`{"address":{}}`, ``, `{}`},
		"created with null":    {`{"address":{"city":null}}`, ``, `{}`},
		"emptied": {`{"first_name":"Ada","address":{"line_1":"Weg 1","city":"Berlin"}}`, `{` + emptied + `}`,
			`{"first_name":"Ada"}`},
		"emptied in another spelling": {`{"address":{"line_1":"Weg 1","line_2":"Hof"}}`,
			`{"address":{"line1":"","line2":""}}`, `{}`},
		"nothing to nothing": {`{}`, `{"address":{}}`, `{}`},
		"not all of it": {`{"address":{"line_1":"Weg 1","country":"DE"}}`, `{` + emptied + `}`,
			`{"address":{"country":"DE"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := s.Must(201, createCustomer(s, name, json.RawMessage(c.created)))
			if c.updated != "" {
				got = s.Send("PUT", at(name), map[string]any{"personal_details": json.RawMessage(c.updated)})
			}
			checkCustomer(t, got, name, c.left)
			checkCustomer(t, s.Must(200, s.Send("GET", at(name), nil)), name, c.left)
		})
	}
}
