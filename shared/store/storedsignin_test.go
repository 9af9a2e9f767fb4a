package store_test

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
)

var storedSignIns = map[string]stored{
	"PutSignIn": {
		sets: "Expires is to the second; of the account neither passwords nor Since is stored",
		write: func(w fixture) []storedtest.Read {
			s := w.session()
			w.must(w.PutSignIn(w.Context(), s))
			return []storedtest.Read{w.readSession(s), w.readSessions(s), w.expiries(s.Expires, s.Expires)}
		},
	},
	"PutKnownAddress": {
		sets: "it is known to the second",
		write: func(w fixture) []storedtest.Read {
			until := start.Add(signin.KnownLasts)
			w.must(w.PutKnownAddress(w.Context(), "hers", until))
			return []storedtest.Read{w.expiries(until), w.knows("hers", 0, true),
				w.knows("hers", signin.KnownLasts-time.Second, true), w.knows("hers", signin.KnownLasts, false),
				w.knows("another's", 0, false)}
		},
	},
	"ChangeSecondFactor": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			f := w.factor()
			got, err := w.ChangeSecondFactor(w.Context(), userOf("user"),
				func(signin.Factor) (signin.Factor, error) { return f, nil })
			f.Version = 1
			wantAnswer(w, f, got, err)
			w.remove("RATE", "RATE")
			return []storedtest.Read{w.readFactor("user", f), storedtest.Expect("HaveSecondFactor",
				map[string]bool{"user": true}, func(ctx context.Context) (map[string]bool, error) {
					return w.HaveSecondFactor(ctx, "user", "another")
				})}
		},
		unseen: storedtest.NotRead{"FACTOR write_id": notRead},
	},
	"ConfirmSignIn": {
		sets: "another session is stored in place of the one before, whose lead stays, with the next Version of the " +
			"second factor",
		write: func(w fixture) []storedtest.Read {
			before, s, f := w.session(), w.session(), w.factor()
			w.must(w.PutSignIn(w.Context(), before))
			f.Version = 0
			w.must(w.ConfirmSignIn(w.Context(), before.Hash, s, func(signin.Factor) (signin.Factor, error) {
				return f, nil
			}))
			f.Version = 1
			w.remove("RATE", "RATE")
			return []storedtest.Read{w.readSession(s), w.readSessions(s), w.readFactor(s.Account.User(), f),
				w.expiries(before.Expires, s.Expires, s.Expires),
				storedtest.Expect("the one before", false, func(ctx context.Context) (bool, error) {
					_, there, err := w.SignIn(ctx, before.Hash)
					return there, err
				})}
		},
		unseen: storedtest.NotRead{"FACTOR write_id": notRead},
	},
	"RemoveSecondFactor": {
		sets: "Version is the next, and nothing else is left",
		write: func(w fixture) []storedtest.Read {
			m := member.Member{ID: "mem_1", UserID: "user"}
			w.must(errOf(w.ChangeSecondFactor(w.Context(), userOf("user"),
				func(signin.Factor) (signin.Factor, error) { return w.factor(), nil })))
			w.remove("RATE", "RATE")
			w.must(w.RemoveSecondFactor(w.Context(), w.actor(), w.tenant, m))
			return []storedtest.Read{w.readFactor("user", signin.Factor{Version: 2}), w.audited(w.tenant.Merchant)}
		},
		unseen: storedtest.NotRead{"FACTOR write_id": notRead},
	},
}

// knows returns a read that expects KnowsAddress to return want when the time has passed.
func (w fixture) knows(id string, after time.Duration, want bool) storedtest.Read {
	return storedtest.Expect(id+" after "+after.String(), want, func(ctx context.Context) (bool, error) {
		w.clock.Advance(after)
		defer w.clock.Advance(-after)
		return w.KnowsAddress(ctx, id)
	})
}

// session returns a session with all fields, which has not expired.
func (w fixture) session() signin.Session {
	w.Helper()
	s := storedtest.Fill(w, w.Filler, func(s *signin.Session) {
		s.Expires = w.Now().AddDate(1, 0, 0).Truncate(time.Second)
	})
	s.Account.Passwords, s.Account.Since = nil, time.Time{}
	return s
}

// factor returns a second factor with all fields.
func (w fixture) factor() signin.Factor {
	w.Helper()
	f := storedtest.Fill[signin.Factor](w, w.Filler)
	f.Version = 0
	return f
}

func (w fixture) readSession(want signin.Session) storedtest.Read {
	return storedtest.Expect("SignIn", want, func(ctx context.Context) (signin.Session, error) {
		s, _, err := w.SignIn(ctx, want.Hash)
		return s, err
	})
}

// readSessions returns a read that expects the session alone in the list of its account.
func (w fixture) readSessions(want signin.Session) storedtest.Read {
	return storedtest.Expect("SignIns", []signin.Session{want}, func(ctx context.Context) ([]signin.Session, error) {
		return w.SignIns(ctx, want.Account)
	})
}

func (w fixture) readFactor(user string, want signin.Factor) storedtest.Read {
	return storedtest.Expect("SecondFactor", want, func(ctx context.Context) (signin.Factor, error) {
		return w.SecondFactor(ctx, user)
	})
}
