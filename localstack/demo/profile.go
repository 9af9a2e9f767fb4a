package demo

import (
	"context"
	"net/http"
	"net/url"

	"github.com/cashwrap/cashwrap/localstack/client"
)

// tryCard is contract §8.4: a test profile signs in by its password, to the application that the demo has registered,
// and pays with a card. Its token ends with it.
func (s *scenario) tryCard(ctx context.Context) error {
	profiles := "/v0.1/merchants/" + s.MerchantCode + "/test-profiles"
	var made struct{ ID, Username, Password string }
	if err := s.call(ctx, "POST", profiles, object{"name": "Developers"}, http.StatusCreated, &made); err != nil {
		return err
	}
	var tokens client.Tokens
	if err := s.app.Token(ctx, s.API, url.Values{"grant_type": {"password"}, "username": {made.Username},
		"password": {made.Password}, "scope": {"payments"}}, &tokens); err != nil {
		return err
	}
	s.print.line("→ POST " + s.API.BaseURL + "/token  (the profile's user name and password)\n" +
		"← an access token (not shown), scope: " + tokens.Scope + "\n\nThe developer, with that token:")
	developer := *s
	developer.APIKey = tokens.Access
	if _, err := developer.sell(ctx, "trial", "1.00"); err != nil {
		return err
	}
	s.print.line("\nThe merchant deletes the profile:")
	if err := s.call(ctx, "DELETE", profiles+"/"+made.ID, nil, http.StatusNoContent, nil); err != nil {
		return err
	}
	s.print.line("\nThe developer, with the same token:")
	if err := developer.call(ctx, "GET", "/v0.1/checkouts", nil, http.StatusUnauthorized, nil); err != nil {
		return err
	}
	return s.expect(true, "the next request is refused")
}
