package merchant

import "time"

// CallbackSecret tells which callback secrets of a merchant sign. With version 0 the merchant never asked for a secret,
// and only the platform's own key signs.
type CallbackSecret struct {
	Version   int       `dynamo:"version"`
	RotatedAt time.Time `dynamo:"rotated_at"`
}

// secretOverlap limits how long the previous secret still signs (contract §11.2).
const secretOverlap = 24 * time.Hour

// Rotated returns the next version, which signs from now on.
func (s CallbackSecret) Rotated(now time.Time) CallbackSecret {
	return CallbackSecret{Version: s.Version + 1, RotatedAt: now}
}

// Signing lists the versions that sign at now, newest first.
func (s CallbackSecret) Signing(now time.Time) []int {
	switch {
	case s.Version == 0:
		return nil
	case s.Version > 1 && now.Before(s.RotatedAt.Add(secretOverlap)):
		return []int{s.Version, s.Version - 1}
	default:
		return []int{s.Version}
	}
}
