package provision

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// createAPIKey makes a further key (contract §8.2).
type createAPIKey struct {
	MerchantCode string        `json:"merchant_code"`
	Mode         string        `json:"mode"`   // live or test; the first key's unless given
	Type         identity.Kind `json:"type"`   // secret (unless given) or public
	Scopes       *[]string     `json:"scopes"` // of a secret key; an empty list may do nothing
	Name         string        `json:"name"`   // a public key may have none
}

type keyCreated struct {
	MerchantCode string  `json:"merchant_code"`
	APIKey       keyView `json:"api_key"`
}

func (o operator) createAPIKey(ctx context.Context, c createAPIKey) (keyCreated, error) {
	for range maxTries {
		created, err := o.addAPIKey(ctx, c)
		if !errors.Is(err, store.ErrStale) {
			return created, err
		}
	}
	return keyCreated{}, errContended
}

// addAPIKey makes the key for the merchant as it is now. ErrStale when it is
// changed meanwhile.
func (o operator) addAPIKey(ctx context.Context, c createAPIKey) (keyCreated, error) {
	m, _, err := o.merchant(ctx, c.MerchantCode)
	if err != nil {
		return keyCreated{}, err
	}
	order, err := c.order(m)
	if err != nil {
		return keyCreated{}, err
	}
	key, view, err := mint(m, order, o.Now())
	if err != nil {
		return keyCreated{}, err
	}
	if err := o.Store.AddAPIKey(ctx, key); err != nil {
		return keyCreated{}, err
	}
	o.Log.InfoContext(ctx, "API key created", "merchant", m.Code, "key", view.ID, "mode", view.Mode)
	return keyCreated{MerchantCode: m.Code, APIKey: view}, nil
}

// merchant reads the merchant that an argument names. Failures: Rejected
// without a code, NotFound.
func (o operator) merchant(ctx context.Context, code string) (merchant.Merchant, merchant.CallbackSecret, error) {
	if code == "" {
		return merchant.Merchant{}, merchant.CallbackSecret{}, failure.Missing("merchant_code")
	}
	return o.Store.Merchant(ctx, code)
}

const maxKeyName = 255 // contract §8.2

func (c createAPIKey) order(m merchant.Merchant) (keyOrder, error) {
	order := keyOrder{Mode: firstMode(m), Kind: identity.SecretKey, Name: c.Name}
	var err error
	if c.Mode != "" {
		if order.Mode, err = parseMode(c.Mode, m); err != nil {
			return order, err
		}
	}
	if err = failure.Text("name", c.Name, maxKeyName).Err(); err != nil {
		return order, err
	}
	switch c.Type {
	case identity.PublicKey:
		order.Kind = identity.PublicKey
		return order, c.checkPublic()
	case identity.SecretKey, "":
		order.Scopes, err = c.secretScopes()
		return order, err
	default:
		return order, failure.Invalid("type", "must be secret or public")
	}
}

// checkPublic: a public key's scopes are none, always (contract §2.1).
func (c createAPIKey) checkPublic() error {
	if c.Scopes != nil && len(*c.Scopes) > 0 {
		return failure.Invalid("scopes", "must be empty for a public key")
	}
	return nil
}

func (c createAPIKey) secretScopes() ([]string, error) {
	if c.Name == "" {
		return nil, failure.Missing("name")
	}
	if c.Scopes == nil {
		return nil, failure.Missing("scopes")
	}
	var scopes []string
	for _, name := range *c.Scopes {
		scope, known := identity.ParseScope(name)
		if !known {
			return nil, failure.Invalid("scopes", name+" is no scope")
		}
		scopes = append(scopes, scope)
	}
	return scopes, nil
}

// revokeAPIKey ends a key at once. Repeating it is fine.
type revokeAPIKey struct {
	MerchantCode string `json:"merchant_code"`
	Mode         string `json:"mode"`
	KeyID        string `json:"key_id"`
}

type keyRevoked struct {
	KeyID   string `json:"key_id"`
	Revoked bool   `json:"revoked"`
}

func (o operator) revokeAPIKey(ctx context.Context, c revokeAPIKey) (keyRevoked, error) {
	m, _, err := o.merchant(ctx, c.MerchantCode)
	if err != nil {
		return keyRevoked{}, err
	}
	if c.KeyID == "" {
		return keyRevoked{}, failure.Missing("key_id")
	}
	mode, err := parseMode(c.Mode, m)
	if err != nil {
		return keyRevoked{}, err
	}
	if err := o.Store.RevokeAPIKey(ctx, identity.Tenant{Mode: mode, Merchant: m.Code}, c.KeyID); err != nil {
		return keyRevoked{}, err
	}
	o.Log.InfoContext(ctx, "API key revoked", "merchant", m.Code, "key", c.KeyID)
	return keyRevoked{KeyID: c.KeyID, Revoked: true}, nil
}

// rotateCallbackSecret gives the merchant its first or next callback secret
// (contract §11.2). The secret before it signs for 24 h more, so a second
// rotation within them would silence a secret that the merchant still uses:
// it needs force, as after a leak.
type rotateCallbackSecret struct {
	MerchantCode string `json:"merchant_code"`
	Force        bool   `json:"force"`
}

type secretRotated struct {
	MerchantCode string `json:"merchant_code"`
	Secret       string `json:"secret"` // whsec_…, shown once
	Version      int    `json:"version"`
}

func (o operator) rotateCallbackSecret(ctx context.Context, c rotateCallbackSecret) (secretRotated, error) {
	m, current, err := o.merchant(ctx, c.MerchantCode)
	if err != nil {
		return secretRotated{}, err
	}
	now := o.Now().Truncate(time.Microsecond)
	if len(current.Signing(now)) > 1 && !c.Force {
		return secretRotated{}, failure.Clash("CONFLICT", "",
			"rotated less than 24 hours ago; rotating now ends the secret before it (force does so)")
	}
	next, err := o.Store.RotateCallbackSecret(ctx, m.Code, current, now)
	if err != nil {
		return secretRotated{}, err
	}
	o.Log.InfoContext(ctx, "callback secret rotated", "merchant", m.Code, "version", next.Version)
	return secretRotated{MerchantCode: m.Code, Secret: o.CallbackSecret(m.Code, next.Version).Reveal(), Version: next.Version}, nil
}
