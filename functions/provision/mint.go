package provision

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// crockford is Crockford's base 32: no letter that reads like another or
// like a digit.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const (
	merchantPrefix = "MC"
	merchantDigits = 8
	keyIDPrefix    = "key_"
	keyIDBytes     = 16 // 26 characters of base 32
)

// newMerchantCode is MC and 8 random characters. crypto/rand cannot fail.
func newMerchantCode() string {
	b := make([]byte, merchantDigits)
	_, _ = rand.Read(b)
	for i := range b {
		b[i] = crockford[int(b[i])%len(crockford)] // 256 is a multiple of 32: no bias
	}
	return merchantPrefix + string(b)
}

// merchantCode says the text could be one of newMerchantCode's.
func merchantCode(text string) bool {
	digits, ok := strings.CutPrefix(text, merchantPrefix)
	return ok && len(digits) == merchantDigits && strings.Trim(digits, crockford) == ""
}

// keyView is a new key as the operator sees it, once.
type keyView struct {
	ID        string `json:"id"`
	Plaintext string `json:"plaintext"`
	Mode      string `json:"mode"`
}

// keyOrder is a key to be made.
type keyOrder struct {
	Mode   identity.Mode
	Kind   identity.Kind
	Scopes []string
	Name   string
}

// mint makes a key of the merchant. The store gets all but the plaintext.
func mint(m merchant.Merchant, order keyOrder, now time.Time) (store.APIKey, keyView, error) {
	token, err := identity.NewKey(order.Kind, order.Mode, rand.Reader)
	if err != nil {
		return store.APIKey{}, keyView{}, err
	}
	id := make([]byte, keyIDBytes)
	_, _ = rand.Read(id)
	credential := merchant.Credential{
		ID:   keyIDPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(id)),
		Kind: order.Kind, Tenant: identity.Tenant{Mode: order.Mode, Merchant: m.Code},
		Scopes: order.Scopes, Merchant: m, CreatedAt: now,
	}
	key := store.APIKey{TokenHash: identity.Hash(token), Name: order.Name, Credential: credential}
	return key, keyView{ID: credential.ID, Plaintext: token, Mode: modeName(order.Mode)}, nil
}

// The names of the modes.
const (
	liveMode = "live"
	testMode = "test"
)

func modeName(m identity.Mode) string {
	if m == identity.Live {
		return liveMode
	}
	return testMode
}

// firstMode is the mode of the merchant's first key: a sandbox merchant has
// only test credentials (contract §2.1).
func firstMode(m merchant.Merchant) identity.Mode {
	if m.Sandbox {
		return identity.Test
	}
	return identity.Live
}

// parseMode reads a mode that the merchant can have.
func parseMode(name string, m merchant.Merchant) (identity.Mode, error) {
	switch {
	case name == testMode:
		return identity.Test, nil
	case name == liveMode && m.Sandbox:
		return "", failure.Invalid("mode", "a sandbox merchant has only test keys")
	case name == liveMode:
		return identity.Live, nil
	default:
		return "", failure.Invalid("mode", "must be live or test")
	}
}
