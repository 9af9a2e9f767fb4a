package payments

import (
	"slices"
	"strings"
	"time"
)

// HistoryStatus is a status by which the history can be asked (contract §6.2): a TransactionStatus, or one of these.
type HistoryStatus string

// The statuses that select payments by their simple status.
const (
	HistoryRefunded   HistoryStatus = "REFUNDED"
	HistoryChargeback HistoryStatus = "CHARGE_BACK" // also what the merchant could not pay (NON_COLLECTION)
)

// HistoryFilter selects items of the history (contract §6.2). Each list must have a match; empty fields let all pass.
type HistoryFilter struct {
	Users        []string // emails, in any case
	Statuses     []HistoryStatus
	PaymentTypes []string
	EntryModes   []string
	Types        []EventType
	Readers      []string // serial numbers
	Area         *Area
	ChangesSince *time.Time
	ChangesAfter bool // ChangesSince itself is too early (contract §14, number 22)
}

// All reports whether the filter lets every item pass.
func (f HistoryFilter) All() bool {
	lists := len(f.Users) + len(f.Statuses) + len(f.PaymentTypes) + len(f.EntryModes) + len(f.Types) + len(f.Readers)
	return lists == 0 && f.Area == nil && f.ChangesSince == nil
}

// Match reports whether the filter lets the item pass.
func (f HistoryFilter) Match(h HistoryItem) bool { return f.MayMatch(h.Entry()) && f.changed(h) }

// MayMatch reports whether the filter lets the entry's item pass, except for changes, which entries do not know.
func (f HistoryFilter) MayMatch(h HistoryEntry) bool {
	return allows(f.Types, h.Type) && allows(f.PaymentTypes, h.PaymentType) && allows(f.EntryModes, h.EntryMode) &&
		allows(f.Readers, h.Reader) && f.user(h) && f.status(h) && f.area(h)
}

func allows[T comparable](list []T, value T) bool {
	return len(list) == 0 || slices.Contains(list, value)
}

func (f HistoryFilter) user(h HistoryEntry) bool {
	return len(f.Users) == 0 ||
		slices.ContainsFunc(f.Users, func(email string) bool { return strings.EqualFold(email, h.Username) })
}

func (f HistoryFilter) status(h HistoryEntry) bool {
	return len(f.Statuses) == 0 || slices.ContainsFunc(f.Statuses, h.has)
}

func (h HistoryEntry) has(s HistoryStatus) bool {
	switch s {
	case HistoryRefunded, HistoryChargeback:
		return h.Type == PaymentItem && h.ReversedAs == s
	default:
		return h.Status() == TransactionStatus(s)
	}
}

func (f HistoryFilter) area(h HistoryEntry) bool {
	return f.Area == nil || (h.Location != nil && f.Area.Contains(*h.Location))
}

func (f HistoryFilter) changed(h HistoryItem) bool {
	if f.ChangesSince == nil {
		return true
	}
	return h.UpdatedAt.After(*f.ChangesSince) || (!f.ChangesAfter && h.UpdatedAt.Equal(*f.ChangesSince))
}

// EntryModes are all that a transaction can have (contract §2.7): online methods' and readers'.
func EntryModes() []string {
	var modes []string
	for _, t := range catalogue {
		modes = append(modes, t.entryMode)
	}
	return append(modes, readerModes...)
}
