package payments

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// The limits on attempts to pay one checkout within any hour (contract §2.9).
const (
	maxAttemptsOfSource = 10
	// maxAttemptsOfSide limits all payers together, and all the merchant's credentials together.
	maxAttemptsOfSide = 50
)

// Source identifies the payer or credential that asks for an attempt. Limits count attempts by source.
type Source struct {
	Names []string // opaque, without commas; a payer's session and network address each have a name
	Payer bool     // true: a payer's browser asks; false: the merchant asks
}

// AttemptStart records the source and the time of an attempt. The limits count the attempt for an hour.
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
	if at, err := time.Parse(time.RFC3339Nano, string(text)); err == nil { // from before sources had names
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

// attemptsSince returns the attempts since hourAgo. It fails with TooMany if a name of the source has begun
// maxAttemptsOfSource attempts, or if the source's side has begun maxAttemptsOfSide. A side is all payers, or the
// merchant. Attempts of payers never block the merchant, and attempts of the merchant never block payers.
func (c Checkout) attemptsSince(hourAgo time.Time, by Source) ([]AttemptStart, error) {
	starts := slices.DeleteFunc(slices.Clone(c.AttemptStarts), func(s AttemptStart) bool { return !s.At.After(hourAgo) })
	wait := untilAllowed(starts, maxAttemptsOfSide, hourAgo, func(s AttemptStart) bool { return s.Payer == by.Payer })
	for _, name := range by.Names {
		wait = max(wait, untilAllowed(starts, maxAttemptsOfSource, hourAgo, func(s AttemptStart) bool {
			return s.Payer == by.Payer && slices.Contains(s.Names, name)
		}))
	}
	if wait > 0 {
		return nil, failure.TooMany(wait)
	}
	return starts, nil
}

// untilAllowed returns the time until the limit allows an attempt; 0 means now. counts selects the starts that count.
func untilAllowed(starts []AttemptStart, limit int, hourAgo time.Time, counts func(AttemptStart) bool) time.Duration {
	counted := slices.DeleteFunc(slices.Clone(starts), func(s AttemptStart) bool { return !counts(s) })
	if len(counted) < limit {
		return 0
	}
	return counted[len(counted)-limit].At.Sub(hourAgo)
}
