package store

import (
	"github.com/cashwrap/cashwrap/shared/identity"
)

type apiKeyItem struct {
	key
	WriteID string `dynamo:"write_id,omitempty"`
	identity.APIKey
}

func newAPIKeyItem(k identity.APIKey) apiKeyItem {
	return apiKeyItem{key: apiKeyKey(k.Tenant, k.TokenHash), WriteID: newWriteID(), APIKey: k}
}

// putAPIKey adds a new key under its token's hash, and its audit entry.
func (tx *auditedTx) putAPIKey(k identity.APIKey) {
	k.Version = 1
	tx.Put(tx.store.table.Put(newAPIKeyItem(k)).If("attribute_not_exists(pk)"))
	tx.audit(k.Tenant, subjectAPIKey(k), nil, k.ForAudit())
}

// subjectAPIKey is the subject of entries about a key.
func subjectAPIKey(k identity.APIKey) string { return "api_key " + k.ID }
