package store_test

import (
	"context"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

var storedOAuth = map[string]stored{
	"CreateOAuthClient": {
		sets: "Version is 1, UpdatedAt now",
		write: func(w fixture) []storedtest.Read {
			c := w.oauthClient()
			got, err := w.CreateOAuthClient(w.Context(), w.actor(), c)
			c.Version, c.UpdatedAt = 1, w.Now()
			wantAnswer(w, c, got, err)
			return []storedtest.Read{w.readClient(c), w.audited(c.Tenant.Merchant)}
		},
		unseen: storedtest.NotRead{"CLIENT write_id": notRead},
	},
	"UpdateOAuthClient": {
		sets: "Version is the next, UpdatedAt now",
		write: func(w fixture) []storedtest.Read {
			c := w.oauthClient()
			w.must(errOf(w.CreateOAuthClient(w.Context(), w.actor(), oauth.Client{ID: c.ID, Tenant: c.Tenant,
				CreatedAt: c.CreatedAt})))
			w.clock.Advance(time.Minute)
			got, err := w.UpdateOAuthClient(w.Context(), w.actor(), c.ID,
				func(oauth.Client) (oauth.Client, error) { return c, nil })
			c.Version, c.UpdatedAt = 2, w.Now()
			wantAnswer(w, c, got, err)
			return []storedtest.Read{w.readClient(c), w.audited(c.Tenant.Merchant)}
		},
		unseen: storedtest.NotRead{"CLIENT write_id": notRead},
	},
	"PutAccessToken": {
		sets: "ExpiresAt is to the second",
		write: func(w fixture) []storedtest.Read {
			t := w.accessToken()
			w.must(w.PutAccessToken(w.Context(), t))
			return []storedtest.Read{w.readToken(t), w.expiries(t.ExpiresAt)}
		},
	},
	"CreateMerchantToken": {
		sets: "ExpiresAt is to the second",
		write: func(w fixture) []storedtest.Read {
			t := w.accessToken()
			t.Tenant = w.tenant
			got, err := w.CreateMerchantToken(w.Context(), w.actor(), t)
			wantAnswer(w, t, got, err)
			again := func(ctx context.Context) (identity.AccessToken, error) {
				asked := t
				asked.ExpiresAt = t.ExpiresAt.Add(time.Minute)
				return w.CreateMerchantToken(ctx, byTest, asked)
			}
			return []storedtest.Read{w.readToken(t), w.audited(t.Tenant.Merchant), w.expiries(t.ExpiresAt),
				storedtest.Expect("the creation again", t, again)}
		},
	},
	"PutCode": {
		sets: "Version is 1; it is kept for a day after it has expired",
		write: func(w fixture) []storedtest.Read {
			c := w.code()
			w.must(w.PutCode(w.Context(), c))
			c.Version = 1
			return []storedtest.Read{w.readCode(c), w.expiries(c.ExpiresAt, c.ExpiresAt.AddDate(0, 0, 1))}
		},
		unseen: storedtest.NotRead{"CODE write_id": notRead},
	},
	"Redeem": {
		sets: "the code is used, and stored with grant and token",
		write: func(w fixture) []storedtest.Read {
			c, g, t := w.code(), w.grant(), w.accessToken()
			w.must(w.PutCode(w.Context(), c))
			w.must(w.Redeem(w.Context(), c.Hash, g.Hash, func(oauth.Code) (oauth.Grant, identity.AccessToken, error) {
				return g, t, nil
			}))
			again := func(ctx context.Context) (string, error) {
				return "done", w.Redeem(ctx, c.Hash, g.Hash, func(oauth.Code) (oauth.Grant, identity.AccessToken, error) {
					return g, t, failure.Malformed("It is used.")
				})
			}
			return []storedtest.Read{w.readGrant(g), w.readToken(t), storedtest.Expect("the same again", "done", again),
				w.expiries(c.ExpiresAt.AddDate(0, 0, 1), g.ExpiresAt, g.ExpiresAt, t.ExpiresAt)}
		},
		unseen: ofUsedCode(storedtest.NotRead{"CODE write_id": notRead, "GRANT write_id": notRead}),
	},
	"PutGrant": {
		sets: "ExpiresAt is to the second",
		write: func(w fixture) []storedtest.Read {
			g, t := w.grant(), w.accessToken()
			w.must(w.PutGrant(w.Context(), g, t))
			return []storedtest.Read{w.readGrant(g), w.readToken(t), w.expiries(g.ExpiresAt, g.ExpiresAt, t.ExpiresAt)}
		},
		unseen: storedtest.NotRead{"GRANT write_id": notRead},
	},
	"Refresh": {
		sets: "ExpiresAt is 180 days from now",
		write: func(w fixture) []storedtest.Read {
			g, first, t := w.grant(), w.accessToken(), w.accessToken()
			w.must(w.PutGrant(w.Context(), g, first))
			w.clock.Advance(time.Hour)
			w.must(w.Refresh(w.Context(), g, t))
			g.ExpiresAt = w.Now().Add(180 * 24 * time.Hour)
			return []storedtest.Read{w.readGrant(g), w.readToken(first), w.readToken(t),
				w.expiries(g.ExpiresAt, g.ExpiresAt, first.ExpiresAt, t.ExpiresAt)}
		},
		unseen: storedtest.NotRead{"GRANT write_id": notRead},
	},
}

// ofUsedCode adds the attributes of a code that are not read once it is used.
func ofUsedCode(others storedtest.NotRead) storedtest.NotRead {
	for _, attribute := range []string{"client", "kind", "subject", "user", "tenant",
		"scopes", "password_operation", "signed_in_at", "code_hash", "redirect_uri", "challenge",
		"code_expires_at", "created_at", "version"} {
		others["CODE "+attribute] = "a used code is only refused; the case PutCode misses it"
	}
	return others
}

// oauthClient returns a client with all fields.
func (w fixture) oauthClient() oauth.Client {
	w.Helper()
	return storedtest.Fill(w, w.Filler, func(c *oauth.Client) {
		slices.Sort(c.Scopes) // a set
		slices.Sort(c.Approved)
	})
}

// accessToken returns a token with all fields, which has not expired.
func (w fixture) accessToken() identity.AccessToken {
	w.Helper()
	return storedtest.Fill(w, w.Filler, func(t *identity.AccessToken) {
		slices.Sort(t.Scopes)
		slices.Sort(t.Actions)
		t.ExpiresAt = t.CreatedAt.AddDate(1, 0, 0).Truncate(time.Second)
	})
}

// code returns an unused code with all fields.
func (w fixture) code() oauth.Code {
	w.Helper()
	c := storedtest.Fill(w, w.Filler, func(c *oauth.Code) { slices.Sort(c.Scopes) })
	c.Grant = ""
	return c
}

// grant returns a grant with all fields, which has not expired.
func (w fixture) grant() oauth.Grant {
	w.Helper()
	return storedtest.Fill(w, w.Filler, func(g *oauth.Grant) {
		slices.Sort(g.Scopes)
		g.ExpiresAt = g.CreatedAt.AddDate(1, 0, 0).Truncate(time.Second)
	})
}

func (w fixture) readClient(want oauth.Client) storedtest.Read {
	return storedtest.Expect("OAuthClient", want, func(ctx context.Context) (oauth.Client, error) {
		return w.OAuthClient(ctx, want.ID)
	})
}

func (w fixture) readToken(want identity.AccessToken) storedtest.Read {
	return storedtest.Expect("AccessToken", want, func(ctx context.Context) (identity.AccessToken, error) {
		return w.AccessToken(ctx, want.Hash)
	})
}

func (w fixture) readGrant(want oauth.Grant) storedtest.Read {
	want.ExpiresAt = want.ExpiresAt.Truncate(time.Second)
	return storedtest.Expect("Grant", want, func(ctx context.Context) (oauth.Grant, error) {
		return w.Grant(ctx, want.Hash)
	})
}

// readCode expects the code that Redeem hands over and then leaves unchanged.
func (w fixture) readCode(want oauth.Code) storedtest.Read {
	return storedtest.Expect("Redeem", want, func(ctx context.Context) (oauth.Code, error) {
		var found oauth.Code
		left := failure.Malformed("It is left.")
		err := w.Redeem(ctx, want.Hash, "hash", func(c oauth.Code) (oauth.Grant, identity.AccessToken, error) {
			found = c
			return oauth.Grant{}, identity.AccessToken{}, left
		})
		if failure.Of(err) == left {
			err = nil
		}
		return found, err
	})
}
