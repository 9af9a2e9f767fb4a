package testprofiles_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
)

type fields = map[string]any

// profile is a test profile in a response.
type profile struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Username  string    `json:"username"`
	Password  string    `json:"password"`
	CreatedAt time.Time `json:"created_at"`
}

// hidden returns the profile as later responses show it.
func (p profile) hidden() profile {
	p.Password = ""
	return p
}

type shop struct{ world.Shop }

func newShop(t *testing.T) shop {
	t.Helper()
	return shop{world.NewShop(t)}
}

// as returns the shop with another credential.
func (s shop) as(credential string) shop { return shop{s.WithKey(credential)} }

func (s shop) profiles() string { return "/v0.1/merchants/" + s.Merchant.Code + "/test-profiles" }

func (s shop) path(id string) string { return s.profiles() + "/" + id }

func (s shop) create(name string) profile {
	s.Helper()
	return s.readCreated(s.Send("POST", s.profiles(), fields{"name": name}))
}

// readCreated returns the created profile. Its password must not appear in anything stored or logged.
func (s shop) readCreated(got world.Response) profile {
	s.Helper()
	p := world.Into[profile](s, 201, got)
	if p.Password != "" {
		s.Secret("test profile's password", p.Password)
	}
	return p
}

func (s shop) list() []profile {
	s.Helper()
	return world.Into[struct{ Items []profile }](s, 200, s.Send("GET", s.profiles(), nil)).Items
}

// readAccount returns the account with the user name in the mode.
func (s shop) readAccount(username string, mode identity.Mode) signin.Account {
	s.Helper()
	a, err := s.App.Store.SignInAccount(s.Context(), signin.ParseName(username, ""), mode)
	if err != nil {
		s.Fatal(err)
	}
	return a
}

// createToken returns an access token of the profile.
func (s shop) createToken(id string, scopes ...string) string {
	s.Helper()
	return s.Token(func(t *identity.AccessToken) {
		t.Kind, t.Subject, t.Client = identity.TestProfile, id, "app_1"
		if len(scopes) > 0 {
			t.Scopes = scopes
		}
	})
}

// Refusals of the family.
var (
	notAllowed = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound   = world.Refused(404, "NOT_FOUND", "", "not-found")
	tooMany    = world.Refused(409, "max_number_of_test_profiles_exceeded", "", "conflict")
	badToken   = world.Refused(401, "NOT_AUTHORIZED", "", "invalid-token")
)

func (p profile) secret() secret.Text { return secret.New(p.Password) }
