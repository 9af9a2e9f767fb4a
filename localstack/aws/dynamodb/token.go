package dynamodb

import (
	"crypto/sha256"
	"strings"
	"time"
)

// tokens remembers the transactions of the last ten minutes that carried a ClientRequestToken and succeeded.
type tokens struct {
	known map[string]token
	queue []string // oldest first
}

type token struct {
	name        string // "" for a transaction without one
	fingerprint [sha256.Size]byte
	until       time.Time
}

// seen reports whether a transaction was done before. The same token on another transaction is refused.
func (ts *tokens) seen(name string, fingerprint [sha256.Size]byte, now time.Time) (bool, error) {
	ts.forget(now)
	t, ok := ts.known[name]
	switch {
	case !ok || name == "":
		return false, nil
	case t.fingerprint != fingerprint:
		return false, &fault{
			code:    "IdempotentParameterMismatchException",
			message: "The request token was used before with other parameters",
		}
	}
	return true, nil
}

func (ts *tokens) remember(t token) {
	if t.name == "" {
		return
	}
	t.name = strings.Clone(t.name) // it may be part of a whole record
	ts.known[t.name] = t
	ts.queue = append(ts.queue, t.name)
}

func (ts *tokens) forget(now time.Time) {
	done := 0
	for done < len(ts.queue) && !ts.known[ts.queue[done]].until.After(now) {
		delete(ts.known, ts.queue[done])
		done++
	}
	ts.queue = ts.queue[done:] // growing copies what is left
}
