// Package audit is the record of who changed what of a merchant's account: its
// terms, settings, bank accounts, onboarding data, keys and members. The store writes each entry in
// the transaction of the change itself. It does no I/O.
package audit

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Entry is one change, as stored. It is never changed and never deleted: the table's
// own policy denies both.
type Entry struct {
	ID        string        `dynamo:"id"`
	At        time.Time     `dynamo:"at"`
	Mode      identity.Mode `dynamo:"mode,omitempty"` // "": of the merchant, or of both modes
	Actor     Actor         `dynamo:"actor"`
	Operation string        `dynamo:"operation"`
	Subject   string        `dynamo:"subject"`
	Before    Fields        `dynamo:"before,omitempty"`
	After     Fields        `dynamo:"after,omitempty"`
}

// Kind of an actor.
type Kind string

// The kinds.
const (
	APIKey  Kind = "api_key" // a merchant's
	Member  Kind = "member"  // a person, by an access token
	Client  Kind = "client"  // an OAuth client, or a test profile, that acts for the merchant
	Command Kind = "command" // an operator's of the platform
	Sweep   Kind = "sweep"   // the platform itself, when something is due
	Bank    Kind = "bank"    // by its answer
)

// Actor is who changes something, and from where.
type Actor struct {
	Kind Kind `dynamo:"kind" json:"kind"`

	// ID is the key's, the member's, the client's or the profile's. Of a command it is
	// who gave it, as the command itself says: only AWS's own record of the request
	// proves it.
	ID string `dynamo:"id,omitempty" json:"id,omitempty"`

	Email string `dynamo:"email,omitempty" json:"email,omitempty"` // a member's, as it was then

	Source  string `dynamo:"source,omitempty" json:"source,omitempty"`   // address of the client
	Request string `dynamo:"request,omitempty" json:"request,omitempty"` // X-Request-Id, or Lambda's id of the call
}

type doing struct {
	actor     Actor
	operation string
}

type doingKey struct{}

// As is a context in which the actor changes things by an operation: a route, as
// "PUT /v0.1/me/merchant-profile/settings", or an operator's command.
func As(ctx context.Context, actor Actor, operation string) context.Context {
	return context.WithValue(ctx, doingKey{}, doing{actor, operation})
}

// ByMember is the context in which the request's changes are made by a member without a
// credential, who accepts an invitation.
func ByMember(ctx context.Context, id, email string) context.Context {
	asked, _ := ctx.Value(doingKey{}).(doing)
	asked.actor.Kind, asked.actor.ID, asked.actor.Email = Member, id, email
	return As(ctx, asked.actor, asked.operation)
}

// AsBank is the context in which what a bank has decided is recorded. The request is
// that of the caller who asked for it.
func AsBank(ctx context.Context) context.Context {
	asked, _ := ctx.Value(doingKey{}).(doing)
	return As(ctx, Actor{Kind: Bank, Request: asked.actor.Request}, asked.operation)
}

// Change is what changes. Before and After are views without secrets: no
// credential, no account number but its last four characters, no date of birth.
// Nil: there was or is nothing.
type Change struct {
	Mode          identity.Mode
	Subject       string // "merchant", or a kind and an id as in "api_key key_…"
	Before, After any    // which JSON has as objects
}

// New is the entry of a change that the context's actor makes: of what it was made
// from, only the fields that differ. Errors: those of the views' encoding.
func New(ctx context.Context, at time.Time, c Change) (Entry, error) {
	by, _ := ctx.Value(doingKey{}).(doing)
	before, after, err := differing(c.Before, c.After)
	return Entry{ID: uuid.NewString(), At: at, Mode: c.Mode, Actor: by.actor, Operation: by.operation, Subject: c.Subject,
		Before: before, After: after}, err
}
