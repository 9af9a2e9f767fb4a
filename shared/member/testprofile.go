package member

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// MaxTestProfiles is how many a merchant can have (contract §8.4).
const MaxTestProfiles = 20

// TestProfilePrefix begins the id of a test profile.
const TestProfilePrefix = "tp_"

// TestProfile lets a developer try real cards in test mode, as stored (contract §8.4).
type TestProfile struct {
	ID        string    `dynamo:"id"` // tp_ and 26 characters
	Name      string    `dynamo:"name,omitempty"`
	Passwords Passwords `dynamo:"passwords"` // one
	CreatedAt time.Time `dynamo:"created_at"`
}

// Username is what the profile signs in with: its id and its merchant, by which it is found.
func (p TestProfile) Username(t identity.Tenant) string { return p.ID + "@" + t.Merchant }
