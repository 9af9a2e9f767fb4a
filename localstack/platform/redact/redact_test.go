package redact_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/platform/redact"
)

func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"key sk_test_0A1B2C3Dc3D4e5F6, pk_live_x1":                         "key sk_test_…, pk_live_…",
		"whsec_C2FVsBQIhrscChlQIMV+b5s= ":                                  "whsec_… ",
		"paid with 4200000000000091":                                       "paid with ************0091",
		"5 4200000000000091 and 12 4200-0000-0000-0091":                    "5 ************0091 and 12 ************0091",
		"paid with 4200 0000-0000 0091.":                                   "paid with ************0091.",
		"order 4200000000000092":                                           "order 4200000000000092", // wrong check digit
		"x4200000000000091,420000000000009100000":                          "x************0091,420000000000009100000",
		"42 00 00 00 00 00 00 91 and 4200.0000.0000.0091":                  "************0091 and ************0091",
		"7 4200\u00a00000  0000/0091 12":                                   "7 ************0091 12",
		"phone 1234567":                                                    "phone 1234567",
		strings.Repeat("0a", 32):                                           "…",
		"5d1f7a1c-0a0b-4c6d-8e9f-000000000091":                             "5d1f7a1c-0a0b-4c6d-8e9f-000000000091",
		"http://s3.test/f?X-Amz-Date=1&X-Amz-Signature=0a1":                "http://s3.test/f?X-Amz-Date=1&X-Amz-Signature=…",
		"http://app.test/?code=a-b_c&state=1":                              "http://app.test/?code=…&state=1",
		"http://app.test/?merchant_code=MC1&code=a b":                      "http://app.test/?merchant_code=MC1&code=… b",
		"/authorize?code_challenge=abc":                                    "/authorize?code_challenge=abc",
		"/receipts/0123456789abcdef0123456789abcdef.pdf, /invitations/a-b": "/receipts/….pdf, /invitations/…",
		"GET /password/Ab_c-1 and /password":                               "GET /password/… and /password",
		"/v1.1/receipts/TXO4U9S6M3":                                        "/v1.1/receipts/TXO4U9S6M3",
	} {
		if got := redact.Text(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestRequest checks that a secret is hidden even if it is written with JSON escapes, and that a body is shown only if
// it is JSON or a form.
func TestRequest(t *testing.T) {
	t.Parallel()
	const form, asJSON = "application/x-www-form-urlencoded; charset=utf-8", "application/json"
	for _, c := range []struct{ contentType, body, want string }{
		{asJSON, `{"payment_type":"card","card":{"number":"4200000000000091","cvv":"123","name":"Ada"}}`,
			"{\n  \"payment_type\": \"card\",\n  \"card\": {\n    \"number\": \"************0091\",\n    \"cvv\": \"***\",\n" +
				"    \"name\": \"Ada\"\n  }\n}"},
		{asJSON, `{"card":{"number":"4200000000000000","cvv":123}}`,
			"{\n  \"card\": {\n    \"number\": \"************0000\",\n    \"cvv\": \"***\"\n  }\n}"},
		{asJSON, `{"description":"\u0034200000000000091","amount":10.10,"n":[4200000000000091]}`,
			"{\n  \"description\": \"************0091\",\n  \"amount\": 10.10,\n  \"n\": [\n    \"************0091\"\n  ]\n}"},
		{form, `{"card":{"cvv":"737"}}`, "{\n  \"card\": {\n    \"cvv\": \"***\"\n  }\n}"}, // as curl sends it without a type
		{asJSON, `{"Password":[["a"],{"b":["c",1]}],"token":"x","a":{"card":1}}`,
			"{\n  \"Password\": [\n    [\n      \"***\"\n    ],\n    {\n      \"b\": [\n        \"***\",\n        \"***\"\n" +
				"      ]\n    }\n  ],\n  \"token\": \"***\",\n  \"a\": {\n    \"card\": 1\n  }\n}"},
		{asJSON, `{"token":"5d1f7a1c-0a0b-4c6d-8e9f-7c1d2e3f4a5b"}`,
			"{\n  \"token\": \"5d1f7a1c-0a0b-4c6d-8e9f-7c1d2e3f4a5b\"\n}"}, // of a saved card
		{form, "a.card.cvv=1&card[number]=4200&card[cvv]=7&token=abc&user.password.x=y",
			"a.card.cvv=***\ncard[number]=4200\ncard[cvv]=***\ntoken=***\nuser.password.x=***"},
		{asJSON, `{"cvv":["1","2"],"errors":[{"c":true}],"p\u0061ssword":"a","code":"b"}`,
			"{\n  \"cvv\": [\n    \"***\",\n    \"***\"\n  ],\n  \"errors\": [\n    {\n      \"c\": true\n    }\n  ],\n" +
				"  \"password\": \"***\",\n  \"code\": \"***\"\n}"},
		{asJSON, `{"menu_lock":{"enabled":true,"passcode":"4711"}}`,
			"{\n  \"menu_lock\": {\n    \"enabled\": true,\n    \"passcode\": \"***\"\n  }\n}"},
		{asJSON, `"4200000000000091"`, `"************0091"`},
		{asJSON, `{"number":"4200000000000091"`, ""},
		{"", "", ""},
		{form, "grant_type=password&password=a%26b&card.number=4200&card.cvv=1&code=x&a=%zz&=b&c",
			"grant_type=password\npassword=***\ncard.number=4200\ncard.cvv=***\ncode=***\na=***\nc="},
	} {
		if diff := cmp.Diff(c.want, redact.Request(c.contentType, []byte(c.body))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.body, diff)
		}
	}
}

func TestReply(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error_code":"INVALID","errors":[{"code":"INVALID_AMOUNT"}]}`: "{\n  \"error_code\": \"INVALID\",\n  \"errors\": " +
			"[\n    {\n      \"code\": \"INVALID_AMOUNT\"\n    }\n  ]\n}",
		`{"preview":"c3D4e5F6","plaintext":"sk_test_0A1B2C3Dc3D4e5F6"}`: "{\n  \"preview\": \"c3D4e5F6\",\n" +
			"  \"plaintext\": \"***\"\n}",
		`{"internal_id":4200000000000091,"token":"x"}`: "{\n  \"internal_id\": 4200000000000091,\n  \"token\": \"x\"\n}",
		`<!doctype html>`: "", `{"a":1}{`: "",
	} {
		if diff := cmp.Diff(want, redact.Reply([]byte(body))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

// TestRequest_TooDeepOrLong checks limits, since indents make such bodies much longer.
func TestRequest_TooDeepOrLong(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"deep":          strings.Repeat("[", 9990) + strings.Repeat("]", 9990),
		"deep and long": strings.Repeat("[", 31) + strings.Repeat("1,", 30000) + "1" + strings.Repeat("]", 31),
	} {
		if got := redact.Request("application/json", []byte(body)); got != "" {
			t.Errorf("%s: got %d bytes, want none", name, len(got))
		}
	}
}

// TestLine_ControlCharacters also checks characters that change the text's direction.
func TestLine_ControlCharacters(t *testing.T) {
	t.Parallel()
	got := redact.Line("a\x1b]52;c;x\x07\r\n\u009b2J\u202eb 4200000000000091 é")
	if want := "a\ufffd]52;c;x\ufffd\ufffd\ufffd\ufffd2J\ufffdb ************0091 é"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
