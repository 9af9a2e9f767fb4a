package payments

import (
	"slices"
	"strings"
	"time"
)

// HistoryStatus is a status that selects history items (contract §6.2): a TransactionStatus, or one of the statuses
// below.
type HistoryStatus string

// The statuses that select payments by their simple status.
const (
	HistoryRefunded   HistoryStatus = "REFUNDED"
	HistoryChargeback HistoryStatus = "CHARGE_BACK" // includes NON_COLLECTION: the merchant could not pay
)

// HistoryFilter selects items of the history (contract §6.2). An item must match every field that is not empty.
type HistoryFilter struct {
	Users        []string // emails, in any case
	Statuses     []HistoryStatus
	PaymentTypes []string
	EntryModes   []string
	Types        []EventType
	Readers      []string // serial numbers
	Area         *Area
	ChangesSince *time.Time
	ChangesAfter bool // excludes ChangesSince itself (contract §14, number 22)
}

// All returns true if every item passes the filter.
func (f HistoryFilter) All() bool {
	lists := len(f.Users) + len(f.Statuses) + len(f.PaymentTypes) + len(f.EntryModes) + len(f.Types) + len(f.Readers)
	return lists == 0 && f.Area == nil && f.ChangesSince == nil
}

// Match returns true if the item passes the filter.
func (f HistoryFilter) Match(h HistoryItem) bool { return f.MayMatch(h.Entry()) && f.matchesChange(h) }

// MayMatch returns true if the entry's item passes all parts of the filter except ChangesSince. Entries have no time of
// the last change, so MayMatch ignores ChangesSince.
func (f HistoryFilter) MayMatch(h HistoryEntry) bool {
	return allows(f.Types, h.Type) && allows(f.PaymentTypes, h.PaymentType) && allows(f.EntryModes, h.EntryMode) &&
		allows(f.Readers, h.Reader) && f.matchesUser(h) && f.matchesStatus(h) && f.matchesArea(h)
}

func allows[T comparable](list []T, value T) bool {
	return len(list) == 0 || slices.Contains(list, value)
}

func (f HistoryFilter) matchesUser(h HistoryEntry) bool {
	return len(f.Users) == 0 ||
		slices.ContainsFunc(f.Users, func(email string) bool { return strings.EqualFold(email, h.Username) })
}

func (f HistoryFilter) matchesStatus(h HistoryEntry) bool {
	return len(f.Statuses) == 0 || slices.ContainsFunc(f.Statuses, h.hasStatus)
}

func (h HistoryEntry) hasStatus(s HistoryStatus) bool {
	switch s {
	case HistoryRefunded, HistoryChargeback:
		return h.Type == PaymentItem && h.ReversedAs == s
	default:
		return h.Status() == TransactionStatus(s)
	}
}

func (f HistoryFilter) matchesArea(h HistoryEntry) bool {
	return f.Area == nil || (h.Location != nil && f.Area.Contains(*h.Location))
}

func (f HistoryFilter) matchesChange(h HistoryItem) bool {
	if f.ChangesSince == nil {
		return true
	}
	return h.UpdatedAt.After(*f.ChangesSince) || (!f.ChangesAfter && h.UpdatedAt.Equal(*f.ChangesSince))
}

// EntryModes returns all entry modes of transactions (contract §2.7): those of online methods, then those of readers.
func EntryModes() []string {
	var modes []string
	for _, t := range catalogue {
		modes = append(modes, t.entryMode)
	}
	return append(modes, readerModes...)
}
