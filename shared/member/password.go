package member

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/cashwrap/cashwrap/shared/secret"
)

// Remembered is the number of a user's stored passwords, including the current one. A new password must differ from all
// of them (PCI DSS 8.3.7 requires this for the last four). Setting a password computes one hash for each stored
// password.
const Remembered = 4

// ErrUsedBefore reports a new password that equals a remembered one.
var ErrUsedBefore = errors.New("member: the password was used before")

// Passwords are a user's last passwords, the current one first.
type Passwords []Password

// Password is a password that was set.
type Password struct {
	Hash      Hash      `dynamo:"hash"`
	Operation string    `dynamo:"operation"` // that set the password; a repeated request finds its own password by it
	SetAt     time.Time `dynamo:"set_at"`
}

// NewPassword returns a generated password: 24 characters of 144 random bits. Errors: those of random.
func NewPassword(random io.Reader) (secret.Text, error) {
	raw := make([]byte, 18)
	_, err := io.ReadFull(random, raw)
	return secret.New(base64.RawURLEncoding.EncodeToString(raw)), err
}

// Choice is a chosen password. It stores the hashes that it has computed, so a retried write computes no more hashes.
// Only one goroutine may use a Choice.
type Choice struct {
	cost     Cost
	text     secret.Text
	hash     Hash
	compared map[Hash]bool // true if the password matches the hash
	computed int           // number of computed hashes
}

// Computed returns the number of hashes computed so far.
func (c *Choice) Computed() int { return c.computed }

// Choose returns the choice of a password, in NFC (RFC 8265 §4.2.2). The caller has checked the password's form. A new
// hash of the password is computed with the cost.
func (c Cost) Choose(password secret.Text) *Choice {
	text := secret.New(norm.NFC.String(password.Reveal()))
	return &Choice{cost: cmp.Or(c, defaultCost), text: text, compared: map[Hash]bool{}}
}

// With returns the passwords after the operation has set another password. If the operation has already set one of
// them, With returns p. It computes one hash for each stored password and one for the new password. Errors: ErrShort,
// ErrCommon, ErrUsedBefore; that of ctx.
func (p Passwords) With(ctx context.Context, c *Choice, operation string, now time.Time) (Passwords, error) {
	if p.SetBy(operation) {
		return p, nil
	}
	if err := checkNew(c.text.Reveal()); err != nil {
		return p, err
	}
	for _, before := range p {
		same, err := c.matchHash(ctx, before.Hash)
		switch {
		case err != nil:
			return p, err
		case same:
			return p, ErrUsedBefore
		}
	}
	hash, err := c.computeHash(ctx)
	if err != nil {
		return p, err
	}
	return append(Passwords{{hash, operation, now}}, p[:min(len(p), Remembered-1)]...), nil
}

// Current returns the operation that set the current password, or "" if there is no password.
func (p Passwords) Current() string {
	if len(p) == 0 {
		return ""
	}
	return p[0].Operation
}

const linkPrefix = "link "

// LinkOperation returns the operation that sets a password by the mailed link with the id.
func LinkOperation(id string) string { return linkPrefix + id }

// Unlinked returns the operation that set the last of the passwords that was not set by a mailed link, or "". A
// thief who reads a person's mails can set such passwords again and again.
func (p Passwords) Unlinked() string {
	for _, one := range p {
		if !strings.HasPrefix(one.Operation, linkPrefix) {
			return one.Operation
		}
	}
	return ""
}

// SetBy returns true if the operation has set one of the passwords.
func (p Passwords) SetBy(operation string) bool {
	return slices.ContainsFunc(p, func(before Password) bool { return before.Operation == operation })
}

func (c *Choice) computeHash(ctx context.Context) (hash Hash, err error) {
	if c.hash == "" {
		c.hash, err = newHash(ctx, c.cost, c.text.Reveal())
		c.computed++
	}
	return c.hash, err
}

func (c *Choice) matchHash(ctx context.Context, h Hash) (bool, error) {
	if same, known := c.compared[h]; known {
		return same, nil
	}
	same, err := h.matches(ctx, c.text.Reveal())
	c.computed++
	if err == nil {
		c.compared[h] = same
	}
	return same, err
}
