package simulator

import (
	"encoding/json"
	"math/rand/v2"
)

// Pick returns one of the ids; "" if there is none.
func Pick(rng *rand.Rand, ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[rng.IntN(len(ids))]
}

// Encoded is a value as JSON.
func Encoded(v any) string {
	text, _ := json.Marshal(v) // of what was decoded, or of text, numbers and truths
	return string(text)
}

// During returns those of successive states that were there at some time from call to until; since is when one began.
func During[S any](states []S, call, until int64, since func(S) int64) (there []S) {
	for n, s := range states {
		if since(s) < until && (n+1 == len(states) || since(states[n+1]) > call) {
			there = append(there, s)
		}
	}
	return there
}
