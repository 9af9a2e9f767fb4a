package store_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedRequests = map[string]stored{
	"ClaimIdempotency": {
		sets: "it runs for 60 s and expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			_, _, err := w.ClaimIdempotency(w.Context(), claimant)
			w.must(err)
			return []storedtest.Read{w.expiries(start.AddDate(0, 0, 31)), w.reused(),
				w.claim(claimBy("another"), 0, claimed{store.Running, nil}),
				w.claim(claimBy("another"), time.Minute, claimed{store.Claimed, nil})}
		},
		unseen: storedtest.NotRead{"IDEMPOTENCY owner": "the next case misses it"},
	},
	"ClaimIdempotency, repeated by its owner": {
		write: func(w fixture) []storedtest.Read {
			_, _, err := w.ClaimIdempotency(w.Context(), claimant)
			w.must(err)
			return []storedtest.Read{w.expiries(start.AddDate(0, 0, 31)),
				w.claim(claimant, time.Second, claimed{store.Claimed, nil})}
		},
		unseen: storedtest.NotRead{"IDEMPOTENCY running_until": "the case before misses it",
			"IDEMPOTENCY fingerprint": "likewise"},
	},
	"SettleIdempotency": {
		sets: "it expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			_, _, err := w.ClaimIdempotency(w.Context(), claimant)
			w.must(err)
			_, err = w.SettleIdempotency(w.Context(), claimant, []byte("sealed"))
			w.must(err)
			return []storedtest.Read{w.expiries(start.AddDate(0, 0, 31)), w.reused(),
				w.claim(claimBy("another"), time.Hour, claimed{store.Settled, []byte("sealed")}),
				storedtest.Expect("the owner", true, func(ctx context.Context) (bool, error) {
					return w.SettleIdempotency(ctx, claimant, []byte("sealed"))
				})}
		},
		unseen: storedtest.NotRead{"IDEMPOTENCY running_until": "a reply is the answer, however long the request ran"},
	},
	"PutAccessToken": {
		sets: "it expires to the second",
		write: func(w fixture) []storedtest.Read {
			token := storedtest.Fill(w, w.Filler, func(t *identity.AccessToken) {
				slices.Sort(t.Scopes) // a set
				t.Tenant, t.ExpiresAt = w.tenant, start.Add(time.Hour)
			})
			w.must(w.PutAccessToken(w.Context(), token))
			return []storedtest.Read{w.expiries(start.Add(time.Hour)),
				storedtest.Expect("AccessToken", token, func(ctx context.Context) (identity.AccessToken, error) {
					return w.AccessToken(ctx, token.Hash)
				})}
		},
	},
	"LeaseTokens": {
		sets: "it expires an hour after the bucket is full again",
		write: func(w fixture) []storedtest.Read {
			_, _, err := w.LeaseTokens(w.Context(), "subject", tenASecond, 10, time.Time{})
			w.must(err)
			return []storedtest.Read{w.expiries(start.Add(time.Hour + 3*time.Second)),
				storedtest.Expect("tokens left", 20, func(ctx context.Context) (int, error) {
					left, _, err := w.LeaseTokens(ctx, "subject", tenASecond, 100, time.Time{})
					return left, err
				})}
		},
	},
	"NumberReceipt": {
		sets: "the number is the next",
		write: func(w fixture) []storedtest.Read {
			tx, payables := w.storeWaiting()
			number, err := w.NumberReceipt(w.Context(), w.tenant, tx.Code, tx.ID)
			wantAnswer(w, 1, number, err)
			return []storedtest.Read{w.transactionOf(tx), w.payables(payables...),
				storedtest.Expect("Receipts", map[string]int64{tx.ID: 1}, func(ctx context.Context) (map[string]int64, error) {
					r, err := w.Transaction(ctx, w.tenant, tx.ID)
					return r.Receipts, err
				}),
				storedtest.Expect("the next number", 2, func(ctx context.Context) (int64, error) {
					return w.NumberReceipt(ctx, w.tenant, tx.Code, "another")
				})}
		},
		unseen: storedtest.NotRead{"TRANSACTION write_id": notRead},
	},
}

// claimed is the result of a claim.
type claimed struct {
	State store.IdempotencyState
	Reply []byte
}

// claim expects the result of a claim after a time.
func (w fixture) claim(c store.IdempotencyClaim, after time.Duration, want claimed) storedtest.Read {
	return storedtest.Expect(fmt.Sprintf("a claim by %s, %s later", c.Owner, after), want,
		func(ctx context.Context) (claimed, error) {
			w.clock.Advance(after)
			defer w.clock.Advance(-after)
			state, reply, err := w.ClaimIdempotency(ctx, c)
			return claimed{state, reply}, err
		})
}

// reused expects the result of a different request under the claimant's key.
func (w fixture) reused() storedtest.Read {
	different := claimBy("another")
	different.Fingerprint = "other"
	return w.claim(different, 0, claimed{store.Reused, nil})
}
