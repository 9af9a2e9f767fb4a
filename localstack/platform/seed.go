package platform

import (
	"context"
	"fmt"
	"net/http"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// The merchants of a new local run. The second one shows that it sees nothing of the first.
var merchants = []struct {
	prefix  string // of its names in .local/env
	command map[string]any
}{
	{"", map[string]any{"command": "create_merchant", "name": "Kaffeehaus Lindenhof", "email": "kasse@lindenhof.example",
		"country": "DE", "currency": "EUR", "sandbox": true}},
	{"OTHER_", map[string]any{"command": "create_merchant", "name": "Buchladen Morgenrot",
		"email":   "kasse@morgenrot.example",
		"country": "DE", "currency": "EUR", "sandbox": true}},
}

// seed creates the merchants whose keys .local/env does not hold, and writes that file. The keys are nowhere else.
func seed(ctx context.Context, f Folder, r *runner.Runner) (map[string]string, error) {
	env, err := f.ReadEnv()
	if err != nil {
		env = map[string]string{}
	}
	env["BASE_URL"] = r.URL
	for _, m := range merchants {
		code, key := m.prefix+"MERCHANT_CODE", m.prefix+"API_KEY"
		known, err := works(ctx, r.URL, env[code], env[key])
		if err != nil {
			return nil, err
		}
		if known {
			continue
		}
		if env[code], env[key], err = create(ctx, r.Invoke, m.command); err != nil {
			return nil, err
		}
	}
	return env, f.writeEnv(env)
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

// create makes a merchant, with an account of the sandbox bank to which payouts are paid.
func create(ctx context.Context, operator client.Invoke, command map[string]any) (code, key string, err error) {
	var created struct {
		MerchantCode string `json:"merchant_code"`
		APIKey       struct {
			Plaintext string `json:"plaintext"`
		} `json:"api_key"`
	}
	if err := operator.Operate(ctx, command, &created); err != nil {
		return "", "", fmt.Errorf("create merchant: %w", err)
	}
	payout := map[string]any{"command": "set_payout", "merchant_code": created.MerchantCode, "holder": command["name"],
		"iban": sandbox.PaidIBAN}
	if err := operator.Operate(ctx, payout, nil); err != nil {
		return "", "", fmt.Errorf("set payout: %w", err)
	}
	return created.MerchantCode, created.APIKey.Plaintext, nil
}
