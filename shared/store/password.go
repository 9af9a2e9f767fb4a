package store

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// The buckets of passwords (contract §2.9). A password takes up to five hashes. These take a second of a function's
// share of a processor. All callers share the limited number of functions that may run at a time.
var (
	passwordsOfTenant  = Bucket{Rate: 1, Burst: 100}
	passwordsOfAddress = Bucket{Every: 6 * time.Minute, Burst: 10}
	passwordsOfSource  = Bucket{Every: 10 * time.Second, Burst: 30}
)

// ErrWrongPassword reports a password that is not the current one.
var ErrWrongPassword = errors.New("store: the password is not the current one")

// NewPassword is a password that a request sets or confirms. It counts once, however often the write is tried.
type NewPassword struct {
	store     *Store
	choice    *member.Choice
	operation string
	limits    []passwordLimit
	admitted  bool
	refused   *passwordLimit // the limit whose bucket was empty, or nil
}

// passwordLimit is a bucket that a password takes a token from.
type passwordLimit struct {
	subject string
	bucket  Bucket
	ofName  bool // the bucket of the name, or of the known browser or address in its place
}

// Budget names the buckets that a password to sign in takes tokens from.
type Budget struct {
	Name   string // signin.Name.Subject, whether or not an account has it
	Source string // rest.SourceAddress
	Known  string // the known browser or address, whose bucket replaces the name's; "" if neither is known
}

// limits returns two limits. The first is the limit of the source. The second is the limit of the known browser or
// address, or of the name if neither is known. There are always two, so that the duration does not reveal whether the
// browser or address is known.
func (b Budget) limits() []passwordLimit {
	last := passwordLimit{"passwords for " + b.Name, passwordsOfAddress, true}
	if b.Known != "" {
		last.subject = "passwords by " + b.Known
	}
	return []passwordLimit{{"passwords from " + b.Source, passwordsOfSource, false}, last}
}

// PasswordOf returns a password that a merchant sets by an operation, for one of its members.
func (s *Store) PasswordOf(t identity.Tenant, operation string, text secret.Text) *NewPassword {
	return &NewPassword{store: s, choice: s.passwordCost.Choose(text), operation: operation,
		limits: []passwordLimit{{subject: "passwords " + t.String(), bucket: passwordsOfTenant}}}
}

// PasswordByOperator returns a password that the platform's operator sets. It is not limited.
func (s *Store) PasswordByOperator(operation string, text secret.Text) *NewPassword {
	return &NewPassword{store: s, choice: s.passwordCost.Choose(text), operation: operation}
}

// PasswordFor returns a password that the person with the address sets or confirms by a mailed link. It does not use
// the bucket of passwords to sign in, because strangers who know the address can empty that bucket.
func (s *Store) PasswordFor(address, operation string, text secret.Text) *NewPassword {
	return &NewPassword{store: s, choice: s.passwordCost.Choose(text), operation: operation,
		limits: []passwordLimit{{subject: "passwords by links to " + address, bucket: passwordsOfAddress}}}
}

// PasswordFrom returns a password to sign in with. It is limited whether or not an account has the name.
func (s *Store) PasswordFrom(b Budget, text secret.Text) *NewPassword {
	return &NewPassword{store: s, choice: s.passwordCost.Choose(text), limits: b.limits()}
}

// Computed returns the number of hashes that the password has taken so far.
func (p *NewPassword) Computed() int { return p.choice.Computed() }

// Blocked returns true if the password was refused because the bucket of the name was empty, or the bucket of the known
// browser or address in its place.
func (p *NewPassword) Blocked() bool { return p.refused != nil && p.refused.ofName }

// Set returns the passwords with the new one. Errors: member.ErrShort, member.ErrCommon, member.ErrUsedBefore; TooMany.
func (p *NewPassword) Set(ctx context.Context, before member.Passwords) (member.Passwords, error) {
	if err := p.admit(ctx); err != nil {
		return before, err
	}
	return before.With(ctx, p.choice, p.operation, p.store.now())
}

// Confirm returns nil if the password is the current one. It takes one hash, even if there is no password. Errors:
// ErrWrongPassword; TooMany.
func (p *NewPassword) Confirm(ctx context.Context, current member.Passwords) error {
	if err := p.admit(ctx); err != nil {
		return err
	}
	same, err := current.Confirms(ctx, p.choice)
	if err == nil && !same {
		err = ErrWrongPassword
	}
	return err
}

// admit takes a token from each bucket. Unlike under other limits, passwords are refused while the buckets cannot be
// read, because the table takes no writes then anyway.
func (p *NewPassword) admit(ctx context.Context) error {
	if p.admitted {
		return nil
	}
	for i, l := range p.limits {
		err := p.store.TakeToken(ctx, l.subject, l.bucket)
		if failure.Is(err, failure.KindTooMany) {
			p.refused = &p.limits[i]
		}
		if err != nil {
			return err
		}
	}
	p.admitted = true
	return nil
}
