package member

import (
	"io"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// MaxTestProfiles limits the number of a merchant's test profiles (contract §8.4).
const MaxTestProfiles = 20

// TestProfilePrefix begins the id of a test profile.
const TestProfilePrefix = "tp_"

// TestProfile is a login, as stored, with which a developer can try real cards in test mode (contract §8.4).
type TestProfile struct {
	ID        string    `dynamo:"id"` // tp_ and 26 characters
	Name      string    `dynamo:"name,omitempty"`
	Passwords Passwords `dynamo:"passwords,omitempty"` // exactly one
	CreatedAt time.Time `dynamo:"created_at"`
}

// NewTestProfile returns a profile and its password, derived from the random bytes. Errors: those of random.
func NewTestProfile(random io.Reader, name string, now time.Time) (TestProfile, secret.Text, error) {
	id, err := identity.RandomID(TestProfilePrefix, random)
	if err != nil {
		return TestProfile{}, secret.Text{}, err
	}
	password, err := NewPassword(random)
	return TestProfile{ID: id, Name: name, CreatedAt: now}, password, err
}

// Username returns the profile's sign-in name: its id and its merchant's code.
func (p TestProfile) Username(t identity.Tenant) string { return p.ID + "@" + t.Merchant }

// ForAudit returns the profile as audit entries show it.
func (p TestProfile) ForAudit() any {
	return struct {
		Name      string    `json:"name"`
		CreatedAt time.Time `json:"created_at"`
	}{p.Name, p.CreatedAt}
}

// CheckMayChangeTestProfile refuses a maker with fewer permissions than a test profile, because the maker can sign in
// with the profile (contract §8.4). Failure: Forbidden.
func CheckMayChangeTestProfile(p identity.Principal) error {
	profile := identity.Principal{Actor: identity.Actor{Kind: identity.TestProfile}}
	has := slices.DeleteFunc(identity.AllPermissions(), func(one identity.Permission) bool { return !profile.Has(one) })
	return checkMayGive(lacksFor(p, has))
}
