package merchant

import "time"

// CallbackSecret says which of a merchant's callback secrets sign. Version 0
// means the merchant never asked for one: only the platform's own key signs.
type CallbackSecret struct {
	Version   int       `dynamo:"version"`
	RotatedAt time.Time `dynamo:"rotated_at"`
}

// overlap is how long the previous secret goes on signing (contract §11.2).
const overlap = 24 * time.Hour

// Rotated is the next version, from now on.
func (s CallbackSecret) Rotated(now time.Time) CallbackSecret {
	return CallbackSecret{Version: s.Version + 1, RotatedAt: now}
}

// Signing lists the versions that sign at now, newest first.
func (s CallbackSecret) Signing(now time.Time) []int {
	switch {
	case s.Version == 0:
		return nil
	case s.Version > 1 && now.Before(s.RotatedAt.Add(overlap)):
		return []int{s.Version, s.Version - 1}
	default:
		return []int{s.Version}
	}
}
