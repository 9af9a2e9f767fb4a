package app

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Every key of the platform is derived (HKDF, RFC 5869) from one of two
// secrets, so that only two are kept and no key serves two purposes.
//
// PLATFORM_SECRET is rotated, by a command and a deployment (infra/secrets.go), without effect on clients. The new one
// comes into use at its SINCE, a time when all functions have both. Its predecessor stays beside it as
// PLATFORM_SECRET_PREVIOUS for 31 days, the longest use of anything derived from it:
//
//	callback signature  both keys sign and are published, so that a receiver
//	                    which knows either verifies (contract §11.2)
//	requests            a record of an Idempotency-Key is read, continued and
//	                    answered with the keys it was made with; kept 31 days
//	history cursors     a link to the next page of the history is read with the old and
//	                    the new secret
//	payer sessions      an attempt's link, and a session on a payment page, are of
//	                    the secret in use when they began; three days at most, of
//	                    a boleto
//
// LASTING_SECRET is for what merchants store, which no rotation of ours may
// change. It is replaced only after a leak, which concerns each merchant too:
//
//	callback secrets    rotate_callback_secret then gives each merchant a new one
//	invitation tokens   those that were sent no longer work; the invitations have to
//	                    be deleted and made again
//	links to receipts   those that were sent go on working, those in mails that are not sent yet do not
//	saved card tokens   those that are stored go on working; a card that is
//	                    saved again then gets a second one
//	known browsers      device cookies and known addresses count no more; the next
//	                    sign-in makes browser and address known again
//	second factors      those of all people stop working, with the recovery codes: each
//	                    has to be removed by the command remove_second_factor, and
//	                    whoever had the old secret could make codes until then
//	sandbox acquirer    simulates another company, which has none of our keys
//
// After a leak a secret is replaced without a predecessor: sessions then start over, and a request repeated under its
// old Idempotency-Key is refused (422), so that nothing runs twice.
const (
	forSignatures   = "callback signature"
	forRequests     = "requests"
	forSessions     = "payer sessions"
	forCursors      = "history cursors"
	forMerchants    = "callback secrets"
	forInvitations  = "invitation tokens"
	forReceipts     = "links to receipts"
	forCards        = "saved card tokens"
	forKnown        = "known browsers"
	forFactors      = "second factors"
	forSandbox      = "sandbox acquirer"
	keySize         = 32 // of every derived key, in bytes
	platformContext = "cashwrap "
)

// Secret names one of the two secrets, by its variable. A function gets those that
// it uses, and no other (functions/access.json).
type Secret string

// The secrets.
const (
	PlatformSecret Secret = "PLATFORM_SECRET"
	LastingSecret  Secret = "LASTING_SECRET"
)

// Secrets are both.
var Secrets = []Secret{PlatformSecret, LastingSecret}

// Only is the configuration of a function that gets some of the secrets.
func (c Config) Only(secrets ...Secret) Config {
	if !slices.Contains(secrets, LastingSecret) {
		c.LastingSecret = nil
	}
	if !slices.Contains(secrets, PlatformSecret) {
		c.Secret, c.SecretSince, c.PreviousSecret, c.PreviousSince = nil, time.Time{}, nil, time.Time{}
	}
	return c
}

// using notes that a key is derived from the secret, and panics if the secret is missing. Programs name their secrets
// when they start, and a test compares these with their use.
func (a *App) using(s Secret) {
	if a.overrides.SecretUsed != nil {
		a.overrides.SecretUsed(s)
	}
	if s == PlatformSecret && len(a.Secret) == 0 || s == LastingSecret && len(a.LastingSecret) == 0 {
		panic("app: " + string(s) + " is not set")
	}
}

// platformKey is of the secret in use, and old of the one before it; nil: there is none.
func (a *App) platformKey(purpose string) (key, old []byte) {
	a.using(PlatformSecret)
	if len(a.PreviousSecret) > 0 {
		old = derive(a.PreviousSecret, purpose)
	}
	return derive(a.Secret, purpose), old
}

// lastingKey derives a key that no rotation changes when it is first asked for.
func (a *App) lastingKey(purpose string) func() []byte {
	return sync.OnceValue(func() []byte {
		a.using(LastingSecret)
		return a.lasting(purpose)
	})
}

func (a *App) sessionKeyAt(at time.Time) []byte {
	a.using(PlatformSecret)
	return a.sessionKey(at)
}

func derive(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, platformContext+purpose, keySize)
	if err != nil { // only for lengths no caller can ask for
		panic(err)
	}
	return key
}

// lasting makes a key that no rotation changes.
func (c Config) lasting(purpose string) []byte {
	return derive(c.LastingSecret, purpose)
}

// generation is a platform secret and when it came into use.
type generation struct {
	secret []byte
	since  time.Time
}

// generations are the platform secrets, the newest first.
func (c Config) generations() []generation {
	all := []generation{{c.Secret, c.SecretSince}}
	if len(c.PreviousSecret) > 0 {
		all = append(all, generation{c.PreviousSecret, c.PreviousSince})
	}
	return all
}

// sessionKey is of the secret that was in use at the time.
func (c Config) sessionKey(at time.Time) []byte { return derive(c.secretAt(at), forSessions) }

// secretAt returns the platform secret that was in use at the time.
func (c Config) secretAt(at time.Time) []byte {
	all := c.generations()
	for _, g := range all {
		if !at.Before(g.since) {
			return g.secret
		}
	}
	return all[len(all)-1].secret
}

// CursorKeys returns all keys of sealed refs of the history, the one in use at the given time first.
func (a *App) CursorKeys(at time.Time) [][]byte {
	a.using(PlatformSecret)
	keys := [][]byte{derive(a.secretAt(at), forCursors)}
	for _, g := range a.generations() {
		keys = append(keys, derive(g.secret, forCursors))
	}
	return keys
}

// SigningKey is one of the platform's, with when it came into use.
type SigningKey struct {
	webhook.SigningKey
	Since time.Time
}

// SigningKeys sign every callback (contract §11.2): one key, and around a rotation two, the newest first.
func (a *App) SigningKeys() ([]SigningKey, error) {
	a.using(PlatformSecret)
	var keys []SigningKey
	for _, g := range a.generations() {
		key, err := webhook.NewSigningKey(derive(g.secret, forSignatures))
		if err != nil {
			return nil, err
		}
		keys = append(keys, SigningKey{key, g.since})
	}
	return keys, nil
}

// CallbackSecret is a version of a merchant's.
func (a *App) CallbackSecret(merchant string, version int) webhook.Secret {
	return webhook.DeriveSecret(a.lastingKey(forMerchants)(), merchant, version)
}

// CallbackSecrets returns the merchant's secrets that sign at the time; none when it never asked for one.
func (a *App) CallbackSecrets(merchant string, s merchant.CallbackSecret, now time.Time) []webhook.Secret {
	var secrets []webhook.Secret
	for _, version := range s.Signing(now) {
		secrets = append(secrets, a.CallbackSecret(merchant, version))
	}
	return secrets
}

// InvitationToken returns the token in an invitation's link: 256 bits, base64url. It is derived each time, so that the
// table has only its hash.
func (a *App) InvitationToken(memberID, inviteID string) string {
	mac := hmac.New(sha256.New, a.lastingKey(forInvitations)())
	_, _ = mac.Write([]byte(memberID + "\x00" + inviteID)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// ReceiptToken is what the link of a mail with a receipt holds. Like an invitation's it is derived each time.
func (a *App) ReceiptToken(mailID string) string {
	mac := hmac.New(sha256.New, a.lastingKey(forReceipts)())
	_, _ = mac.Write([]byte(mailID))                                    // never fails
	token, _ := payments.NewReceiptToken(bytes.NewReader(mac.Sum(nil))) // which are more bytes than a token's
	return token
}

// KnownKey returns the key of device cookies and known addresses. It is derived from the lasting secret, because
// these last longer than a rotated secret is kept.
func (a *App) KnownKey() signin.KnownKey { return a.lastingKey(forKnown)() }

// FactorKey is the key from which the secrets of second factors are derived, so that the table
// has none of them. It is derived when it is first asked for.
func (a *App) FactorKey() signin.FactorKey { return a.lastingKey(forFactors)() }
