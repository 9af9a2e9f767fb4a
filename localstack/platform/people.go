package platform

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// peopleNames lists the people's variables in the order of .local/env. OAUTH_USERNAME owns two merchants.
// OPERATOR_USERNAME belongs to the first merchant.
var peopleNames = []string{"OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_REDIRECT_URI", "OAUTH_SCOPE",
	"OAUTH_USERNAME", "OAUTH_PASSWORD", "TEST_PROFILE_USERNAME", "TEST_PROFILE_PASSWORD", "OPERATOR_USERNAME",
	"OPERATOR_PASSWORD"}

// redirectURI is an address without a listener, so that the browser's address line shows the code.
const redirectURI = "http://127.0.0.1:8765/callback"

var scopes = []string{"payments", "transactions.history", "user.app-settings", "user.profile_readonly"}

// addPeople creates the OAuth client, a test profile and passwords, unless env has them all and the client exists.
func (s seeder) addPeople(ctx context.Context, of seeded) error {
	known, err := s.checkPeople(ctx)
	if known || err != nil {
		return err
	}
	for _, add := range []func(context.Context, seeded) error{s.addClient, s.addPassword, s.addProfile, s.addOperator} {
		if err := add(ctx, of); err != nil {
			return fmt.Errorf("people of %s: %w", of.Create["name"], err)
		}
	}
	return nil
}

// checkPeople checks that env has all names and that the client exists. After a loss of data the client is gone.
func (s seeder) checkPeople(ctx context.Context) (bool, error) {
	if slices.ContainsFunc(peopleNames, func(name string) bool { return s.env[name] == "" }) {
		return false, nil
	}
	err := s.operate(ctx, "show_oauth_client", nil, object{"client_id": s.env["OAUTH_CLIENT_ID"]})
	if refused, ok := errors.AsType[*client.Refusal](err); ok && refused.Code == "NOT_FOUND" {
		return false, nil
	}
	return err == nil, err
}

func (s seeder) addClient(ctx context.Context, _ seeded) error {
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := s.operate(ctx, "create_oauth_client", &made, object{"merchant_code": s.env["MERCHANT_CODE"],
		"name": "Tischplan", "redirect_uris": []string{redirectURI}, "scopes": scopes}); err != nil {
		return err
	}
	s.env["OAUTH_CLIENT_ID"], s.env["OAUTH_CLIENT_SECRET"] = made.ID, made.Secret
	s.env["OAUTH_REDIRECT_URI"], s.env["OAUTH_SCOPE"] = redirectURI, strings.Join(scopes, " ")
	return s.operate(ctx, "approve_oauth_client", nil, object{"client_id": made.ID, "scopes": []string{"payments"}})
}

func (s seeder) addPassword(ctx context.Context, of seeded) error {
	var set struct{ Email, Password string }
	err := s.operate(ctx, "set_password", &set, object{"merchant_code": s.env["MERCHANT_CODE"],
		"email": of.Create["email"]})
	s.env["OAUTH_USERNAME"], s.env["OAUTH_PASSWORD"] = set.Email, set.Password
	return err
}

func (s seeder) addProfile(ctx context.Context, _ seeded) error {
	var made struct{ Username, Password string }
	err := s.send(ctx, s.env["API_KEY"], http.MethodPost, "/v0.1/merchants/"+s.env["MERCHANT_CODE"]+"/test-profiles",
		object{"name": "Tischplan"}, &made)
	s.env["TEST_PROFILE_USERNAME"], s.env["TEST_PROFILE_PASSWORD"] = made.Username, made.Password
	return err
}

const operatorAccounts = "/v0.1/me/accounts"

// addOperator gives the merchant's first operator a new password. If the operator was deleted, it is created again.
func (s seeder) addOperator(ctx context.Context, of seeded) error {
	var all []struct {
		ID       int
		Username string
	}
	if err := s.send(ctx, s.env["API_KEY"], http.MethodGet, operatorAccounts, nil, &all); err != nil {
		return err
	}
	username, password := fmt.Sprint(of.Operators[0]["username"]), rand.Text()
	method, path, body := http.MethodPost, operatorAccounts, maps.Clone(of.Operators[0])
	body["password"] = password
	for _, o := range all {
		if o.Username == username {
			method, path = http.MethodPut, fmt.Sprintf("%s/%d/reset", operatorAccounts, o.ID)
			body = object{"password": password}
		}
	}
	s.env["OPERATOR_USERNAME"], s.env["OPERATOR_PASSWORD"] = username, password
	return s.send(ctx, s.env["API_KEY"], method, path, body, nil)
}
