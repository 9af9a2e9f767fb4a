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

// Every key of the platform is derived (HKDF, RFC 5869) from one of two secrets. So only two secrets have to be kept,
// and no key serves two purposes.
//
// A command and a deployment rotate PLATFORM_SECRET (infra/secrets.go), without effect on clients. The new secret comes
// into use at PLATFORM_SECRET_SINCE, a time when all functions have both secrets. The old secret stays beside it as
// PLATFORM_SECRET_PREVIOUS for 31 days. Nothing that is derived from the old secret is used for longer:
//
//	callback signature  both keys sign and are published, so that a receiver
//	                    that knows either can verify (contract §11.2)
//	requests            a stored Idempotency-Key is read, continued and answered
//	                    with the keys that made it; kept 31 days
//	history cursors     both secrets open a link to the next page of the history
//	payer sessions      an attempt's link and a session on a payment page keep the
//	                    secret that was in use when they began; three days at
//	                    most, for a boleto
//
// LASTING_SECRET protects values that merchants store, so our rotations must not change these values. LASTING_SECRET is
// replaced only after a leak. The replacement affects each merchant too:
//
//	callback secrets    rotate_callback_secret then gives each merchant a new one
//	invitation tokens   tokens already sent no longer work; the invitations have
//	                    to be deleted and made again
//	links to passwords  links already sent still work for their 30 minutes, or 7
//	                    days; links in unsent mails do not
//	links to receipts   links already sent still work; links in unsent mails do not
//	saved card tokens   stored tokens still work; a card that is saved again gets
//	                    a second token
//	known browsers      device cookies and known addresses no longer count; the
//	                    next sign-in makes browser and address known again
//	second factors      all second factors and recovery codes stop working: the
//	                    command remove_second_factor has to remove each person's. Until
//	                    the replacement, a holder of the old secret could make codes
//	sandbox acquirer    simulates another company, which has none of our keys
//
// After a leak a secret is replaced without a predecessor. Sessions then start over. A request that is repeated under
// its old Idempotency-Key is refused (422), so that nothing runs twice.
const (
	forSignatures   = "callback signature"
	forRequests     = "requests"
	forSessions     = "payer sessions"
	forCursors      = "history cursors"
	forMerchants    = "callback secrets"
	forInvitations  = "invitation tokens"
	forUserLinks    = "links to set passwords"
	forReceipts     = "links to receipts"
	forCards        = "saved card tokens"
	forKnown        = "known browsers"
	forFactors      = "second factors"
	forSandbox      = "sandbox acquirer"
	keySize         = 32 // in bytes, of every derived key
	platformContext = "cashwrap "
)

// Secret names a secret by its variable. A function gets only secrets that it uses (functions/access.json).
type Secret string

// The secrets.
const (
	PlatformSecret Secret = "PLATFORM_SECRET"
	LastingSecret  Secret = "LASTING_SECRET"
	AcquirerSecret Secret = "ACQUIRER_SECRET"
)

// Secrets lists all secrets.
var Secrets = []Secret{PlatformSecret, LastingSecret, AcquirerSecret}

// Only returns the configuration with the given secrets and no others.
func (c Config) Only(secrets ...Secret) Config {
	if !slices.Contains(secrets, LastingSecret) {
		c.LastingSecret = nil
	}
	if !slices.Contains(secrets, PlatformSecret) {
		c.Secret, c.SecretSince, c.PreviousSecret, c.PreviousSince = nil, time.Time{}, nil, time.Time{}
	}
	if !slices.Contains(secrets, AcquirerSecret) {
		c.AcquirerSecret = AcquirerKeys{}
	}
	return c
}

// requireSecret reports the use of a secret to SecretUsed. It panics if the secret is missing. Each program declares
// its secrets when it starts, and a test compares the declared secrets with the used ones.
func (a *App) requireSecret(s Secret) {
	if a.overrides.SecretUsed != nil {
		a.overrides.SecretUsed(s)
	}
	if s == PlatformSecret && len(a.Secret) == 0 || s == LastingSecret && len(a.LastingSecret) == 0 ||
		s == AcquirerSecret && a.AcquirerSecret.Key == "" {
		panic("app: " + string(s) + " is not set")
	}
}

// platformKey returns the key of the secret in use and the key of the previous one; old is nil if there is none.
func (a *App) platformKey(purpose string) (key, old []byte) {
	a.requireSecret(PlatformSecret)
	if len(a.PreviousSecret) > 0 {
		old = derive(a.PreviousSecret, purpose)
	}
	return derive(a.Secret, purpose), old
}

// lastingKey returns a function that derives a key on its first call. A rotation does not change the key.
func (a *App) lastingKey(purpose string) func() []byte {
	return sync.OnceValue(func() []byte {
		a.requireSecret(LastingSecret)
		return a.deriveLasting(purpose)
	})
}

func (a *App) sessionKeyAt(at time.Time) []byte {
	a.requireSecret(PlatformSecret)
	return a.sessionKey(at)
}

func derive(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, platformContext+purpose, keySize)
	if err != nil { // only for lengths that no caller can ask for
		panic(err)
	}
	return key
}

// deriveLasting derives a key from the lasting secret. A rotation does not change the key.
func (c Config) deriveLasting(purpose string) []byte {
	return derive(c.LastingSecret, purpose)
}

// generation is a platform secret with the time when it came into use.
type generation struct {
	secret []byte
	since  time.Time
}

// generations returns the platform secrets, newest first.
func (c Config) generations() []generation {
	all := []generation{{c.Secret, c.SecretSince}}
	if len(c.PreviousSecret) > 0 {
		all = append(all, generation{c.PreviousSecret, c.PreviousSince})
	}
	return all
}

// sessionKey returns the session key of the secret that was in use at the time.
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

// CursorKeys returns all keys that seal the history's cursors. The first is the key in use at the given time.
func (a *App) CursorKeys(at time.Time) [][]byte {
	a.requireSecret(PlatformSecret)
	keys := [][]byte{derive(a.secretAt(at), forCursors)}
	for _, g := range a.generations() {
		keys = append(keys, derive(g.secret, forCursors))
	}
	return keys
}

// SigningKey is a key of the platform with the time when it came into use.
type SigningKey struct {
	webhook.SigningKey
	Since time.Time
}

// SigningKeys returns the keys that sign every callback (contract §11.2), newest first. There is one key, or two around
// a rotation.
func (a *App) SigningKeys() ([]SigningKey, error) {
	a.requireSecret(PlatformSecret)
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

// CallbackSecret returns the given version of a merchant's callback secret.
func (a *App) CallbackSecret(merchant string, version int) webhook.Secret {
	return webhook.DeriveSecret(a.lastingKey(forMerchants)(), merchant, version)
}

// CallbackSecrets returns the merchant's secrets that sign at the time. There are none if the merchant never asked for
// a secret.
func (a *App) CallbackSecrets(merchant string, s merchant.CallbackSecret, now time.Time) []webhook.Secret {
	var secrets []webhook.Secret
	for _, version := range s.Signing(now) {
		secrets = append(secrets, a.CallbackSecret(merchant, version))
	}
	return secrets
}

// InvitationToken returns the token in an invitation's link: 256 bits, base64url. It derives the token each time, so
// that the table stores only its hash.
func (a *App) InvitationToken(memberID, inviteID string) string {
	mac := hmac.New(sha256.New, a.lastingKey(forInvitations)())
	_, _ = mac.Write([]byte(memberID + "\x00" + inviteID)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// PasswordToken returns the token in a link to set a password. It derives the token each time, as InvitationToken does.
func (a *App) PasswordToken(linkID string) string {
	mac := hmac.New(sha256.New, a.lastingKey(forUserLinks)())
	_, _ = mac.Write([]byte(linkID)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// ReceiptToken returns the token in the link of a mail with a receipt. It derives the token each time, as
// InvitationToken does.
func (a *App) ReceiptToken(mailID string) string {
	mac := hmac.New(sha256.New, a.lastingKey(forReceipts)())
	_, _ = mac.Write([]byte(mailID))                                    // never fails
	token, _ := payments.NewReceiptToken(bytes.NewReader(mac.Sum(nil))) // the MAC is longer than a token
	return token
}

// KnownKey returns the key of device cookies and known addresses. It is derived from the lasting secret, because
// cookies and addresses outlast a rotated secret.
func (a *App) KnownKey() signin.KnownKey { return a.lastingKey(forKnown)() }

// FactorKey returns the key that derives the secrets of second factors, so that the table stores none.
func (a *App) FactorKey() signin.FactorKey { return a.lastingKey(forFactors)() }
