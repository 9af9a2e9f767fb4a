package signin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/secret"
)

// RecoveryCodes is the number of recovery codes that are made at a time. Each code can be used once (contract §10).
const RecoveryCodes = 10

// CodesShown limits how long new recovery codes are shown. Only the session that made them shows them (contract §10).
const CodesShown = 10 * time.Minute

// The limits of wrong codes in a row (contract §10). After WarnedAt codes the person gets a mail. After MaxWrong codes
// only a recovery code is accepted.
const (
	MaxWrong = 20
	WarnedAt = 10
)

// Errors of a second factor.
var (
	ErrWrongCode = errors.New("signin: the code is not valid")
	ErrManyCodes = errors.New("signin: after many wrong codes only a recovery code is accepted")
	ErrConfirmed = errors.New("signin: there is a second factor already")
)

// Code is a code that a person entered: a code of the app, or a recovery code.
type Code struct {
	Text secret.Text
	At   time.Time // the real time, which apps use to make codes
}

// Factor is an account's second factor as stored. It has the ids from which the secrets are derived, but never the
// secrets. Until the factor is first turned on, nothing is stored and its version is 0.
type Factor struct {
	Enrolment   string    `dynamo:"enrolment_id,omitempty"` // id of the app's secret; "": off
	ConfirmedAt time.Time `dynamo:"confirmed_at,omitempty"` // zero: off
	LastStep    int64     `dynamo:"last_step,omitempty"`    // time step of the app's last accepted code (RFC 6238 §4.2)
	Recovery    Recovery  `dynamo:"recovery,omitempty"`
	Wrong       int       `dynamo:"wrong,omitempty"`       // wrong codes in a row
	WrongUnder  string    `dynamo:"wrong_under,omitempty"` // Passwords.Unlinked when the wrong codes were entered
	Version     int       `dynamo:"version"`               // of the stored item, from 1
}

// Recovery has the recovery codes of a factor.
type Recovery struct {
	ID     string    `dynamo:"id"`             // id from which the codes are derived
	Used   []int     `dynamo:"used,omitempty"` // places of the used codes, from 0
	MadeAt time.Time `dynamo:"made_at"`
	MadeIn string    `dynamo:"made_in"` // hash of the session that made the codes
}

// Confirmed returns true if the second factor is on.
func (f Factor) Confirmed() bool { return !f.ConfirmedAt.IsZero() }

// Left returns the number of unused recovery codes.
func (f Factor) Left() int { return RecoveryCodes - len(f.Recovery.Used) }

// ForAudit returns the factor as audit entries show it.
func (f Factor) ForAudit() map[string]any { return map[string]any{"second_factor": f.Confirmed()} }

// Misses returns true if the session must confirm the factor before it may give a client access. This is the case if
// the session began before another session turned the factor on (contract §10).
func (f Factor) Misses(s Session) bool {
	return f.Confirmed() && !s.BeganAt.After(f.ConfirmedAt) && f.Recovery.MadeIn != s.Hash
}

// Begins returns the id of the secrets that the session may confirm next. The id differs for each session and after
// each change. So nothing has to be stored before the first code, and no session replaces secrets that another session
// has confirmed.
func (f Factor) Begins(session string) string {
	sum := sha256.Sum256([]byte("second factor " + session + " " + strconv.Itoa(f.Version)))
	return hex.EncodeToString(sum[:16])
}

// ShowsCodes returns true if the session may see the recovery codes at the time.
func (f Factor) ShowsCodes(session string, now time.Time) bool {
	return f.Confirmed() && f.Recovery.MadeIn == session && now.Before(f.Recovery.MadeAt.Add(CodesShown))
}

// Confirm turns the factor on with the first code of an app that has the session's secret. If the same session confirms
// again, nothing changes. Errors: ErrWrongCode; ErrConfirmed if another session turned the factor on.
func (f Factor) Confirm(s Secrets, session string, code Code, now time.Time) (Factor, error) {
	if f.Confirmed() {
		if f.Recovery.MadeIn == session {
			return f, nil
		}
		return f, ErrConfirmed
	}
	begun := f.Begins(session)
	step, ok := s.matchStep(begun, code, 0)
	if !ok {
		return f, ErrWrongCode
	}
	return Factor{Enrolment: begun, ConfirmedAt: now, LastStep: step, Recovery: newRecovery(begun, session, now),
		Version: f.Version}, nil
}

// Use returns the factor after it has accepted a code. Each code is accepted once. The code may be a recovery code, or
// an app's code of the current time step, the step before or the step after (RFC 6238 §5.2). password is
// Passwords.Current of the account.
//
// With the error ErrWrongCode, the returned factor counts the wrong code, unless the code was used before or the factor
// is off. With the error ErrManyCodes, MaxWrong wrong codes were entered under the password, so every code of the app
// is refused.
func (f Factor) Use(s Secrets, code Code, password string) (Factor, error) {
	if !f.Confirmed() {
		return f, ErrWrongCode
	}
	many := f.WrongUnder == password && f.Wrong >= MaxWrong
	step, right := s.matchStep(f.Enrolment, code, f.LastStep)
	place, recovers := s.matchRecovery(f.Recovery.ID, code)
	switch {
	case right && !many:
		f.LastStep = step
	case recovers && !slices.Contains(f.Recovery.Used, place):
		f.Recovery.Used = slices.Sorted(slices.Values(append([]int{place}, f.Recovery.Used...)))
	case many:
		return f, ErrManyCodes
	case recovers || s.isAppCode(f.Enrolment, code): // used before, for example by a form that was sent twice: not a guess
		return f, ErrWrongCode
	default:
		return f.withWrongCode(password), ErrWrongCode
	}
	f.Wrong, f.WrongUnder = 0, ""
	return f, nil
}

// withWrongCode returns the factor with one more wrong code in a row. A new password begins a new row, because the
// guesser does not know the new password. A password that was set by a mailed link does not: the guesser may read the
// mails.
func (f Factor) withWrongCode(password string) Factor {
	if f.WrongUnder != password {
		f.Wrong, f.WrongUnder = 0, password
	}
	f.Wrong++
	return f
}

// Warns returns true if the person gets a mail about the change from the factor before to this factor. Each row of
// wrong codes causes one mail.
func (f Factor) Warns(before Factor) bool { return f.Wrong == WarnedAt && before.Wrong != WarnedAt }

// Off returns the factor after it was turned off.
func (f Factor) Off() Factor { return Factor{Version: f.Version} }

// WithNewCodes returns the factor with new recovery codes, which replace the old ones.
func (f Factor) WithNewCodes(session string, now time.Time) Factor {
	f.Recovery = newRecovery(f.Begins(session), session, now)
	return f
}

func newRecovery(id, session string, now time.Time) Recovery {
	return Recovery{ID: id, MadeAt: now, MadeIn: session}
}
