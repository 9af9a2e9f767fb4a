package store

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
)

func factorItem(user string, f signin.Factor) storedItem {
	return newItem(factorKey(user), f, f.Version)
}

// codesOfAccount is the bucket of an account's codes (contract §2.9): 250 tries a day. Three of 10⁶ codes are valid at
// once.
var codesOfAccount = Bucket{Every: 6 * time.Minute, Burst: 10}

// SecondFactor reads the second factor of a user (signin.Account.User), consistently, with version 0 if none is stored.
func (s *View) SecondFactor(ctx context.Context, user string) (signin.Factor, error) {
	return readOne[signin.Factor](ctx, s, factorKey(user), nil)
}

// HaveSecondFactor returns, for each of at most 100 users, true if the user has turned on a second factor. It may miss
// a change made a moment ago.
func (s *View) HaveSecondFactor(ctx context.Context, users ...string) (map[string]bool, error) {
	keys, userOf := make([]key, len(users)), map[key]string{}
	for i, user := range users {
		keys[i] = factorKey(user)
		userOf[keys[i]] = user
	}
	type found struct {
		key
		signin.Factor
	}
	return readIndexed(ctx, s, keys, false, func(f found) (string, bool) { return userOf[f.key], f.Confirmed() })
}

// ChangeSecondFactor applies a change that a user makes by entering a code. The code takes one token of the limit,
// however often the write is tried. When change returns an error, the returned factor is still stored, because it
// counts the wrong code. Failure: TooMany.
func (s *Store) ChangeSecondFactor(ctx context.Context, a signin.Account,
	change func(signin.Factor) (signin.Factor, error)) (signin.Factor, error) {
	if err := s.takeCode(ctx, a.User()); err != nil {
		return signin.Factor{}, err
	}
	return Retry(func(bool) (signin.Factor, error) {
		before, err := s.SecondFactor(ctx, a.User())
		if err != nil {
			return before, err
		}
		after, changeErr := change(before)
		after, err = s.replaceFactor(ctx, a, before, after)
		return after, cmp.Or(err, changeErr)
	})
}

// replaceFactor writes an account's second factor if it changed. The same transaction stores the mail that warns the
// person of wrong codes (signin.Factor.Warns). Error: ErrStale.
func (s *Store) replaceFactor(ctx context.Context, a signin.Account, before, after signin.Factor) (signin.Factor,
	error) {
	if reflect.DeepEqual(before, after) {
		return before, nil
	}
	after.Version++
	item := factorItem(a.User(), after)
	tx := s.db.WriteTx().Idempotent(true).Put(s.replace(item))
	if after.Warns(before) {
		operation := versionOf(item.key, after.Version)
		warning := mail.NewWrongCodes(operation, a.Name, a.ID)
		if a.Kind != identity.User {
			warning = mail.NewWrongCodesOfManaged(operation, a.Name, member.NumberOf(a.ID))
		}
		tx.Put(s.putMail(a.Tenant, warning))
	}
	return after, s.resolve(ctx, item, ErrStale, tx.Run(ctx))
}

// takeCode takes a token from the user's bucket of codes. Like passwords, codes are refused if the buckets are
// unreadable.
func (s *Store) takeCode(ctx context.Context, user string) error {
	return s.TakeToken(ctx, "codes of "+user, codesOfAccount)
}

// ErrSignedOut reports a session that has ended.
var ErrSignedOut = errors.New("store: the session has ended")

// ConfirmSignIn replaces a pending session with a full one. The same transaction records the use of the code, which
// counts as in ChangeSecondFactor. Errors: ErrSignedOut if the pending session has ended; TooMany; ErrContended.
func (s *Store) ConfirmSignIn(ctx context.Context, pending string, session signin.Session,
	use func(signin.Factor) (signin.Factor, error)) error {
	user := session.Account.User()
	if err := s.takeCode(ctx, user); err != nil {
		return err
	}
	return retryWrite(func(again bool) error {
		if again {
			if _, there, err := s.SignIn(ctx, pending); err != nil || !there {
				return cmp.Or(err, ErrSignedOut)
			}
		}
		before, err := s.SecondFactor(ctx, user)
		if err != nil {
			return err
		}
		after, useErr := use(before)
		if useErr != nil {
			_, err = s.replaceFactor(ctx, session.Account, before, after)
			return cmp.Or(err, useErr)
		}
		after.Version++
		item := factorItem(user, after)
		tx := s.putSignIn(s.db.WriteTx().Idempotent(true).Put(s.replace(item)), session).
			Delete(s.remove(signInKey(pending)).If("attribute_exists(pk)"))
		return s.resolve(ctx, item, ErrStale, tx.Run(ctx))
	})
}

// RemoveSecondFactor turns off the second factor of a member's user for the platform's operator, with an entry in the
// merchant's audit. Failures: NotFound if the second factor is off; ErrContended.
func (s *Store) RemoveSecondFactor(ctx context.Context, by audit.By, t identity.Tenant, m member.Member) error {
	return retryWrite(func(bool) error {
		before, err := s.SecondFactor(ctx, m.User())
		if err == nil && !before.Confirmed() {
			err = failure.NotFound("The account has no second factor.")
		}
		if err != nil {
			return err
		}
		after := before.Off()
		after.Version++
		item := factorItem(m.User(), after)
		tx := s.newAuditedTx(by)
		tx.Put(s.replace(item))
		tx.audit(t, subjectMember(m), before.ForAudit(), after.ForAudit())
		return tx.runReplacement(ctx, item, ErrStale)
	})
}
