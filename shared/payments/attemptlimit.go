package payments

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// The limits of attempts to pay one checkout, in any hour (contract §2.9).
const (
	attemptsOfSource = 10
	// attemptsOfSide limits all payers together, and all credentials of the merchant together.
	attemptsOfSide = 50
)

// Source says who asks for an attempt, as the limits count attempts.
type Source struct {
	Names []string // opaque, without commas; a payer's session and network address each have one
	Payer bool     // a payer's browser asks, not the merchant
}

// AttemptStart records who began an attempt, and when. An hour later it no longer counts.
type AttemptStart struct {
	At time.Time
	Source
}

// MarshalText writes the start as short as can be, because a claimed checkout is to fit into 1 KB: above that each write
// costs twice as much.
func (s AttemptStart) MarshalText() ([]byte, error) {
	side := "m"
	if s.Payer {
		side = "p"
	}
	return []byte(strings.Join(append([]string{side + strconv.FormatInt(s.At.UnixNano(), 36)}, s.Names...), ",")), nil
}

// UnmarshalText reads what MarshalText wrote.
func (s *AttemptStart) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ",")
	if parts[0] == "" {
		return errors.New("payments: an attempt's start is empty")
	}
	nanoseconds, err := strconv.ParseInt(parts[0][1:], 36, 64)
	s.At, s.Payer, s.Names = time.Unix(0, nanoseconds).UTC(), parts[0][0] == 'p', nil
	if len(parts) > 1 {
		s.Names = parts[1:]
	}
	return err
}

// attemptsSince returns the attempts since hourAgo. Failure: TooMany when one of the source's names has begun
// attemptsOfSource of them, or its side attemptsOfSide. Payers' attempts never refuse the merchant, nor the reverse.
func (c Checkout) attemptsSince(hourAgo time.Time, by Source) ([]AttemptStart, error) {
	starts := slices.DeleteFunc(slices.Clone(c.AttemptStarts), func(s AttemptStart) bool { return !s.At.After(hourAgo) })
	wait := waitFor(starts, attemptsOfSide, hourAgo, func(s AttemptStart) bool { return s.Payer == by.Payer })
	for _, name := range by.Names {
		wait = max(wait, waitFor(starts, attemptsOfSource, hourAgo, func(s AttemptStart) bool {
			return s.Payer == by.Payer && slices.Contains(s.Names, name)
		}))
	}
	if wait > 0 {
		return nil, failure.TooMany(wait)
	}
	return starts, nil
}

// waitFor returns how long the attempts that count fill the limit; 0 if there is room now.
func waitFor(starts []AttemptStart, limit int, hourAgo time.Time, counts func(AttemptStart) bool) time.Duration {
	counted := slices.DeleteFunc(slices.Clone(starts), func(s AttemptStart) bool { return !counts(s) })
	if len(counted) < limit {
		return 0
	}
	return counted[len(counted)-limit].At.Sub(hourAgo)
}
