package demo

import (
	"net/http"
	"net/url"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/steps"
)

// tryCard is contract §8.4: a test profile signs in by its password, to the application that the demo has registered,
// and pays with a card. Its token ends with it.
func (s *scenario) tryCard() {
	profiles := "/v0.1/merchants/" + s.MerchantCode + "/test-profiles"
	var made struct{ ID, Username, Password string }
	s.call("POST", profiles, object{"name": "Developers"}, http.StatusCreated, &made)
	var tokens client.Tokens
	steps.Check(s.app.Token(s.ctx, s.API, url.Values{"grant_type": {"password"}, "username": {made.Username},
		"password": {made.Password}, "scope": {"payments"}}, &tokens))
	s.print.line("→ POST " + s.API.BaseURL + "/token  (the profile's user name and password)\n" +
		"← an access token (not shown), scope: " + tokens.Scope + "\n\nThe developer, with that token:")
	developer := s.with(tokens.Access)
	developer.sell("trial", "1.00")
	s.print.line("\nThe merchant deletes the profile:")
	s.call("DELETE", profiles+"/"+made.ID, nil, http.StatusNoContent, nil)
	s.print.line("\nThe developer, with the same token:")
	developer.call("GET", "/v0.1/checkouts", nil, http.StatusUnauthorized, nil)
	s.expect(true, "the next request is refused")
}
