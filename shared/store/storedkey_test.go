package store_test

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
)

// notRevoked is the reason why no read notices that the attribute revoked is missing.
const notRevoked = "nothing is read as false; TestAPIKey_RevokedNotDeleted misses it"

var storedKeys = map[string]stored{
	"CreateAPIKey": {
		sets: "Version is 1",
		write: func(w fixture) []storedtest.Read {
			k := w.key(w.tenant.Merchant)
			got, err := w.CreateAPIKey(w.Context(), w.actor(), k)
			k.Version = 1
			wantAnswer(w, k, got, err)
			return append(w.keys(k.Tenant, k), w.newKeys(newKeys{1, w.Now().Format(time.DateOnly), 1}),
				w.mail(mail.NewKeyCreated(k.ID, k.Name).Due(w.Now())), w.audited(k.Tenant.Merchant), w.keyAgain(k))
		},
		unseen: storedtest.NotRead{"KEY revoked": notRevoked, "KEY write_id": notRead,
			"MAIL write_id": notRead, "MAIL tries": "nothing is read as 0", "MAIL due_pk": inTheIndex,
			"MAIL due_sk": inTheIndex},
	},
	"UpdateAPIKey": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			before, k := w.storeKey(), w.key(w.tenant.Merchant)
			k.ID, k.TokenHash, k.Version = before.ID, before.TokenHash, before.Version
			got, err := w.UpdateAPIKey(w.Context(), w.actor(), k.Tenant, k.ID,
				func(identity.APIKey) (identity.APIKey, error) { return k, nil })
			k.Version = 2
			wantAnswer(w, k, got, err)
			return append(w.keys(k.Tenant, k), w.audited(k.Tenant.Merchant))
		},
		unseen: storedtest.NotRead{"KEY revoked": notRevoked, "KEY write_id": notRead},
	},
	"DeleteAPIKey": {
		sets: "it expires after 31 days, and has no hash",
		write: func(w fixture) []storedtest.Read {
			k := w.storeKey()
			w.must(errOf(w.KeyUsed(w.Context(), k.Tenant, k.ID)))
			w.must(w.DeleteAPIKey(w.Context(), w.actor(), k.Tenant, k.ID, "deletion"))
			again := func(ctx context.Context) (string, error) {
				return "done", w.DeleteAPIKey(ctx, byTest, k.Tenant, k.ID, "deletion")
			}
			k.TokenHash = ""
			return append(w.keys(k.Tenant), w.audited(k.Tenant.Merchant), w.keyAgain(k),
				storedtest.Expect("the deletion again", "done", again), w.expiries(start.AddDate(0, 0, 31)))
		},
		unseen: storedtest.NotRead{"DELETED revoked": "nothing is read as false"},
	},
	"KeyUsed": {
		sets: "last_used_at is to the second",
		write: func(w fixture) []storedtest.Read {
			at, err := w.KeyUsed(w.Context(), w.tenant, "key_1")
			wantAnswer(w, w.Now(), at, err)
			return []storedtest.Read{storedtest.Expect("KeyUses", map[string]time.Time{"key_1": start.Truncate(time.Second)},
				func(ctx context.Context) (map[string]time.Time, error) {
					return w.KeyUses(ctx, w.tenant, "key_1", "key_2")
				})}
		},
	},
}

const inTheIndex = "a place in the index: the cases of mails miss it"

// key returns a key of the merchant with all its fields, which is not revoked.
func (w fixture) key(code string) identity.APIKey {
	w.Helper()
	k := storedtest.Fill(w, w.Filler, func(k *identity.APIKey) {
		k.Tenant = identity.Tenant{Mode: identity.Test, Merchant: code}
	})
	k.Revoked = false
	return k
}

// storeKey stores a key. Apart from its audit nothing else is in the table.
func (w fixture) storeKey() identity.APIKey {
	w.Helper()
	k, err := w.CreateAPIKey(w.Context(), w.actor(), w.key(w.tenant.Merchant))
	w.must(err)
	w.remove("MAIL", "COUNT")
	return k
}

// keys expects the tenant's keys from each read.
func (w fixture) keys(t identity.Tenant, want ...identity.APIKey) []storedtest.Read {
	reads := []storedtest.Read{
		storedtest.Expect("APIKeys", want, func(ctx context.Context) ([]identity.APIKey, error) { return w.APIKeys(ctx, t) }),
	}
	for _, k := range want {
		reads = append(reads, storedtest.Expect("APIKey", k, func(ctx context.Context) (identity.APIKey, error) {
			return w.APIKey(ctx, t, k.ID)
		}))
	}
	return reads
}

// keyAgain expects the stored key from a repeated creation, not the key in the request.
func (w fixture) keyAgain(want identity.APIKey) storedtest.Read {
	asked := want
	asked.Name = "as asked"
	return storedtest.Expect("the creation again", want, func(ctx context.Context) (identity.APIKey, error) {
		return w.CreateAPIKey(ctx, byTest, asked)
	})
}

// newKeys is the stored count of the tenant's new keys, which only writes read.
type newKeys struct {
	Version int    `dynamo:"version"`
	Day     string `dynamo:"day"`
	Created int    `dynamo:"created"`
}

func (w fixture) newKeys(want newKeys) storedtest.Read {
	return storedtest.Expect("new keys", want, func(ctx context.Context) (newKeys, error) {
		_, table := w.Raw()
		var got newKeys
		err := table.Get("pk", "KEY#"+w.tenant.String()).Range("sk", dynamo.Equal, "COUNT").One(ctx, &got)
		return got, err
	})
}
