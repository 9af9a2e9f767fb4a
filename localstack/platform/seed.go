package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
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
		if env[code], env[key], err = create(ctx, r, m.command); err != nil {
			return nil, err
		}
		if err := setPayout(ctx, r, env[code], m.command["name"]); err != nil {
			return nil, err
		}
	}
	return env, f.writeEnv(env)
}

// works says the platform knows the key as the merchant's; after a loss of the data it does not.
func works(ctx context.Context, base, code, key string) (bool, error) {
	if code == "" || key == "" {
		return false, nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v0.1/merchants/"+code+"/payment-methods", nil)
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		return true, nil
	case http.StatusUnauthorized, http.StatusNotFound:
		return false, nil
	default:
		return false, fmt.Errorf("asking for merchant %s: %s", code, response.Status)
	}
}

// setPayout gives a merchant the account that payouts go to: one of the sandbox bank's that is paid.
func setPayout(ctx context.Context, r *runner.Runner, code string, holder any) error {
	request, err := json.Marshal(map[string]any{"command": "set_payout", "merchant_code": code, "holder": holder,
		"iban": "DE17100100100000005678"})
	if err != nil {
		return err
	}
	reply, err := r.Invoke(ctx, "provision", request)
	if err != nil {
		return err
	}
	var refused struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(reply, &refused); err != nil || refused.Error != nil {
		return fmt.Errorf("set payout: %s", reply)
	}
	return nil
}

func create(ctx context.Context, r *runner.Runner, command map[string]any) (code, key string, err error) {
	request, err := json.Marshal(command)
	if err != nil {
		return "", "", err
	}
	reply, err := r.Invoke(ctx, "provision", request)
	if err != nil {
		return "", "", err
	}
	var created struct {
		MerchantCode string `json:"merchant_code"`
		APIKey       struct {
			Plaintext string `json:"plaintext"`
		} `json:"api_key"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(reply, &created); err != nil {
		return "", "", err
	}
	if created.APIKey.Plaintext == "" {
		return "", "", fmt.Errorf("create merchant: %s", created.Error)
	}
	return created.MerchantCode, created.APIKey.Plaintext, nil
}
