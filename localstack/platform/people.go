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

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
)

// peopleNames are the names in .local/env of an OAuth client, and of the accounts that can sign in to it, in the order
// of the file. OAUTH_USERNAME owns two merchants; OPERATOR_USERNAME needs the code of the first merchant to sign in.
var peopleNames = []string{"OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_REDIRECT_URI", "OAUTH_SCOPE",
	"OAUTH_USERNAME", "OAUTH_PASSWORD", "TEST_PROFILE_USERNAME", "TEST_PROFILE_PASSWORD", "OPERATOR_USERNAME",
	"OPERATOR_PASSWORD"}

// redirectURI is the seeded client's. Nothing listens there, so a browser that is sent there shows the code in its
// address line.
const redirectURI = "http://127.0.0.1:8765/callback"

var scopes = []string{"payments", "transactions.history", "user.app-settings", "user.profile_readonly"}

// seedPeople makes the OAuth client, a test profile, and passwords for the user and the operator, unless env has all of
// them and the table still has the client.
func seedPeople(ctx context.Context, r *runner.Runner, env map[string]string) error {
	known, err := knowsPeople(ctx, r, env)
	if known || err != nil {
		return err
	}
	first := merchants()[0]
	code, key, _ := first.names()
	p := people{first, client.Client{BaseURL: r.URL}, client.Invoke(r.Invoke), env[code], env[key], env}
	for _, add := range []func(context.Context) error{p.addClient, p.addPassword, p.addProfile, p.addOperator} {
		if err := add(ctx); err != nil {
			return fmt.Errorf("people of %s: %w", first.Create["name"], err)
		}
	}
	return nil
}

// knowsPeople reports whether env has all names, and a client that exists: after the data was lost it does not.
func knowsPeople(ctx context.Context, r *runner.Runner, env map[string]string) (bool, error) {
	if slices.ContainsFunc(peopleNames, func(name string) bool { return env[name] == "" }) {
		return false, nil
	}
	err := client.Invoke(r.Invoke).Operate(ctx, map[string]any{"command": "show_oauth_client",
		"client_id": env["OAUTH_CLIENT_ID"]}, nil)
	if refused, ok := errors.AsType[*client.Refusal](err); ok && refused.Code == "NOT_FOUND" {
		return false, nil
	}
	return err == nil, err
}

// people makes a merchant's client and accounts, and puts their names and secrets into env.
type people struct {
	of        seeded
	api       client.Client
	operator  client.Invoke
	code, key string
	env       map[string]string
}

func (p people) addClient(ctx context.Context) error {
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := p.operator.Operate(ctx, map[string]any{"command": "create_oauth_client", "merchant_code": p.code,
		"name": "Tischplan", "redirect_uris": []string{redirectURI}, "scopes": scopes}, &made); err != nil {
		return err
	}
	p.env["OAUTH_CLIENT_ID"], p.env["OAUTH_CLIENT_SECRET"] = made.ID, made.Secret
	p.env["OAUTH_REDIRECT_URI"], p.env["OAUTH_SCOPE"] = redirectURI, strings.Join(scopes, " ")
	return p.operator.Operate(ctx, map[string]any{"command": "approve_oauth_client", "client_id": made.ID,
		"scopes": []string{"payments"}}, nil)
}

// addPassword gives the merchant's owner a password.
func (p people) addPassword(ctx context.Context) error {
	var set struct{ Email, Password string }
	err := p.operator.Operate(ctx, map[string]any{"command": "set_password", "merchant_code": p.code,
		"email": p.of.Create["email"]}, &set)
	p.env["OAUTH_USERNAME"], p.env["OAUTH_PASSWORD"] = set.Email, set.Password
	return err
}

func (p people) addProfile(ctx context.Context) error {
	var made struct{ Username, Password string }
	err := send(ctx, p.api, client.Request{Method: http.MethodPost, APIKey: p.key,
		Path: "/v0.1/merchants/" + p.code + "/test-profiles", Body: map[string]any{"name": "Tischplan"}}, &made)
	p.env["TEST_PROFILE_USERNAME"], p.env["TEST_PROFILE_PASSWORD"] = made.Username, made.Password
	return err
}

// addOperator gives the merchant's first operator a new password, and makes the operator if it was deleted.
func (p people) addOperator(ctx context.Context) error {
	const accounts = "/v0.1/me/accounts"
	var all []struct {
		ID       int
		Username string
	}
	if err := send(ctx, p.api, client.Request{Method: http.MethodGet, APIKey: p.key, Path: accounts}, &all); err != nil {
		return err
	}
	body := maps.Clone(p.of.Operators[0])
	body["password"] = rand.Text()
	request := client.Request{Method: http.MethodPost, APIKey: p.key, Path: accounts, Body: body}
	for _, o := range all {
		if o.Username == body["username"] {
			request.Method, request.Path = http.MethodPut, fmt.Sprintf("%s/%d/reset", accounts, o.ID)
			request.Body = map[string]any{"password": body["password"]}
		}
	}
	p.env["OPERATOR_USERNAME"], p.env["OPERATOR_PASSWORD"] = fmt.Sprint(body["username"]), fmt.Sprint(body["password"])
	return send(ctx, p.api, request, nil)
}
