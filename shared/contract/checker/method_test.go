package checker

import (
	"strings"
	"testing"
)

func TestCheck_MethodNotAllowed(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	body := strings.NewReplacer("404", "405", "checkout-not-found", "method-not-allowed", "NOT_FOUND", "INVALID_REQUEST").
		Replace(exampleBody(t, "CheckoutNotFound"))
	for name, test := range map[string]struct {
		path, allow, origin, body, want string
	}{
		"as documented":      {checkoutPath, "DELETE, GET, HEAD, OPTIONS, PATCH, PUT", "*", body, ""},
		"incomplete":         {checkoutPath, "GET, PUT", "", body, "Allow names [GET PUT]"},
		"without shape":      {checkoutPath, "DELETE, GET, PATCH, PUT", "", `{"status":405}`, "is missing"},
		"open to browsers":   {"/healthz", "GET", "*", body, "Access-Control-Allow-Origin"},
		"closed to browsers": {"/healthz", "GET, HEAD", "", body, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t, "POST", test.path, 405, test.body).header("Allow", test.allow)
			if test.origin != "" {
				s.header("Access-Control-Allow-Origin", test.origin)
			}
			expect(t, s.check(checker), test.want)
		})
	}
}

func TestCheck_Preflight(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	for name, test := range map[string]struct {
		path, methods, origin, body, want string
	}{
		"as documented":  {checkoutPath, "GET, PUT", "*", "", ""},
		"too open":       {checkoutPath, "DELETE, GET, PUT", "*", "", "preflight opens [DELETE GET PUT]"},
		"of an action":   {"/v0.1/checkouts", "POST", "*", "", ""},
		"not for a page": {"/v0.1/customers", "POST", "*", "", "browsers may not use"},
		"without origin": {checkoutPath, "GET, PUT", "", "", "needs Access-Control-Allow-Origin"},
		"with a body":    {checkoutPath, "GET, PUT", "*", "{}", "no body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSample(t, "OPTIONS", test.path, 204, test.body).header("Access-Control-Allow-Methods", test.methods)
			if test.origin != "" {
				s.header("Access-Control-Allow-Origin", test.origin)
			}
			expect(t, s.check(checker), test.want)
		})
	}
}

func TestCheck_Head(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	head := func(path, body string, status int) *sample {
		return newSample(t, "HEAD", path, status, body).header("Content-Type", jsonType)
	}
	anonymous := head("/healthz", "", 200)
	anonymous.resHeader.Del("X-Request-Id")
	for name, test := range map[string]struct {
		sample *sample
		want   string
	}{
		"as documented":  {head("/healthz", "", 200), ""},
		"with a body":    {head("/healthz", `{"status":"ok"}`, 200), "has no body here"},
		"wrong status":   {head("/healthz", "", 204), "status 204 is not documented"},
		"missing header": {anonymous, `"X-Request-Id" missing`},
		"no GET here":    {head("/v0.1/customers", "", 200), "no method HEAD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, test.sample.check(checker), test.want)
		})
	}
}
