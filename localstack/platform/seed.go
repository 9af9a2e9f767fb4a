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

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
)

// seeded is a merchant of a new local run: the arguments of the operator's commands that make it, then the bodies of
// its own requests.
type seeded struct {
	Prefix   string         // of its names in .local/env
	Create   map[string]any // create_merchant
	Settings map[string]any // update_settings
	Payout   map[string]any // set_payout, beside the holder

	BankAccounts []map[string]any `json:"bank_accounts"` // createMyBankAccount
	Operators    []map[string]any // createOperator, beside the password
}

//go:embed merchants.json
var merchantsText []byte

// merchants are one of each of five currencies, with its own country's rules and payment methods (contract §4.3). The
// first has no prefix.
var merchants = sync.OnceValue(func() (all []seeded) {
	if err := json.Unmarshal(merchantsText, &all); err != nil {
		panic(err)
	}
	return all
})

// seed creates the merchants whose keys .local/env does not hold, and the people and the OAuth client if it does not
// hold these, and writes that file. The keys, secrets and passwords are nowhere else.
func seed(ctx context.Context, f Folder, r *runner.Runner) (map[string]string, error) {
	env, err := f.ReadEnv()
	if err != nil {
		env = map[string]string{}
	}
	env["BASE_URL"] = r.URL
	for _, m := range merchants() {
		if err := m.seed(ctx, r, env); err != nil {
			return nil, err
		}
	}
	if err := seedPeople(ctx, r, env); err != nil {
		return nil, err
	}
	return env, f.writeEnv(env)
}

// seed creates the merchant, unless env has a key of it that works, and makes its callback secret, unless env has one.
func (m seeded) seed(ctx context.Context, r *runner.Runner, env map[string]string) error {
	code, key, secret := m.names()
	known, err := works(ctx, r.URL, env[code], env[key])
	if err != nil {
		return err
	}
	if !known {
		if env[code], env[key], err = m.create(ctx, r); err != nil {
			return err
		}
	}
	if known && env[secret] != "" {
		return nil
	}
	var made struct{ Secret string }
	// force: what was lost with .local/env ends.
	err = client.Invoke(r.Invoke).Operate(ctx, map[string]any{"command": "rotate_callback_secret",
		"merchant_code": env[code], "force": true}, &made)
	env[secret] = made.Secret
	return err
}

// works says whether the key is the merchant's; after the data was lost it is not.
func works(ctx context.Context, base, code, key string) (bool, error) {
	if code == "" || key == "" {
		return false, nil
	}
	response, err := client.Client{BaseURL: base}.Do(ctx, client.Request{Method: http.MethodGet, APIKey: key,
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

// names of the merchant's code, key and callback secret in .local/env.
func (m seeded) names() (code, key, secret string) {
	return m.Prefix + "MERCHANT_CODE", m.Prefix + "API_KEY", m.Prefix + "CALLBACK_SECRET"
}

// create makes a sandbox merchant, with an account of the sandbox bank to which payouts are paid.
func (m seeded) create(ctx context.Context, r *runner.Runner) (code, key string, err error) {
	var created struct {
		MerchantCode string `json:"merchant_code"`
		APIKey       struct {
			Plaintext string `json:"plaintext"`
		} `json:"api_key"`
	}
	operator := client.Invoke(r.Invoke)
	command := map[string]any{"command": "create_merchant", "sandbox": true}
	maps.Copy(command, m.Create)
	if err := operator.Operate(ctx, command, &created); err != nil {
		return "", "", fmt.Errorf("create merchant %s: %w", m.Create["name"], err)
	}
	code, key = created.MerchantCode, created.APIKey.Plaintext
	settings := map[string]any{"command": "update_settings", "merchant_code": code}
	maps.Copy(settings, m.Settings)
	payout := map[string]any{"command": "set_payout", "merchant_code": code, "holder": m.Create["name"]}
	maps.Copy(payout, m.Payout)
	for _, command := range []any{settings, payout} {
		if err := operator.Operate(ctx, command, nil); err != nil {
			return "", "", fmt.Errorf("settings or payout of %s: %w", m.Create["name"], err)
		}
	}
	return code, key, m.add(ctx, client.Client{BaseURL: r.URL}, key)
}

// add adds what merchants themselves manage. Nobody knows the operators' passwords: the merchant can reset them, as
// seedPeople does with one.
func (m seeded) add(ctx context.Context, api client.Client, key string) error {
	requests := []client.Request{}
	for _, account := range m.BankAccounts {
		requests = append(requests, client.Request{Path: "/v0.1/me/merchant-profile/bank-accounts", Body: account})
	}
	for _, operator := range m.Operators {
		body := map[string]any{"password": rand.Text()}
		maps.Copy(body, operator)
		requests = append(requests, client.Request{Path: "/v0.1/me/accounts", Body: body})
	}
	for _, request := range requests {
		request.Method, request.APIKey = http.MethodPost, key
		if err := send(ctx, api, request, nil); err != nil {
			return fmt.Errorf("%s: %w", m.Create["name"], err)
		}
	}
	return nil
}

// send sends a request that must succeed, and reads its reply, unless into is nil.
func send(ctx context.Context, api client.Client, request client.Request, into any) error {
	response, err := api.Do(ctx, request)
	if err == nil && response.Status >= http.StatusBadRequest {
		err = fmt.Errorf("status %d: %s", response.Status, response.Body)
	}
	if err == nil && into != nil {
		err = response.Into(into)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", request.Method, request.Path, err)
	}
	return nil
}
