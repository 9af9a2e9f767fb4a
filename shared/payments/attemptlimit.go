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

// Source identifies the payer or credential that asks for an attempt, for the limits of attempts.
type Source struct {
	Names []string // opaque, without commas; a payer's session and network address each have a name
	Payer bool     // a payer's browser asks; false: the merchant
}

// AttemptStart records the source and the time of an attempt. It counts for an hour.
type AttemptStart struct {
	At time.Time
	Source
}

// MarshalText writes the start as short as possible, because each write of a checkout above 1 KB costs twice as much.
func (s AttemptStart) MarshalText() ([]byte, error) {
	side := "m"
	if s.Payer {
		side = "p"
	}
	return []byte(strings.Join(append([]string{side + strconv.FormatInt(s.At.UnixNano(), 36)}, s.Names...), ",")), nil
}

// UnmarshalText reads what MarshalText wrote.
func (s *AttemptStart) UnmarshalText(text []byte) error {
	if at, err := time.Parse(time.RFC3339Nano, string(text)); err == nil { // older than the names of sources
		*s = AttemptStart{At: at, Source: Source{Payer: true}}
		return nil
	}
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
// attemptsOfSource of them, or its side attemptsOfSide. Payers' attempts never refuse the merchant's, nor the reverse.
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

// waitFor returns the time until an attempt is within the limit; 0 if it is now. counts reports which starts count.
func waitFor(starts []AttemptStart, limit int, hourAgo time.Time, counts func(AttemptStart) bool) time.Duration {
	counted := slices.DeleteFunc(slices.Clone(starts), func(s AttemptStart) bool { return !counts(s) })
	if len(counted) < limit {
		return 0
	}
	return counted[len(counted)-limit].At.Sub(hourAgo)
}
