package functions_test

// clients has an operator register an OAuth client and use each command on it, and give an owner
// its password.
func (e *everything) clients() {
	e.Helper()
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	e.Operate(fields{"command": "create_oauth_client", "merchant_code": e.Merchant.Code, "name": "Till",
		"redirect_uris": []string{"http://127.0.0.1:8765/callback"}, "scopes": []string{"payments"}}, &made)
	e.Secret("client secret", made.Secret)
	for _, command := range []fields{{"command": "update_oauth_client", "name": "App"},
		{"command": "approve_oauth_client", "scopes": []string{"payments"}}, {"command": "rotate_oauth_secret"},
		{"command": "show_oauth_client"}, {"command": "revoke_oauth_client"}} {
		command["client_id"], made.Secret = made.ID, ""
		e.Operate(command, &made)
		if made.Secret != "" {
			e.Secret("client secret", made.Secret)
		}
	}
	var set struct{ Password string }
	e.Operate(fields{"command": "set_password", "merchant_code": e.Merchant.Code, "email": e.Owner().Email}, &set)
	e.Secret("password", set.Password)
}
