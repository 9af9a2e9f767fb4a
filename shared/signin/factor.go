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

// RecoveryCodes is how many recovery codes somebody has at first, each for one use.
const RecoveryCodes = 10

// CodesShown is how long recovery codes are shown after they were made, in the session in
// which they were made (contract §10).
const CodesShown = 10 * time.Minute

// Errors of a second factor.
var (
	ErrWrongCode = errors.New("signin: the code is not valid")
	ErrConfirmed = errors.New("signin: there is a second factor already")
)

// Code is what somebody enters: one of the app, or a recovery code.
type Code struct {
	Text secret.Text
	At   time.Time // on the clocks that apps have
}

// Factor is an account's second factor, as stored: what names its secrets, never the secrets.
// It is stored from when it is first turned on, and has a version 0 before.
type Factor struct {
	Enrolment   string    `dynamo:"enrolment_id,omitempty"` // names the secret of the app that makes codes; "": off
	ConfirmedAt time.Time `dynamo:"confirmed_at,omitempty"` // zero: off
	LastStep    int64     `dynamo:"last_step,omitempty"`    // whose code was accepted last (RFC 6238 §4.2)
	Recovery    Recovery  `dynamo:"recovery,omitempty"`
	Version     int       `dynamo:"version"` // of the stored item, from 1
}

// Recovery are the recovery codes of a factor.
type Recovery struct {
	ID     string    `dynamo:"id"`             // names the codes
	Used   []int     `dynamo:"used,omitempty"` // the places of those that were used, from 0
	MadeAt time.Time `dynamo:"made_at"`
	MadeIn string    `dynamo:"made_in"` // the hash of the session
}

// Confirmed reports whether the second factor is asked for.
func (f Factor) Confirmed() bool { return !f.ConfirmedAt.IsZero() }

// Left is how many recovery codes were not used.
func (f Factor) Left() int { return RecoveryCodes - len(f.Recovery.Used) }

// ForAudit is what an entry shows of a factor.
func (f Factor) ForAudit() map[string]any { return map[string]any{"second_factor": f.Confirmed()} }

// Misses reports whether the session is one of before the factor was turned on, in another one.
// Its password alone is not enough any more, to allow anything: it is to confirm the factor.
func (f Factor) Misses(s Session) bool {
	return f.Confirmed() && s.BeganAt.Before(f.ConfirmedAt) && f.Recovery.MadeIn != s.Hash
}

// Begins names the secrets that a session may confirm next: no other session has the same,
// nor this one after a change of the factor. So nothing is stored before it is confirmed,
// and nothing that is confirmed is replaced.
func (f Factor) Begins(session string) string {
	sum := sha256.Sum256([]byte("second factor " + session + " " + strconv.Itoa(f.Version)))
	return hex.EncodeToString(sum[:16])
}

// ShowsCodes reports whether the session is shown the recovery codes now.
func (f Factor) ShowsCodes(session string, now time.Time) bool {
	return f.Confirmed() && f.Recovery.MadeIn == session && now.Before(f.Recovery.MadeAt.Add(CodesShown))
}

// Confirm turns the factor on, with a code of the app to which the session gave its secret.
// Repeated in the same session it changes nothing. Errors: ErrWrongCode; ErrConfirmed when it
// was turned on in another session.
func (f Factor) Confirm(s Secrets, session string, code Code, now time.Time) (Factor, error) {
	if f.Confirmed() {
		if f.Recovery.MadeIn == session {
			return f, nil
		}
		return f, ErrConfirmed
	}
	begun := f.Begins(session)
	step, ok := s.step(begun, code, 0)
	if !ok {
		return f, ErrWrongCode
	}
	return Factor{Enrolment: begun, ConfirmedAt: now, LastStep: step, Recovery: newRecovery(begun, session, now),
		Version: f.Version}, nil
}

// Use is the factor after a code of it was accepted: one of the app, of the current time step
// or of one beside it, each step once (RFC 6238 §5.2), or one of the recovery codes, each
// once. Error: ErrWrongCode, also while it is off.
func (f Factor) Use(s Secrets, code Code) (Factor, error) {
	if !f.Confirmed() {
		return f, ErrWrongCode
	}
	if step, ok := s.step(f.Enrolment, code, f.LastStep); ok {
		f.LastStep = step
		return f, nil
	}
	place, ok := s.place(f.Recovery.ID, code)
	if !ok || slices.Contains(f.Recovery.Used, place) {
		return f, ErrWrongCode
	}
	f.Recovery.Used = slices.Sorted(slices.Values(append([]int{place}, f.Recovery.Used...)))
	return f, nil
}

// Off is the factor after it was turned off.
func (f Factor) Off() Factor { return Factor{Version: f.Version} }

// WithNewCodes is the factor with other recovery codes; those before are no longer valid.
func (f Factor) WithNewCodes(session string, now time.Time) Factor {
	f.Recovery = newRecovery(f.Begins(session), session, now)
	return f
}

func newRecovery(id, session string, now time.Time) Recovery {
	return Recovery{ID: id, MadeAt: now, MadeIn: session}
}
