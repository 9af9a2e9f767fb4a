package rest

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// maxIdempotencyKey is the longest key (contract §2.8).
const maxIdempotencyKey = 255

// settleTimeout bounds the write of the record after the operation. The write goes on even if the client has left or
// the request's deadline has passed.
const settleTimeout = 3 * time.Second

// idempotencyKey returns the request's key, or "" if there is no key or the route ignores keys. Failure: Invalid
// (contract §2.8).
func (x *exchange) idempotencyKey() (string, error) {
	values := x.request.Header.Values("Idempotency-Key")
	if len(values) == 0 || x.route.Access == Open || !isWriteMethod(x.route.Method) {
		return "", nil
	}
	// The Lambda adapter splits header values at commas.
	key := strings.Join(values, ",")
	printable := !strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' })
	if key == "" || len(key) > maxIdempotencyKey || !printable {
		return "", failure.Invalid("Idempotency-Key", "must be 1 to 255 printable ASCII characters")
	}
	return key, nil
}

func isWriteMethod(method string) bool {
	return slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method)
}

// runOnce runs the request at most once under its key, or replays the stored reply (contract §2.8).
func (x *exchange) runOnce(ctx context.Context, clientKey string) reply {
	c, err := x.claimKey(ctx, clientKey)
	if err != nil {
		return x.errorReply(fmt.Errorf("claim idempotency key: %w", err))
	}
	switch c.state {
	case store.Running:
		e := failure.Conflict("The first request with this Idempotency-Key is still running.").
			WithCode("IDEMPOTENCY_IN_PROGRESS").WithSlug("idempotency-in-progress")
		e.RetryAfter = time.Second
		return x.errorReply(e)
	case store.Reused:
		return x.errorReply(failure.Unprocessable("This Idempotency-Key was used for a different request.").
			WithCode("IDEMPOTENCY_KEY_REUSED").WithSlug("idempotency-key-reused"))
	case store.Settled:
		return x.replay(c)
	default:
		// The fingerprint is part of the id, because a key may serve another request once its record has expired.
		ctx = withOperation(ctx, c.keys, c.keys.operationID(c.Tenant.String(), c.Fingerprint, c.Name))
		return x.settle(ctx, c, x.run(ctx))
	}
}

// claim is a request's hold on an Idempotency-Key, with the derived keys of its record.
type claim struct {
	store.IdempotencyClaim
	keys   keys
	state  store.IdempotencyState
	sealed []byte // the stored reply, if state is Settled
}

// claimKey claims the client's key. A record that was made with other derived keys looks like the record of another
// request, so claimKey tries all of keyring.candidates.
func (x *exchange) claimKey(ctx context.Context, clientKey string) (c claim, err error) {
	for _, keys := range x.server.keys.candidates(x.server.now()) {
		c = claim{keys: keys, IdempotencyClaim: store.IdempotencyClaim{
			Tenant: x.caller.Tenant, Name: recordName(x.caller.Actor, clientKey), Owner: x.id,
			Fingerprint: x.fingerprint(keys)}}
		c.state, c.sealed, err = x.server.store.ClaimIdempotency(ctx, c.IdempotencyClaim)
		if err != nil || c.state != store.Reused {
			return c, err
		}
	}
	return c, nil
}

// recordName separates the records by kind of credential (contract §2.8). Every payer's browser has the public key, so
// the public key must neither use up an Idempotency-Key of the merchant's server nor see the server's replies. Persons,
// clients, test profiles and merchant tokens have separate records, because each may see something else. No client's
// key contains a NUL.
func recordName(a identity.Actor, clientKey string) string {
	if a.Kind == identity.SecretKey || a.Kind == identity.PublicKey {
		return string(a.Kind) + "\x00" + clientKey
	}
	return string(a.Kind) + "\x00" + a.ID + "\x00" + clientKey
}

// settle stores the reply, or releases the key if shouldStore refuses the reply. The client gets the reply even if the
// write of the record fails, because the operation has happened. A retry recognises the operation by its OperationID.
func (x *exchange) settle(ctx context.Context, c claim, r reply) reply {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	var owned bool
	var err error
	if shouldStore(r) {
		owned, err = x.server.store.SettleIdempotency(ctx, c.IdempotencyClaim,
			c.keys.seal(r.marshalStored(), recordID(c.IdempotencyClaim)))
	} else {
		owned, err = x.server.store.ReleaseIdempotency(ctx, c.IdempotencyClaim)
	}
	if err != nil || !owned {
		x.server.log.LogAttrs(ctx, slog.LevelWarn, "idempotency record not written",
			slog.String("request_id", x.id), slog.Bool("owned", owned), slog.Any("cause", err))
	}
	return r
}

// shouldStore returns true if a reply is stored (contract §2.8). A reply is not stored if a retry may succeed.
func shouldStore(r reply) bool {
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusFailedDependency, http.StatusTooManyRequests:
		return false
	}
	transient := r.err != nil && failure.Of(r.err).Transient
	return r.status < http.StatusInternalServerError && !transient
}

// storedReply is the part of a reply that a replay needs.
type storedReply struct {
	Status      int    `json:"status"`
	ContentType string `json:"content_type,omitempty"`
	Body        []byte `json:"body,omitempty"`
}

func (r reply) marshalStored() []byte {
	body := r.body
	if r.redacted != nil {
		body = r.redacted
	}
	text, _ := json.Marshal(storedReply{Status: r.status, ContentType: r.contentType, Body: body}) // always marshals
	return text
}

func (x *exchange) replay(c claim) reply {
	text, err := c.keys.open(c.sealed, recordID(c.IdempotencyClaim))
	if err != nil {
		return x.errorReply(err)
	}
	var s storedReply
	if err := json.Unmarshal(text, &s); err != nil {
		return x.errorReply(errSealed)
	}
	return reply{status: s.Status, contentType: s.ContentType, body: s.Body,
		header: http.Header{"Idempotency-Replayed": {"true"}}}
}

// recordID identifies a sealed reply's record.
func recordID(c store.IdempotencyClaim) string { return c.Tenant.String() + "\x00" + c.Name }

// fingerprint returns a keyed hash of the request. Bodies contain card numbers, and an attacker could find a card
// number from a hash without a key, by trying all numbers (contract §2.8).
func (x *exchange) fingerprint(k keys) string {
	body := x.raw
	if x.input.form == nil {
		body = canonicalJSON(x.raw)
	}
	return hex.EncodeToString(mac(k.fingerprint,
		x.request.Method, x.canonicalPath(), x.input.query.Encode(), string(body)))
}
