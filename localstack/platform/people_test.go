package platform

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
)

// seededApplication returns the seeded application.
func seededApplication(env map[string]string) client.Application {
	return client.Application{ID: env["OAUTH_CLIENT_ID"], Secret: env["OAUTH_CLIENT_SECRET"],
		RedirectURI: env["OAUTH_REDIRECT_URI"], Scope: env["OAUTH_SCOPE"]}
}

// wantPeople fails unless all people in env can sign in. The user OAUTH_USERNAME must be a member of two merchants.
func wantPeople(t *testing.T, r *runner.Runner, env map[string]string) {
	t.Helper()
	api, app := client.Client{BaseURL: r.URL}, seededApplication(env)
	for _, c := range []struct {
		person client.Person
		at     string
		want   []string // merchants
	}{
		{client.Person{Username: env["OAUTH_USERNAME"], Password: env["OAUTH_PASSWORD"]}, "BRL_",
			[]string{env["MERCHANT_CODE"], env["BRL_MERCHANT_CODE"]}},
		{client.Person{Username: env["OPERATOR_USERNAME"], Password: env["OPERATOR_PASSWORD"],
			MerchantCode: env["MERCHANT_CODE"]}, "", []string{env["MERCHANT_CODE"]}},
		{client.Person{Username: env["TEST_PROFILE_USERNAME"], Password: env["TEST_PROFILE_PASSWORD"]}, "", nil},
	} {
		tokens, err := app.SignIn(t.Context(), &client.Browser{Client: api}, c.person, env[c.at+"MERCHANT_CODE"])
		if err != nil {
			t.Fatalf("%s: got error %v, want tokens", c.person.Username, err)
		}
		if tokens.MerchantCode != env[c.at+"MERCHANT_CODE"] || tokens.Scope != env["OAUTH_SCOPE"] {
			t.Errorf("%s: got merchant %s and scopes %s, want %s and %s", c.person.Username, tokens.MerchantCode, tokens.Scope,
				env[c.at+"MERCHANT_CODE"], env["OAUTH_SCOPE"])
		}
		slices.Sort(c.want)
		if got := listMerchants(t, api, tokens.Access); c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%s: got memberships of %v, want %v", c.person.Username, got, c.want)
		}
	}
	var tokens client.Tokens
	if err := app.Token(t.Context(), api, url.Values{"grant_type": {"password"}, "scope": {"payments"},
		"username": {env["TEST_PROFILE_USERNAME"]}, "password": {env["TEST_PROFILE_PASSWORD"]}}, &tokens); err != nil {
		t.Errorf("the test profile's password: got error %v, want tokens", err)
	}
}

// listMerchants returns the codes of all merchants that the token's user is a member of.
func listMerchants(t *testing.T, api client.Client, token string) (codes []string) {
	t.Helper()
	got, err := api.Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/v0.1/memberships", APIKey: token})
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Items []struct {
			Resource struct{ ID string }
		}
	}
	if err := json.Unmarshal(got.Body, &all); err != nil {
		t.Fatal(err)
	}
	for _, item := range all.Items {
		codes = append(codes, item.Resource.ID)
	}
	slices.Sort(codes)
	return codes
}

func TestAddPeople_OnceAndAfterLoss(t *testing.T) {
	t.Parallel()
	place, r := newFolder(t), startSeedable(t)
	first, err := seed(t.Context(), place, r)
	if err != nil {
		t.Fatal(err)
	}
	wantPeople(t, r, first)
	other := startSeedable(t)
	emptied, err := seed(t.Context(), place, other)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range peopleNames {
		if kept := name == "OAUTH_REDIRECT_URI" || name == "OAUTH_SCOPE" || name == "OAUTH_USERNAME" ||
			name == "OPERATOR_USERNAME"; emptied[name] == "" || kept != (emptied[name] == first[name]) {
			t.Errorf("%s: got %q after %q, want it kept: %t", name, emptied[name], first[name], kept)
		}
	}
	wantPeople(t, other, emptied)
}

// TestAddPeople_EarlierVersion checks that merchants stay and get people, even if an operator was deleted before.
func TestAddPeople_EarlierVersion(t *testing.T) {
	t.Parallel()
	place, r := newFolder(t), startSeedable(t)
	env, err := seed(t.Context(), place, r)
	if err != nil {
		t.Fatal(err)
	}
	before := maps.Clone(env)
	for _, name := range peopleNames {
		delete(env, name)
	}
	p := payer{t, client.Client{BaseURL: r.URL}, r.Invoke, env["MERCHANT_CODE"], env["API_KEY"]}
	var operators []struct{ ID json.Number }
	got, err := p.Do(t.Context(), client.Request{Method: "GET", Path: "/v0.1/me/accounts", APIKey: p.key})
	if err != nil || got.Into(&operators) != nil || len(operators) != 1 {
		t.Fatalf("got operators %s, %v, want one", got.Body, err)
	}
	p.send("DELETE", "/v0.1/me/accounts/"+operators[0].ID.String(), nil)
	if err = place.writeEnv(env); err != nil {
		t.Fatal(err)
	}
	again, err := seed(t.Context(), place, r)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range before {
		if !slices.Contains(peopleNames, name) && again[name] != want {
			t.Errorf("%s: got %s, want %s as before", name, again[name], want)
		}
	}
	wantPeople(t, r, again)
}
