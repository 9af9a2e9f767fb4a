package platform

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
)

// seeded describes a merchant: the arguments of the operator's commands and the bodies of the requests that make it.
type seeded struct {
	Prefix   string         // of its variables in .local/env
	Create   map[string]any // create_merchant
	Settings map[string]any // update_settings
	Payout   map[string]any // set_payout, without the holder

	BankAccounts []map[string]any `json:"bank_accounts"` // createMyBankAccount
	Operators    []map[string]any // createOperator, without the password
}

//go:embed merchants.json
var merchantsText []byte

// merchants have five currencies and countries (contract §4.3). The first has no prefix.
var merchants = sync.OnceValue(func() (all []seeded) {
	if err := json.Unmarshal(merchantsText, &all); err != nil {
		panic(err)
	}
	return all
})

// seeder creates the merchants and people of .local/env at a running platform, and collects their secrets in env.
type seeder struct {
	api      client.Client
	operator client.Invoke
	env      map[string]string
}

// seed creates the merchants and people that .local/env lacks. It writes that file, the only copy of their secrets.
func seed(ctx context.Context, f Folder, r *runner.Runner) (map[string]string, error) {
	env, err := f.ReadEnv()
	if err != nil {
		env = map[string]string{}
	}
	env["BASE_URL"] = r.URL
	s := seeder{client.Client{BaseURL: r.URL}, r.Invoke, env}
	for _, m := range merchants() {
		if err := s.addMerchant(ctx, m); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Create["name"], err)
		}
	}
	if err := s.addPeople(ctx, merchants()[0]); err != nil {
		return nil, err
	}
	return env, f.writeEnv(env)
}

type object = map[string]any

// operate runs an operator's command with the merged arguments. It decodes the answer unless answer is nil.
func (s seeder) operate(ctx context.Context, command string, answer any, arguments ...object) error {
	all := object{"command": command}
	for _, some := range arguments {
		maps.Copy(all, some)
	}
	if err := s.operator.Operate(ctx, all, answer); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}

// send sends a request that must succeed. It decodes the reply unless into is nil.
func (s seeder) send(ctx context.Context, key, method, path string, body, into any) error {
	response, err := s.api.Do(ctx, client.Request{Method: method, Path: path, APIKey: key, Body: body})
	if err == nil && response.Status >= http.StatusBadRequest {
		err = fmt.Errorf("status %d: %s", response.Status, response.Body)
	}
	if err == nil && into != nil {
		err = response.Into(into)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// variableNames returns the variables of the merchant's code, key and callback secret in .local/env.
func (m seeded) variableNames() (code, key, secret string) {
	return m.Prefix + "MERCHANT_CODE", m.Prefix + "API_KEY", m.Prefix + "CALLBACK_SECRET"
}

// addMerchant creates the merchant and its callback secret, unless env has a working key and a secret.
func (s seeder) addMerchant(ctx context.Context, m seeded) error {
	code, key, secret := m.variableNames()
	known, err := s.checkKey(ctx, s.env[code], s.env[key])
	if err != nil {
		return err
	}
	if !known {
		if s.env[code], s.env[key], err = s.createMerchant(ctx, m); err != nil {
			return err
		}
	}
	if known && s.env[secret] != "" {
		return nil
	}
	var made struct{ Secret string }
	// Pass force, because the last rotation may be less than 24 hours ago.
	err = s.operate(ctx, "rotate_callback_secret", &made, object{"merchant_code": s.env[code], "force": true})
	s.env[secret] = made.Secret
	return err
}

// checkKey returns true if the key is the merchant's. After a loss of data, the merchant does not have the key any
// more.
func (s seeder) checkKey(ctx context.Context, code, key string) (bool, error) {
	if code == "" || key == "" {
		return false, nil
	}
	response, err := s.api.Do(ctx, client.Request{Method: http.MethodGet, APIKey: key,
		Path: "/v0.1/merchants/" + code + "/payment-methods"})
	switch {
	case err != nil:
		return false, err
	case response.Status == http.StatusOK:
		return true, nil
	case response.Status == http.StatusUnauthorized, response.Status == http.StatusNotFound:
		return false, nil
	default:
		return false, fmt.Errorf("reading merchant %s: status %d", code, response.Status)
	}
}

// createMerchant makes a sandbox merchant with a bank account. Operators' passwords are unknown, but can be reset.
func (s seeder) createMerchant(ctx context.Context, m seeded) (code, key string, err error) {
	var created struct {
		Code string                     `json:"merchant_code"`
		Key  struct{ Plaintext string } `json:"api_key"`
	}
	if err = s.operate(ctx, "create_merchant", &created, object{"sandbox": true}, m.Create); err != nil {
		return "", "", err
	}
	code, key = created.Code, created.Key.Plaintext
	of := object{"merchant_code": code}
	if err = s.operate(ctx, "update_settings", nil, of, m.Settings); err != nil {
		return "", "", err
	}
	if err = s.operate(ctx, "set_payout", nil, of, object{"holder": m.Create["name"]}, m.Payout); err != nil {
		return "", "", err
	}
	for _, account := range m.BankAccounts {
		if err = s.send(ctx, key, http.MethodPost, "/v0.1/me/merchant-profile/bank-accounts", account, nil); err != nil {
			return "", "", err
		}
	}
	for _, operator := range m.Operators {
		body := maps.Clone(operator)
		body["password"] = rand.Text()
		if err = s.send(ctx, key, http.MethodPost, operatorAccounts, body, nil); err != nil {
			return "", "", err
		}
	}
	return code, key, nil
}
