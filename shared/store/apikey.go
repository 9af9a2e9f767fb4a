package store

import (
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
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

// putAPIKey stores a new key under its token's hash, and its audit entry.
func (s *Store) putAPIKey(by audit.By, tx *dynamo.WriteTx, k identity.APIKey) error {
	k.Version = 1
	tx.Put(s.table.Put(newAPIKeyItem(k)).If("attribute_not_exists(pk)"))
	return s.putAudit(by, tx, k.Tenant.Merchant, audit.Change{Mode: k.Tenant.Mode, Subject: subjectAPIKey(k),
		After: k.ForAudit()})
}

// subjectAPIKey is the subject of entries about a key.
func subjectAPIKey(k identity.APIKey) string { return "api_key " + k.ID }
