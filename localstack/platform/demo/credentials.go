package demo

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/steps"
)

// appScopes are the application's scopes. The platform's operator must approve the scope payments.
var appScopes = []string{"payments", "user.profile_readonly"}

// register makes the platform's operator register an application for the merchant and give the owner a password.
func (s *scenario) register() (owner client.Person) {
	s.app.RedirectURI, s.app.Scope = s.shop.base+"/app", strings.Join(appScopes, " ")
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	s.operate(object{"command": "create_oauth_client", "merchant_code": s.MerchantCode,
		"name": "Demo " + s.run, "redirect_uris": []string{s.app.RedirectURI}, "scopes": appScopes}, &made)
	s.print.line("← client " + made.ID + ", and a secret (it is shown once, and not here)")
	s.app.ID, s.app.Secret = made.ID, made.Secret
	s.operate(object{"command": "approve_oauth_client", "client_id": made.ID, "scopes": []string{"payments"}}, nil)
	var set struct{ Password string }
	s.operate(object{"command": "set_password", "merchant_code": s.MerchantCode, "email": s.owner()}, &set)
	s.print.line("← a password (it is shown once, and not here)\n\nThe owner's browser:")
	return client.Person{Username: s.owner(), Password: set.Password}
}

// operate runs an operator's command. It does not print the answer, which may contain a secret.
func (s *scenario) operate(command object, answer any) {
	s.print.line("→ provision " + pretty(command))
	steps.Check(s.Operator.Operate(s.ctx, command, answer))
}

func (s *scenario) owner() string { return "demo-" + s.run + "@example.com" }

// signIn signs the owner in and allows an application, which then reads the owner's account (contract §10).
func (s *scenario) signIn() {
	app := s.authorize(s.register())
	var me struct{ Account struct{ Username string } }
	app.call("GET", "/v0.1/me", nil, http.StatusOK, &me)
	s.expect(me.Account.Username == s.owner(), "the owner, for whom the application acts")
}

// authorize signs a person in to the application and returns the scenario with the person's access token.
func (s *scenario) authorize(p client.Person) *scenario {
	tokens, err := s.app.SignIn(s.ctx, s.newBrowser(), p, s.MerchantCode)
	steps.Check(err)
	s.print.line("→ POST " + s.API.BaseURL + "/token  (the code, with the PKCE verifier)\n" +
		"← an access token and a refresh token (not shown), scope: " + tokens.Scope)
	s.expect(tokens.MerchantCode == s.MerchantCode && tokens.Scope == s.app.Scope,
		"tokens for the merchant and the scopes")
	s.print.line("\nThe application, with that token:")
	return s.withCredential(tokens.Access)
}

func (s *scenario) withCredential(credential string) *scenario {
	acting := *s
	acting.APIKey = credential
	return &acting
}

// refuse shows that an employee needs a permission to refund (contract §13.9).
func (s *scenario) refuse() {
	const accounts = "/v0.1/me/accounts"
	person := client.Person{Username: "till-" + s.run + "@example.com", Password: rand.Text(),
		MerchantCode: s.MerchantCode}
	var employee struct{ ID int }
	s.call("POST", accounts, object{"username": person.Username, "password": person.Password,
		"nickname": "Till", "permissions": object{"full_transaction_history_view": true}}, http.StatusCreated,
		&employee)
	sold := s.sell("cake", "4.50")
	s.print.line("\nThe employee's browser:")
	till := s.authorize(person)
	refund, part := "/v0.1/me/refund/"+sold, object{"amount": json.Number("1.50")}
	till.call("POST", refund, part, http.StatusForbidden, nil)
	s.print.line("✓ the refund is refused: the employee has no permission for it\n\nThe merchant gives it:")
	s.call("PUT", fmt.Sprintf("%s/%d", accounts, employee.ID),
		object{"permissions": object{"refund_transactions": true}}, http.StatusOK, nil)
	s.print.line("\nThe application, with the same token:")
	till.call("POST", refund, part, http.StatusNoContent, nil)
	s.expect(true, "the refund, made by the employee")
}

func (s *scenario) sell(reference, amount string) string {
	c := s.create(reference, amount, nil)
	paid := s.process(c.ID, client.ByCard(client.Frictionless, s.Today), http.StatusOK)
	s.expect(paid.Status == "PAID", "PAID")
	return paid.TransactionCode
}

// restrict makes a key that may only create checkouts. The key cannot refund. After it is revoked, it can do nothing.
func (s *scenario) restrict() {
	keys := "/v0.1/merchants/" + s.MerchantCode + "/api-keys"
	var made struct{ ID, Plaintext, Preview string }
	s.call("POST", keys, object{"name": "Till " + s.run, "scopes": []string{"checkouts.write"}}, http.StatusCreated, &made)
	s.expect(made.Plaintext != "", "a key (it is shown once, and not here)")
	till := s.withCredential(made.Plaintext)
	s.print.line("\nWith that key:")
	till.create("till", "3.20", nil)
	refund := "/v0.1/me/refund/" + s.code
	till.call("POST", refund, object{}, http.StatusForbidden, nil)
	s.print.line("✓ a refund is refused: the key has no scope for it\n\nThe merchant revokes the key:")
	s.call("DELETE", keys+"/"+made.ID, nil, http.StatusNoContent, nil)
	s.print.line("\nWith that key:")
	till.call("POST", refund, object{}, http.StatusUnauthorized, nil)
	s.print.line("✓ the next request is refused")
}

// tryCard signs in a test profile by its password and pays by card (contract §8.4). The token ends with the profile.
func (s *scenario) tryCard() {
	profiles := "/v0.1/merchants/" + s.MerchantCode + "/test-profiles"
	var made struct{ ID, Username, Password string }
	s.call("POST", profiles, object{"name": "Developers"}, http.StatusCreated, &made)
	var tokens client.Tokens
	steps.Check(s.app.Token(s.ctx, s.API, url.Values{"grant_type": {"password"}, "username": {made.Username},
		"password": {made.Password}, "scope": {"payments"}}, &tokens))
	s.print.line("→ POST " + s.API.BaseURL + "/token  (the profile's user name and password)\n" +
		"← an access token (not shown), scope: " + tokens.Scope + "\n\nThe developer, with that token:")
	developer := s.withCredential(tokens.Access)
	developer.sell("trial", "1.00")
	s.print.line("\nThe merchant deletes the profile:")
	s.call("DELETE", profiles+"/"+made.ID, nil, http.StatusNoContent, nil)
	s.print.line("\nThe developer, with the same token:")
	developer.call("GET", "/v0.1/checkouts", nil, http.StatusUnauthorized, nil)
	s.expect(true, "the next request is refused")
}
