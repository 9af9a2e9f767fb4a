package demo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/redact"
)

// appScopes are those that the application asks for. The platform's operator has to approve payments.
var appScopes = []string{"payments", "user.profile_readonly"}

// register has the platform's operator register an application for the merchant, and give the owner a password.
func (s *scenario) register(ctx context.Context) (owner client.Person, err error) {
	s.app.RedirectURI, s.app.Scope = s.shop.base+"/app", strings.Join(appScopes, " ")
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := s.operate(ctx, object{"command": "create_oauth_client", "merchant_code": s.MerchantCode,
		"name": "Demo " + s.run, "redirect_uris": []string{s.app.RedirectURI}, "scopes": appScopes}, &made); err != nil {
		return owner, err
	}
	s.print.line("← client " + made.ID + ", and a secret (it is shown once, and not here)")
	s.app.ID, s.app.Secret = made.ID, made.Secret
	if err := s.operate(ctx, object{"command": "approve_oauth_client", "client_id": made.ID,
		"scopes": []string{"payments"}}, nil); err != nil {
		return owner, err
	}
	var set struct{ Password string }
	if err := s.operate(ctx, object{"command": "set_password", "merchant_code": s.MerchantCode, "email": s.owner()},
		&set); err != nil {
		return owner, err
	}
	s.print.line("← a password (it is shown once, and not here)\n\nThe owner's browser:")
	return client.Person{Username: s.owner(), Password: set.Password}, nil
}

// operate runs an operator's command. The answer is not printed, because it may have a secret.
func (s *scenario) operate(ctx context.Context, command object, answer any) error {
	s.print.line("→ provision " + pretty(command))
	return s.Operator.Operate(ctx, command, answer)
}

// owner is the address of the owner of the merchant that the demo opens.
func (s *scenario) owner() string { return "demo-" + s.run + "@example.com" }

// signIn is contract §10: the owner signs in and allows an application, which then reads the owner's account.
func (s *scenario) signIn(ctx context.Context) error {
	owner, err := s.register(ctx)
	if err != nil {
		return err
	}
	app, err := s.authorize(ctx, owner)
	if err != nil {
		return err
	}
	var me struct{ Account struct{ Username string } }
	if err := app.call(ctx, "GET", "/v0.1/me", nil, http.StatusOK, &me); err != nil {
		return err
	}
	return s.expect(me.Account.Username == s.owner(), "the owner, for whom the application acts")
}

// authorize has the person sign in to the application, and is the scenario with its access token.
func (s *scenario) authorize(ctx context.Context, p client.Person) (*scenario, error) {
	browser := client.Browser{Client: s.API, Show: s.show}
	tokens, err := s.app.SignIn(ctx, &browser, p, s.MerchantCode)
	if err != nil {
		return nil, err
	}
	s.print.line("→ POST " + s.API.BaseURL + "/token  (the code, with the PKCE verifier)\n" +
		"← an access token and a refresh token (not shown), scope: " + tokens.Scope)
	if err := s.expect(tokens.MerchantCode == s.MerchantCode && tokens.Scope == s.app.Scope,
		"tokens for the merchant and the scopes"); err != nil {
		return nil, err
	}
	s.print.line("\nThe application, with that token:")
	acting := *s
	acting.APIKey = tokens.Access
	return &acting, nil
}

// show prints what a browser does.
func (s *scenario) show(r client.Request, page client.Response) {
	line := "→ " + r.Method + " " + r.Path
	if form, posted := r.Body.(url.Values); posted {
		line += "  (a browser's form: " + strings.Join(slices.Sorted(maps.Keys(form)), ", ") + ")"
	}
	s.print.line(line)
	if to := page.Header.Get("Location"); to != "" {
		s.print.line("← " + statusLine(page) + "  Location: " + redact.Text(to))
		return
	}
	s.print.line("← " + statusLine(page) + "  " + titleOf(string(page.Body)))
}

// refuse is contract §13.9: an employee may refund only with the permission.
func (s *scenario) refuse(ctx context.Context) error {
	const accounts = "/v0.1/me/accounts"
	person := client.Person{Username: "till-" + s.run + "@example.com", Password: rand.Text(),
		MerchantCode: s.MerchantCode}
	var employee struct{ ID int }
	if err := s.call(ctx, "POST", accounts, object{"username": person.Username, "password": person.Password,
		"nickname": "Till", "permissions": object{"full_transaction_history_view": true}}, http.StatusCreated,
		&employee); err != nil {
		return err
	}
	sold, err := s.sell(ctx, "cake", "4.50")
	if err != nil {
		return err
	}
	s.print.line("\nThe employee's browser:")
	till, err := s.authorize(ctx, person)
	if err != nil {
		return err
	}
	refund, part := "/v0.1/me/refund/"+sold, object{"amount": json.Number("1.50")}
	if err := till.call(ctx, "POST", refund, part, http.StatusForbidden, nil); err != nil {
		return err
	}
	s.print.line("✓ the refund is refused: the employee has no permission for it\n\nThe merchant gives it:")
	if err := s.call(ctx, "PUT", fmt.Sprintf("%s/%d", accounts, employee.ID),
		object{"permissions": object{"refund_transactions": true}}, http.StatusOK, nil); err != nil {
		return err
	}
	s.print.line("\nThe application, with the same token:")
	if err := till.call(ctx, "POST", refund, part, http.StatusNoContent, nil); err != nil {
		return err
	}
	return s.expect(true, "the refund, made by the employee")
}

// sell takes a payment by card, and returns its transaction's code.
func (s *scenario) sell(ctx context.Context, reference, amount string) (string, error) {
	c, err := s.create(ctx, reference, amount, nil)
	if err != nil {
		return "", err
	}
	paid, err := s.process(ctx, c.ID, client.ByCard(client.Frictionless, s.Today), http.StatusOK)
	if err != nil {
		return "", err
	}
	return paid.TransactionCode, s.expect(paid.Status == "PAID", "PAID")
}
