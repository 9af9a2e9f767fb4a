package dynamodb

import (
	"crypto/sha256"
	"strings"
	"time"
)

// tokens remembers the successful transactions of the last ten minutes that carried a ClientRequestToken.
type tokens struct {
	known map[string]token
	queue []string // oldest first
}

type token struct {
	name        string // "" for a transaction without a token
	fingerprint [sha256.Size]byte
	until       time.Time
}

// checkReplay returns true if the transaction was done before. It refuses a token that another transaction used.
func (ts *tokens) checkReplay(name string, fingerprint [sha256.Size]byte, now time.Time) (bool, error) {
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
	t.name = strings.Clone(t.name) // t.name may share the memory of a whole record
	ts.known[t.name] = t
	ts.queue = append(ts.queue, t.name)
}

func (ts *tokens) forget(now time.Time) {
	done := 0
	for done < len(ts.queue) && !ts.known[ts.queue[done]].until.After(now) {
		delete(ts.known, ts.queue[done])
		done++
	}
	ts.queue = ts.queue[done:] // the next growing append frees the space
}
