package provision

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// createAPIKey creates another API key (contract §8.2).
type createAPIKey struct {
	tenantArguments
	identity.KeyRequest
}

type keyCreated struct {
	MerchantCode string  `json:"merchant_code"`
	APIKey       keyView `json:"api_key"`
}

// keyView shows the operator a new key, once.
type keyView struct {
	ID        string `json:"id"`
	Plaintext string `json:"plaintext"`
	Mode      string `json:"mode"`
}

func (o operator) createAPIKey(ctx context.Context, t identity.Tenant, c createAPIKey) (keyCreated, error) {
	key, view, err := o.newKey(t, c.KeyRequest)
	if err != nil {
		return keyCreated{}, err
	}
	if _, err := o.Store.CreateAPIKey(ctx, o.by, key); err != nil {
		return keyCreated{}, err
	}
	o.Log.InfoContext(ctx, "API key created", "merchant", t.Merchant, "key", view.ID, "mode", view.Mode)
	return keyCreated{MerchantCode: t.Merchant, APIKey: view}, nil
}

// newKey returns a key to store and its view.
func (o operator) newKey(t identity.Tenant, r identity.KeyRequest) (identity.APIKey, keyView, error) {
	key, token, err := identity.NewAPIKey(t, r, o.Now())
	return key, keyView{ID: key.ID, Plaintext: token, Mode: t.Mode.Name()}, err
}

// findTenant returns the merchant in the mode, or in its first key's mode.
func (o operator) findTenant(ctx context.Context, code, mode string) (identity.Tenant, error) {
	m, err := o.Store.Merchant(ctx, code)
	if err != nil {
		return identity.Tenant{}, err
	}
	of, err := m.Mode(mode)
	return identity.Tenant{Mode: of, Merchant: m.Code}, err
}

// revokeAPIKey deletes a key at once. The command may be repeated for 31 days.
type revokeAPIKey struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Mode         string `json:"mode"`
	KeyID        string `json:"key_id" validate:"required"`
}

type keyRevoked struct {
	KeyID   string `json:"key_id"`
	Revoked bool   `json:"revoked"`
}

func (o operator) revokeAPIKey(ctx context.Context, c revokeAPIKey) (keyRevoked, error) {
	t, err := o.findTenant(ctx, c.MerchantCode, c.Mode)
	switch {
	case err != nil:
		return keyRevoked{}, err
	case c.Mode == "":
		return keyRevoked{}, failure.Invalid("mode", "must be live or test")
	}
	if err := o.Store.DeleteAPIKey(ctx, o.by, t, c.KeyID, ""); err != nil {
		return keyRevoked{}, err
	}
	o.Log.InfoContext(ctx, "API key revoked", "merchant", t.Merchant, "key", c.KeyID)
	return keyRevoked{KeyID: c.KeyID, Revoked: true}, nil
}

// rotateCallbackSecret gives the merchant its first or next callback secret (contract §11.2). The previous secret signs
// for 24 h more. A second rotation within 24 h, for example after a leak, needs force, because it ends a secret in use.
type rotateCallbackSecret struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Force        bool   `json:"force"`
}

type secretRotated struct {
	MerchantCode string `json:"merchant_code"`
	Secret       string `json:"secret"` // whsec_…, shown once
	Version      int    `json:"version"`
}

func (o operator) rotateCallbackSecret(ctx context.Context, c rotateCallbackSecret) (secretRotated, error) {
	m, err := o.Store.Merchant(ctx, c.MerchantCode)
	if err != nil {
		return secretRotated{}, err
	}
	now := o.Now().Truncate(time.Microsecond)
	if len(m.Callbacks.Signing(now)) > 1 && !c.Force {
		return secretRotated{}, failure.Conflict("The secret was rotated less than 24 hours ago. " +
			"Set force to rotate it again now, which ends the previous one.")
	}
	before := m
	m.Callbacks = m.Callbacks.Rotated(now)
	m, err = o.Store.SaveMerchant(ctx, o.by, before, m)
	if errors.Is(err, store.ErrStale) { // another rotation may have changed the secret, so do not retry
		err = store.ErrContended
	}
	if err != nil {
		return secretRotated{}, err
	}
	version := m.Callbacks.Version
	o.Log.InfoContext(ctx, "callback secret rotated", "merchant", m.Code, "version", version)
	return secretRotated{MerchantCode: m.Code, Secret: o.CallbackSecret(m.Code, version).Reveal(), Version: version}, nil
}
