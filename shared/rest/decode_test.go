package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type address struct {
	City string `json:"city"`
}

type paged struct {
	Limit *int `query:"limit" json:"-"`
}

// everything has a field of every kind that requests use.
type everything struct {
	paged
	ID        string                 `path:"id" json:"-"`
	Reference string                 `query:"checkout_reference" json:"-"`
	Scroll    bool                   `query:"scroll" json:"-"`
	Since     time.Time              `query:"since" json:"-"`
	Roles     []string               `query:"roles" json:"-"`
	Counts    []int                  `query:"counts" json:"-"`
	User      string                 `query:"user.id" json:"-"`
	Amount    money.Literal          `json:"amount,omitempty"`
	Name      *string                `json:"name,omitempty"`
	Count     int                    `json:"count,omitempty"`
	Flag      bool                   `json:"flag,omitempty"`
	Card      *address               `json:"card,omitempty"`
	Items     []address              `json:"items,omitempty"`
	Meta      map[string]string      `json:"meta,omitempty"`
	Opaque    json.RawMessage        `json:"opaque,omitempty"`
	Until     optional.Of[time.Time] `json:"until,omitzero"`
	Site      string                 `json:"site,omitempty" empty:"refused"`
	Expiry    optional.Of[string]    `json:"expiry,omitzero" empty:"refused"`
	Month     string                 `json:"month,omitempty" digits:"2"`
	Untagged  string
}

// shown is the part of a request that tests compare.
type shown struct {
	Got string `json:"got"`
}

func echo(_ context.Context, in everything) (shown, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return shown{}, err
	}
	limit := "-"
	if in.Limit != nil {
		limit = fmt.Sprint(*in.Limit)
	}
	return shown{fmt.Sprintf("%s %q %q limit=%s %v %v %v %q %s", text, in.ID, in.Reference, limit,
		in.Scroll, in.Roles, in.Counts, in.User, in.Since.Format(time.DateOnly))}, nil
}

func echoFixture(t *testing.T) *fixture {
	return newFixture(t, []rest.Route{route("POST", "/things/{id}", echo)})
}

func TestDecode_Body(t *testing.T) {
	t.Parallel()
	f := echoFixture(t)
	const none = `{"Untagged":""}`
	for body, want := range map[string]string{
		``:                              none,
		" \n":                           none,
		`{}`:                            none,
		"\ufeff {}":                     none,
		"\ufeff":                        none,
		`{"unknown":{"x":[1,{"y":2}]}}`: none,
		`{"count":null,"card":null,"opaque":null,"name":null,"meta":null}`: none,
		`{"AMOUNT":1,"Amount":2,"untagged":"x","Untagged":"y"}`:            none,
		`{"amount":10.10}`:                 `{"amount":"10.10","Untagged":""}`,
		`{"amount":"10.10"}`:               `{"amount":"10.10","Untagged":""}`,
		`{"amount":1,"AMOUNT":2}`:          `{"amount":"1","Untagged":""}`,
		`{"\u0061mount":1}`:                `{"amount":"1","Untagged":""}`,
		`{"name":"","flag":true}`:          `{"name":"","flag":true,"Untagged":""}`,
		` { "count" : -5 } `:               `{"count":-5,"Untagged":""}`,
		`{"name":"a\"}]\\"}`:               `{"name":"a\"}]\\","Untagged":""}`,
		`{"name":"\ud83d\uDE00\\ud800"}`:   `{"name":"😀\\ud800","Untagged":""}`,
		`{"name":"\u00e9\ufffd\\\u0061"}`:  `{"name":"é�\\a","Untagged":""}`,
		`{"card":{"city":"B","CITY":1}}`:   `{"card":{"city":"B"},"Untagged":""}`,
		`{"items":[{"city":"A"},{},null]}`: `{"items":[{"city":"A"},{"city":""},{"city":""}],"Untagged":""}`,
		`{"meta":{"a":"1","b":null}}`:      `{"meta":{"a":"1"},"Untagged":""}`,
		`{"opaque":{"a": [1, 2.50]}}`:      `{"opaque":{"a":[1,2.50]},"Untagged":""}`,
		`{"site":null}`:                    none,
		`{"site":" "}`:                     `{"site":" ","Untagged":""}`,
		`{"expiry":null}`:                  `{"expiry":null,"Untagged":""}`,
		`[]`:                               none,
		` [ ] `:                            none,
		`{"card":[]}`:                      `{"card":{"city":""},"Untagged":""}`,
		`{"card":[ ]}`:                     `{"card":{"city":""},"Untagged":""}`,
		`{"meta":[]}`:                      none,
		`{"items":[[],{"city":"A"}]}`:      `{"items":[{"city":""},{"city":"A"}],"Untagged":""}`,
		`{"opaque":[]}`:                    `{"opaque":[],"Untagged":""}`,
		`{"count":1500.0}`:                 `{"count":1500,"Untagged":""}`,
		`{"count":1.5e3}`:                  `{"count":1500,"Untagged":""}`,
		`{"count":-0.0}`:                   none,
		`{"count":9007199254740993.000}`:   `{"count":9007199254740993,"Untagged":""}`,
		`{"month":3}`:                      `{"month":"03","Untagged":""}`,
		`{"month":"3"}`:                    `{"month":"3","Untagged":""}`,
		`{"month":123}`:                    `{"month":"123","Untagged":""}`,
		`{"until":null}`:                   `{"until":null,"Untagged":""}`,
		`{"until":"2026-01-02T03:04:05Z"}`: `{"until":"2026-01-02T03:04:05Z","Untagged":""}`,
	} {
		w := f.ask("POST", "/things/1", body)
		got, _ := decodeObject(t, w)["got"].(string)
		if w.Code != http.StatusOK || !strings.HasPrefix(got, want+" ") {
			t.Errorf("%s: got %d %s\nwant 200 %s", body, w.Code, w.Body, want)
		}
	}
}

func TestDecode_InvalidBody(t *testing.T) {
	t.Parallel()
	f := echoFixture(t)
	for body, want := range map[string]string{
		`{`:                              "INVALID_REQUEST ",
		`{}{}`:                           "INVALID_REQUEST ",
		`{} x`:                           "INVALID_REQUEST ",
		`[1]`:                            "INVALID_REQUEST ",
		`[[]]`:                           "INVALID_REQUEST ",
		`{"card":[0]}`:                   "INVALID card",
		`{"card":[[]]}`:                  "INVALID card",
		`{"meta":[null]}`:                "INVALID meta",
		`{"name":[]}`:                    "INVALID name",
		`{"until":[]}`:                   "INVALID until",
		`{"count":1e999999999}`:          "INVALID count",
		`{"count":1e19}`:                 "INVALID count",
		`{"count":1.0000000000000001}`:   "INVALID count",
		`null`:                           "INVALID_REQUEST ",
		`"text"`:                         "INVALID_REQUEST ",
		`{"a":01}`:                       "INVALID_REQUEST ",
		`{"amount":1,"amount":2}`:        "INVALID_REQUEST ",
		`{"amount":1,"\u0061mount":2}`:   "INVALID_REQUEST ",
		`{"x":{"y":[{"a":1,"a":1}]}}`:    "INVALID_REQUEST ",
		"{\"name\":\"\xff\"}":            "INVALID_REQUEST ",
		`{"name":"\ud800"}`:              "INVALID_REQUEST ",
		`{"name":"a\udc00b"}`:            "INVALID_REQUEST ",
		`{"name":"\ud800\ud800"}`:        "INVALID_REQUEST ",
		`{"name":"\udc00\ud800"}`:        "INVALID_REQUEST ",
		`{"name":"\ud83d\ude00\ude00"}`:  "INVALID_REQUEST ",
		`{"name":"\ud83d\n\ude00"}`:      "INVALID_REQUEST ",
		`{"unknown":["\uDFFF"]}`:         "INVALID_REQUEST ",
		`{"\uD83d":1}`:                   "INVALID_REQUEST ",
		strings.Repeat("[", 100_000):     "INVALID_REQUEST ",
		nestedBody(33):                   "INVALID_REQUEST ",
		bodyWithValues(20_001):           "INVALID_REQUEST ",
		`{"amount":true}`:                "INVALID amount",
		`{"amount":"ten"}`:               "INVALID amount",
		`{"name":5}`:                     "INVALID name",
		`{"count":1.5}`:                  "INVALID count",
		`{"count":"1"}`:                  "INVALID count",
		`{"count":99999999999999999999}`: "INVALID count",
		`{"flag":"true"}`:                "INVALID flag",
		`{"card":"x"}`:                   "INVALID card",
		`{"card":{"city":5}}`:            "INVALID card.city",
		`{"items":{}}`:                   "INVALID items",
		`{"items":[{},{"city":[]}]}`:     "INVALID items.1.city",
		`{"meta":{"a":1}}`:               "INVALID meta.a",
		`{"until":"tomorrow"}`:           "INVALID until",
		`{"month":-3}`:                   "INVALID month",
		`{"month":3.0}`:                  "INVALID month",
		`{"month":3e0}`:                  "INVALID month",
		`{"site":""}`:                    "INVALID site",
		`{"expiry":""}`:                  "INVALID expiry",
	} {
		w := f.ask("POST", "/things/1", body)
		answer := decodeObject(t, w)
		param, _ := answer["param"].(string)
		if got := fmt.Sprint(answer["error_code"], " ", param); w.Code != http.StatusBadRequest || got != want {
			t.Errorf("%.60s: got %d %s, want 400 %s", body, w.Code, got, want)
		}
	}
	if w := f.ask("POST", "/things/1", nestedBody(32)); w.Code != http.StatusOK {
		t.Errorf("32 levels: got %d %s, want 200", w.Code, w.Body)
	}
	if w := f.ask("POST", "/things/1", bodyWithValues(20_000)); w.Code != http.StatusOK {
		t.Errorf("20,000 values: %d", w.Code)
	}
}

// bodyWithValues returns a body with n values, including the object and the array.
func bodyWithValues(n int) string {
	return `{"x":[0` + strings.Repeat(",0", n-3) + "]}"
}

// nestedBody returns a body of the given depth.
func nestedBody(depth int) string {
	return `{"x":` + strings.Repeat("[", depth-2) + "0" + strings.Repeat("]", depth-2) + "}"
}

func TestDecode_Query(t *testing.T) {
	t.Parallel()
	f := echoFixture(t)
	for query, want := range map[string]string{
		``:                                  `"" limit=- false [] [] "" 0001-01-01`,
		`limit=10&scroll=true`:              `"" limit=10 true [] [] "" 0001-01-01`,
		`limit=10&scroll=1`:                 `"" limit=10 true [] [] "" 0001-01-01`,
		`limit=10&scroll=True`:              `"" limit=10 true [] [] "" 0001-01-01`,
		`limit=10&scroll=FALSE`:             `"" limit=10 false [] [] "" 0001-01-01`,
		`limit=10&scroll=0`:                 `"" limit=10 false [] [] "" 0001-01-01`,
		`unknown=&scrolls=`:                 `"" limit=- false [] [] "" 0001-01-01`,
		`checkout_reference=a%20b%2Bc`:      `"a b+c" limit=- false [] [] "" 0001-01-01`,
		`since=2026-01-02T00:00:00Z`:        `"" limit=- false [] [] "" 2026-01-02`,
		`user.id=u1`:                        `"" limit=- false [] [] "u1" 0001-01-01`,
		`roles=a&roles=b`:                   `"" limit=- false [a b] [] "" 0001-01-01`,
		`roles[]=a&roles[]=b`:               `"" limit=- false [a b] [] "" 0001-01-01`,
		`roles%5B%5D=a&roles%5b%5d=b`:       `"" limit=- false [a b] [] "" 0001-01-01`,
		`roles[1]=b&roles[0]=a&roles[10]=c`: `"" limit=- false [a b c] [] "" 0001-01-01`,
		`roles[][1]=b&roles[][0]=a`:         `"" limit=- false [a b] [] "" 0001-01-01`,
		`roles=a,b&counts=1,2&counts[]=3`:   `"" limit=- false [a b] [1 2 3] "" 0001-01-01`,
		`roles[x]=b&rolesx[]=c`:             `"" limit=- false [] [] "" 0001-01-01`,
	} {
		w := f.ask("POST", "/things/1?"+query, "")
		got, _ := decodeObject(t, w)["got"].(string)
		if w.Code != http.StatusOK || !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %d %s\nwant 200 %s", query, w.Code, w.Body, want)
		}
	}
	for query, param := range map[string]string{
		`limit=ten`: "limit", `limit=1&limit=2`: "limit", `limit=1.0`: "limit", `scroll=yes`: "scroll",
		`scroll=t`: "scroll", `scroll=01`: "scroll",
		`counts=1,x`: "counts", `since=today`: "since", `limit=99999999999999999999`: "limit",
		`limit=`: "limit", `limit`: "limit", `scroll=`: "scroll", `since=`: "since",
		`checkout_reference=`: "checkout_reference",
		`user.id=`:            "user.id", `roles=`: "roles", `roles[]=`: "roles", `roles[0]=`: "roles", `roles=a,`: "roles",
		`roles=a,,b`: "roles", `counts=`: "counts",
	} {
		w := f.ask("POST", "/things/1?"+query, "")
		if answer := decodeObject(t, w); w.Code != http.StatusBadRequest || answer["param"] != param ||
			answer["error_code"] != "INVALID" {
			t.Errorf("%s: got %d %s, want 400 INVALID %s", query, w.Code, w.Body, param)
		}
	}
	for _, query := range []string{"limit=%zz", "a;b", "checkout_reference=%ff", "roles=%c3&roles=%a9", "%ed%a0%80=1"} {
		if w := f.ask("POST", "/things/1?"+query, ""); decodeObject(t, w)["error_code"] != "INVALID_REQUEST" {
			t.Errorf("%s: got %d %s, want INVALID_REQUEST", query, w.Code, w.Body)
		}
	}
}

func TestDecode_PathValue(t *testing.T) {
	t.Parallel()
	f := echoFixture(t)
	for path, want := range map[string]string{
		"/things/a%2Fb": `"a/b"`, "/things/%2e%2e": `".."`, "/things/a%20b": `"a b"`, "/things/a%252F": `"a%2F"`,
		"/things/%C3%A9": `"é"`,
	} {
		if got, _ := decodeObject(t, f.ask("POST", path, ""))["got"].(string); !strings.Contains(got, "} "+want+" ") {
			t.Errorf("%s: got %s, want %s in it", path, got, want)
		}
	}
	for _, path := range []string{
		"/things/", "/things/1/", "/things//1", "//things/1", "/Things/1", "/", "/thing%73%2F1", "/things%00/1",
	} {
		if w := f.ask("POST", path, ""); w.Code != http.StatusNotFound || decodeObject(t, w)["error_code"] != "NOT_FOUND" {
			t.Errorf("%s: got %d %s, want 404 NOT_FOUND", path, w.Code, w.Body)
		}
	}
	for _, path := range []string{"/things/%ff", "/things/%ed%a0%80", "/things/a%C2",
		"/things/a%EF%BF%BD"} { // a gateway passes on the last one in this form
		if w := f.ask("POST", path, ""); w.Code != http.StatusBadRequest ||
			decodeObject(t, w)["error_code"] != "INVALID_REQUEST" {
			t.Errorf("%s: got %d %s, want 400 INVALID_REQUEST", path, w.Code, w.Body)
		}
		if w := f.ask("POST", path, "", "Authorization:"); w.Code != http.StatusUnauthorized {
			t.Errorf("%s without a key: got %d %s, want 401", path, w.Code, w.Body)
		}
	}
}

// TestDecode_UnusualPathValue checks that the operation also gets a path value that no identifier can have. The
// operation then answers in the form that its document describes. A value too long for the table's keys is cut, and is
// still too long for an identifier.
func TestDecode_UnusualPathValue(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{route("GET", "/things/{id}", func(_ context.Context,
		in everything) (textResponse, error) {
		return textResponse{in.ID}, nil
	})})
	long := strings.Repeat("é", 512)
	for path, want := range map[string]string{
		"%C2%80": "\u0080", "a%C2%9F": "a\u009f", "%00": "\x00", "a%0Ab": "a\nb", "%7F": "\x7f",
		long: long, long + "a": long, "a" + long: "a" + long[2:], long + long: long,
	} {
		if got := decodeObject(t,
			f.ask("GET", "/things/"+url.PathEscape(must(url.PathUnescape(path))), ""))["text"]; got != want {
			t.Errorf("%.20s: got %q, want %q", path, got, want)
		}
	}
}

func must(text string, _ error) string { return text }

type returned struct {
	PaRes string `form:"PaRes" json:"pares"`
	MD    string `form:"MD" json:"md"`
}

type formOnly struct {
	PaRes string `form:"PaRes"`
}

func TestDecode_Form(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{
		route("POST", "/both", func(_ context.Context, in returned) (textResponse, error) {
			return textResponse{in.PaRes + "|" + in.MD}, nil
		}),
		route("POST", "/form", func(_ context.Context, in formOnly) (textResponse, error) {
			return textResponse{in.PaRes}, nil
		}),
	})
	form := url.Values{"PaRes": {"a+b=="}, "MD": {"é"}}.Encode()
	const formType = "Content-Type: application/x-www-form-urlencoded; charset=utf-8"
	for _, test := range []struct{ path, body, contentType, want string }{
		{"/both", form, formType, "a+b==|é"},
		{"/both", `{"pares":"x","md":"y"}`, "Content-Type: application/json", "x|y"},
		{"/both", `{"pares":"x","md":"y"}`, "Content-Type:", "x|y"},
		{"/form", form, "Content-Type:", "a+b=="},
		{"/form", "PaRes=", "Content-Type:", ""},
	} {
		if got := decodeObject(t, f.ask("POST", test.path, test.body, test.contentType))["text"]; got != test.want {
			t.Errorf("%s as %s: got %q, want %q", test.path, test.contentType, got, test.want)
		}
	}
	if w := f.ask("POST", "/form", "PaRes=%ff"); decodeObject(t, w)["error_code"] != "INVALID_REQUEST" {
		t.Errorf("bytes that are no text: got %d %s, want INVALID_REQUEST", w.Code, w.Body)
	}
	if w := f.ask("POST", "/form", "PaRes=%zz"); decodeObject(t, w)["error_code"] != "INVALID_REQUEST" ||
		strings.Contains(f.log.String(), "%zz") {
		t.Errorf("bad form: got %d %s, log %s, want INVALID_REQUEST and no %%zz in the log", w.Code, w.Body, f.log)
	}
}
