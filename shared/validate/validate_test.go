package validate_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/validate"
)

type hidden struct{ text func() string }

func (h hidden) Reveal() string {
	if h.text == nil {
		return ""
	}
	return h.text()
}

func hide(text string) hidden { return hidden{func() string { return text }} }

type paged struct {
	Limit *int `query:"limit" validate:"min=1 max=9"`
}

type part struct {
	Code  string `json:"code" validate:"required pattern=^[A-Z]+$"`
	Count int    `json:"count" validate:"max=3"`
}

type person struct {
	Name  *string `json:"name" validate:"text=5"`
	Email *string `json:"email" validate:"text=9 then email?"`
	Tax   *string `json:"tax" validate:"text=5"`
	Born  *string `json:"born" validate:"then date own"`
	Home  *place  `json:"home" validate:"then"`
}

// Rule refuses a birth date in the future.
func (p person) Rule(field string, now time.Time) string {
	if field == "born" && *p.Born > now.Format(time.DateOnly) {
		return "is in the future."
	}
	return ""
}

type place struct {
	Country *string `json:"country" validate:"country"`
}

type mode string

func (mode) Values() []string { return []string{"live", "test"} }

type request struct {
	ID    string `path:"id"`
	Size  string `query:"size" validate:"integer=1..99"`
	Modes []mode `query:"modes"`
	paged
	Reference string              `json:"reference" validate:"required text=3"`
	Number    hidden              `json:"number" validate:"required card-number"`
	Kind      string              `json:"kind" validate:"one-of=a|b"`
	Enabled   *bool               `json:"enabled" validate:"required"`
	Note      optional.Of[string] `json:"note" validate:"min=1 text=3"`
	Tags      []string            `json:"tags" validate:"items=2 text=3"`
	Parts     []part              `json:"parts" validate:"items=3"`
	More      []*part             `json:"more"`
	Payer     *person             `json:"payer"`
	Untagged  string
	Story     string `json:"story" validate:"lines=5"`
	Ignored   string `json:"-"`
}

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// newValidRequest returns a request that breaks no rule.
func newValidRequest() request {
	yes := true
	return request{Reference: "ref", Number: hide("4200000000000042"), Enabled: &yes}
}

func summary(faults failure.List) []string {
	var all []string
	for _, e := range faults {
		all = append(all, e.Code+" "+e.Param)
	}
	return all
}

func TestFields(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		change func(*request)
		want   []string
	}{
		"good": {func(*request) {}, nil},
		"nothing": {func(r *request) { *r = request{} },
			[]string{"MISSING reference", "MISSING number", "MISSING enabled"}},
		"an empty secret":       {func(r *request) { r.Number = hide("") }, []string{"MISSING number"}},
		"a secret":              {func(r *request) { r.Number = hide("4200000000000043") }, []string{"INVALID number"}},
		"characters count":      {func(r *request) { r.Reference = "äöü" }, nil},
		"too many":              {func(r *request) { r.Reference = "äöüß" }, []string{"INVALID reference"}},
		"a control character":   {func(r *request) { r.Reference = "a\u0085" }, []string{"INVALID reference"}},
		"lines and tabs":        {func(r *request) { r.Story = "a\r\n\tb" }, nil},
		"too many of them":      {func(r *request) { r.Story = "a\r\n\tbc" }, []string{"INVALID story"}},
		"a control in lines":    {func(r *request) { r.Story = "a\v" }, []string{"INVALID story"}},
		"another kind":          {func(r *request) { r.Kind = "c" }, []string{"INVALID kind"}},
		"a kind":                {func(r *request) { r.Kind = "b" }, nil},
		"number in an embed":    {func(r *request) { r.Limit = new(10) }, []string{"INVALID limit"}},
		"number too low":        {func(r *request) { r.Limit = new(0) }, []string{"INVALID limit"}},
		"text of a number":      {func(r *request) { r.Size = "+99" }, nil},
		"text of no number":     {func(r *request) { r.Size = "1.0" }, []string{"INVALID size"}},
		"text of a high number": {func(r *request) { r.Size = "100" }, []string{"INVALID size"}},
		"values of a type":      {func(r *request) { r.Modes = []mode{"live", "dead"} }, []string{"INVALID modes.1"}},
		"optional null":         {func(r *request) { r.Note = optional.Null[string]() }, nil},
		"optional empty":        {func(r *request) { r.Note = optional.Some("") }, []string{"INVALID note"}},
		"optional good":         {func(r *request) { r.Note = optional.Some("abc") }, nil},
		"entries":               {func(r *request) { r.Tags = []string{"a", "b", "c"} }, []string{"INVALID tags"}},
		"an entry":              {func(r *request) { r.Tags = []string{"a", "long"} }, []string{"INVALID tags.1"}},
		"objects": {func(r *request) {
			r.Parts = make([]part, 4)
		}, []string{"INVALID parts", "MISSING parts.0.code", "MISSING parts.1.code", "MISSING parts.2.code",
			"MISSING parts.3.code"}},
		"an object of a list": {func(r *request) {
			r.More = []*part{nil, {Code: "A", Count: 4}, {Code: "a"}}
		}, []string{"INVALID more.1.count", "INVALID more.2.code"}},
		"what may be empty": {func(r *request) { r.Payer = &person{Email: text(""), Name: text("")} }, nil},
		"what may not":      {func(r *request) { r.Payer = &person{Born: text("")} }, []string{"INVALID payer.born"}},
		"a rule of the object": {func(r *request) {
			r.Payer = &person{Born: text("2026-11-21")}
		}, []string{"INVALID payer.born"}},
		"then comes later": {func(r *request) {
			long := text("xxxxxxxxxx")
			r.Kind, r.Payer = "c", &person{Name: long, Email: long, Tax: long, Born: long, Home: &place{Country: long}}
		}, []string{"INVALID kind", "INVALID payer.name", "INVALID payer.email", "INVALID payer.tax", "INVALID payer.email",
			"INVALID payer.born", "INVALID payer.home.country"}},
	} {
		r := newValidRequest()
		c.change(&r)
		for form, faults := range map[string]failure.List{"pointer": validate.Fields(&r, now),
			"value": validate.Fields(r, now)} {
			if got := summary(faults); !slices.Equal(got, c.want) {
				t.Errorf("%s by %s: got %q, want %q", name, form, got, c.want)
			}
		}
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	r := request{Kind: "c", Parts: []part{{Count: 9}}}
	if got, want := summary(validate.Missing(r)), []string{"MISSING reference", "MISSING number", "MISSING enabled",
		"MISSING parts.0.code"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	var faults failure.List
	for _, param := range []string{"payer.tax", "", "payer.name", "kind", "limit", "reference"} {
		faults = append(faults, failure.Invalid(param, "x"))
	}
	if got, want := summary(validate.Order(request{}, faults, "kind")), []string{"INVALID kind", "INVALID limit",
		"INVALID reference", "INVALID payer.tax", "INVALID payer.name", "INVALID "}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestField_Fault(t *testing.T) {
	t.Parallel()
	f := validate.Plan(reflect.TypeFor[request]()).Lookup("query", "limit")
	above, within := f.Fault(reflect.ValueOf(new(10))), f.Fault(reflect.ValueOf(new(1)))
	if none := f.Fault(reflect.ValueOf((*int)(nil))); above == "" || within != "" || none != "" {
		t.Errorf("got faults %q of 10, %q of 1 and %q of none, want one of 10 only", above, within, none)
	}
	if got := validate.Plan(reflect.TypeFor[request]()).Lookup("query", "reference"); got != nil {
		t.Errorf("a member of the body: got %+v in the query, want none", got)
	}
}

func TestPlan_InvalidTag(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]any{
		"no such rule": struct {
			A string `json:"a" validate:"long"`
		}{},
		"no number": struct {
			A string `json:"a" validate:"text=many"`
		}{},
		"a rule of texts on a number": struct {
			A int `json:"a" validate:"text=3"`
		}{},
		"a length of a bool": struct {
			A bool `json:"a" validate:"max=3"`
		}{},
		"entries of no list": struct {
			A string `json:"a" validate:"items=3"`
		}{},
		"bounds of no number": struct {
			A string `json:"a" validate:"integer=1-3"`
		}{},
		"an argument of a format": struct {
			A string `json:"a" validate:"date=3"`
		}{},
		"then twice": struct {
			A string `json:"a" validate:"text=1 then date then email"`
		}{},
		"own without a method": struct {
			A string `json:"a" validate:"own"`
		}{},
		"no client can fill it": struct {
			A string `validate:"text=1"`
		}{},
		"own in an embedded type that is not exported": struct{ embedded }{},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("got no panic, want one")
				}
			}()
			validate.Plan(reflect.TypeOf(v))
		})
	}
}

type embedded struct {
	A string `json:"a" validate:"own"`
}

func (embedded) Rule(string, time.Time) string { return "" }

// TestFormats_EmailUnseenCharacters checks that addresses with unseen characters are refused.
func TestFormats_EmailUnseenCharacters(t *testing.T) {
	t.Parallel()
	type request struct {
		Email string `json:"email" validate:"email"`
	}
	for _, unseen := range []rune{
		0x00, '\n', 0x1F, 0x7F, 0x85, 0x9F, // controls
		0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x180E, 0xE0001, 0xE0061, // no width
		0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, // direction
		0x034F, 0x115F, 0x3164, 0xFFA0, 0xFE0F, 0xE0100, // ignorable
		0xA0, 0x2003, 0x2028, 0x2029, 0x3000, // blanks
		0xE000, 0x10FFFD, // private
	} {
		for _, email := range []string{"a" + string(unseen) + "da@example.com", "ada@ex" + string(unseen) + "ample.com",
			`"a` + string(unseen) + `da"@example.com`} {
			if faults := validate.Fields(request{email}, time.Now()); len(faults) != 1 {
				t.Errorf("%q: got faults %v, want it refused", email, faults)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for format, texts := range map[string][2][]string{ // good texts, then bad texts
		"email": {{"ada@example.com", "a+b@x.y", "jörg@bücher.example", "用户@例子.例"}, {"ada", "ada@",
			"Ada <ada@example.com>", " a@b.c", strings.Repeat("x", 250) + "@x.test"}},
		"http-url": {{"https://shop.example/a?b=c#d", "http://shop.example:8080", "HTTPS://shop.example",
			"https://bücher.example", "https://my_shop.example.:65535/", "https://shop.example:/", "http://127.0.0.1:1",
			"http://[::1]:80/", "https://1and1.example"},
			{"https://:443/x", "https:///x", "https://shop.example:0", "https://shop.example:65536",
				"https://shop.example:99999", "https://256.0.0.1", "https://1.2.3", "https://1.2.3.4.5", "https://[1.2.3.4]",
				"https://[fe80::1%25eth0]",
				"https://a..example", "https://.", "https://a%20b.example", "https://a|b.example", "https://shop.example:x",
				"ftp://x", "/a", "javascript:alert(1)", "https://", "https://ada:pw@x.test", "https://x\n",
				"https://x.test/" + strings.Repeat("a", 2048)}},
		"date": {{"2026-02-28"}, {"2026-02-29", "2026-2-1", "20260228", "2026-02-28T00:00:00Z", ""}},
		"date-time": {{"2026-02-28T10:00:00Z", "2026-02-28T10:00:00.5+02:00", "2026-02-28T10:00:00"},
			{"2026-02-28", "2026-02-28T10:00:00,5Z", "tomorrow", ""}},
		"country":     {{"DE", "BR"}, {"XX", "de", "DEU", ""}},
		"currency":    {{"EUR", "HUF"}, {"eur", "XXX", ""}},
		"language":    {{"de", "de-DE", "sr-Latn-ME", "es-419"}, {"German", "de_DE", "DE", ""}},
		"email?":      {{"", "ada@example.com"}, {"ada"}},
		"one-of?=a|b": {{"", "a"}, {"c"}},
		"phone": {{"+493012345678", "+5511987654321", "+1234567", "+123456789012345"},
			{"493012345678", "+49 30 1234", "+0493012345", "+123456", "+1234567890123456", "+49x123456", "+", ""}},
		"iban": {{"DE89370400440532013000", "de89 3704 0044 0532 0130 00"}, {"DE89370400440532013001", "DE", ""}},
		"bic":  {{"COBADEFF", "COBADEFFXXX", "cobadeff xxx"}, {"COBADE", ""}},
		"card-number": {{"4200000000000042", "4111111111111111"}, {"4200000000000043", "42000000000", "4200 0000 0000 0042",
			"４２００００００００００００４２", ""}},
	} {
		for i, list := range texts {
			for _, text := range list {
				field := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[*string](),
					Tag: reflect.StructTag(fmt.Sprintf(`json:"a" validate:"%s"`, format))}})
				v := reflect.New(field).Elem()
				v.Field(0).Set(reflect.ValueOf(&text))
				if got := len(validate.Fields(v.Interface(), now)); got != i {
					t.Errorf("%s %q: got %d faults, want %d", format, text, got, i)
				}
			}
		}
	}
}

func BenchmarkFields(b *testing.B) {
	r := newValidRequest()
	name := "Ada"
	r.Payer = &person{Name: &name}
	b.ReportAllocs()
	for b.Loop() {
		if got := validate.Fields(&r, now); len(got) > 0 {
			b.Fatalf("got faults %v, want none", got)
		}
	}
}

// TestFormats_URLMessages checks the message for each kind of fault. No message may repeat the URL.
func TestFormats_URLMessages(t *testing.T) {
	t.Parallel()
	const host, port = "must have the name or address of a host", "must have a port from 1 to 65535, or none"
	const absolute, control = "must be an absolute http or https URL", "must have no control characters"
	const escape = "must have two hexadecimal digits after each %"
	for text, want := range map[string]string{
		"https://x.test/" + strings.Repeat("a", 2048): "must have at most 2048 bytes",
		"/a": absolute, "x.test": absolute, "//x.test": absolute, "ftp://x.test": absolute, "javascript:alert(1)": absolute,
		"https://ada@x.test": "must have no user information", "https://ada:pw@x.test": "must have no user information",
		"https://": host, "https:///x": host, "https://:443": host, "https://a..test": host, "https://256.0.0.1": host,
		"https://a%20b.test": host, "https://a%2fb.test:80": host, "https://a b.test": host, "https://[fe80::1%25eth0]": host,
		"https://[1.2.3.4]": host, "https://x.test:0": port, "https://x.test:65536": port, "https://x.test:http/": port,
		"https://x.test:8o?a": port, "https://[::1]:x": port, "https://x.test:1:2": port, "https://x.test:-1": port,
		"https://x.test/%zz": escape, "https://x.test/a%2": escape, "https://x.test/%": escape, "https://%zz.test": escape,
		"https://x.test/\n": control, "https://x\t.test": control, "https://x.test:\r\n": control, "\x7f": control,
		"https://[::1": host, "https://[::abc": host, ":": "must be a URL",
	} {
		type request struct {
			URL string `json:"url" validate:"http-url"`
		}
		faults := validate.Fields(request{text}, now)
		if len(faults) != 1 || faults[0].Message != "url "+want+"." {
			t.Errorf("%.40q: got %v, want %q", text, faults, want)
		}
	}
}

// TestFormats_BrokenRule checks that a message names the rule that a text breaks, and no rule that the text obeys.
func TestFormats_BrokenRule(t *testing.T) {
	t.Parallel()
	const digits, luhn = "must be 12 to 19 digits, without spaces and hyphens",
		"must be a card number: its check digit does not fit the other digits"
	type request struct {
		Number string `json:"number" validate:"card-number?"`
		IBAN   string `json:"iban" validate:"iban?"`
		Email  string `json:"email" validate:"email?"`
	}
	for want, requests := range map[string][]request{
		"number " + digits: {{Number: "42000000000"}, {Number: "4200 0000 0000 0042"}, {Number: "4200-0000-0000-0042"}},
		"number " + luhn:   {{Number: "4200000000000043"}},

		"iban must be an IBAN of a country that has IBANs":                       {{IBAN: "US00000000000000000000"}},
		"iban must be an IBAN of 22 characters":                                  {{IBAN: "DE8937040044053201300"}},
		"iban must be an IBAN: its check digits do not fit the other characters": {{IBAN: "DE88370400440532013000"}},
		"iban must be an IBAN in the form of its country":                        {{IBAN: "DE8937040044053201300X"}},

		"email must be an email address":    {{Email: "ada"}, {Email: "Ada <ada@x.test>"}},
		"email must have at most 256 bytes": {{Email: strings.Repeat("a", 251) + "@x.test"}},

		"email must be an email address without invisible characters": {{Email: "ada\u200b@x.test"}},
	} {
		for _, r := range requests {
			if faults := validate.Fields(r, now); len(faults) != 1 || faults[0].Message != want+"." {
				t.Errorf("%+v: got %v, want %q", r, faults, want)
			}
		}
	}
}
