package member

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"
)

// User is a person with an address and a password. A user may be a member of several merchants, in both modes.
type User struct {
	ID        string    `dynamo:"id"` // UUID
	Email     string    `dynamo:"email"`
	Passwords Passwords `dynamo:"passwords,omitempty"` // empty until the person sets one
	CreatedAt time.Time `dynamo:"created_at"`
	Version   int       `dynamo:"version"` // of the stored item, from 1
}

// Address returns the user's e-mail address in its unique form.
func (u User) Address() string { return Address(u.Email) }

// UserID returns the id of the user that an operation makes: a UUID (version 8, RFC 9562). A repeated operation gets
// the same id.
func UserID(operation string) string {
	sum := sha256.Sum256([]byte("user\x00" + operation))
	var id uuid.UUID
	copy(id[:], sum[:])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// decoy returns a hash that no known password has. With it, checking an unknown name takes as long as checking a wrong
// password.
func (c Cost) decoy() Hash { return c.phc(make([]byte, saltLength), make([]byte, tagLength)) }

// Confirms returns true if the choice is the current password. It computes one hash in every case, even without a
// current password. Error: that of ctx. Failure: TooMany.
func (p Passwords) Confirms(ctx context.Context, c *Choice) (bool, error) {
	if len(p) == 0 {
		_, err := c.matchHash(ctx, c.cost.decoy())
		return false, err
	}
	return c.matchHash(ctx, p[0].Hash)
}
