package reconcile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// entryKinds maps the kinds of movements that post an entry when they are imported to the kinds of the entries.
var entryKinds = map[acquirer.Kind]ledger.Kind{acquirer.SettlementMovement: ledger.Settlement,
	acquirer.SettlementReturnedMovement: ledger.SettlementReturned, acquirer.FeeMovement: ledger.AcquirerFee}

// newMovementLine returns the line of a statement for a movement of a tenant's money. A line that breaks a rule of
// acquirer.Movement is stored as well, with its Fault, so that one such line does not stop the others. A line without
// an id gets a digest of its content.
func newMovementLine(t identity.Tenant, m acquirer.Movement) store.StatementLine {
	var fault string
	if m.LineID == "" {
		m.LineID, fault = digestOf(m), "it has no id"
	}
	l := store.StatementLine{Tenant: t, Subject: m.ChargeID, Kind: string(m.Kind), LineID: m.LineID, ID: m.ID,
		Amount: m.Amount, At: m.At, Fee: m.Fee, Reserve: m.Reserve, AvailableOn: m.AvailableOn.UTC().Format(time.DateOnly)}
	if m.AvailableOn.IsZero() {
		l.AvailableOn = m.At.UTC().Format(time.DateOnly)
	}
	switch of := ledger.OfSettlement(m.SettlementID, m.Amount.Currency()); {
	case settles(m.Kind) && m.SettlementID != "":
		l.Subject, l.ID = of.ID, m.SettlementID
	case m.Kind == acquirer.FeeMovement, m.ChargeID == "":
		l.Subject, l.ID = ledger.OfAcquirerFee(m.LineID, m.Amount.Currency()).ID, m.LineID
	}
	l.Fault = cmp.Or(fault, faultOfAmounts(l), faultOfSubject(l))
	return l
}

// digestOf returns a digest of a movement's content. It is the same at each reading.
func digestOf(m acquirer.Movement) string {
	content := []string{m.ID, m.ChargeID, m.Tenant, string(m.Kind), m.SettlementID}
	for _, a := range []money.Amount{m.Amount, m.Fee, m.Reserve} {
		content = append(content, a.String(), string(a.Currency()))
	}
	for _, at := range []time.Time{m.At, m.AvailableOn} {
		content = append(content, at.UTC().Format(time.RFC3339Nano))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", content))
	return hex.EncodeToString(sum[:])
}

// settles returns true if movements of the kind belong to a settlement.
func settles(k acquirer.Kind) bool {
	return k == acquirer.SettlementMovement || k == acquirer.SettlementReturnedMovement
}

// newLineEntry returns the entry that a line posts when it is imported, or nil.
func newLineEntry(l store.StatementLine) *ledger.Entry {
	kind, of, posts := postedBy(l)
	if !posts {
		return nil
	}
	var posted []ledger.Posting
	for _, account := range []ledger.Account{ledger.AcquirerReceivable, ledger.Bank, ledger.AcquirerFees,
		ledger.AcquirerReserve} {
		posted = append(posted, ledger.Posting{Account: account, Amount: money.FromMinor(of[account], l.Amount.Currency())})
	}
	about := ledger.Reference{Subject: ledger.SubjectSettlement, ID: l.Subject}
	return ledger.MustEntry(l.LineID, kind, about, l.ImportedAt, posted...)
}

// postedBy returns the kind and the postings of the entry that a line posts. It returns false for a line with a fault,
// for a line that moves nothing, and for lines about payments and payouts, which post their entries themselves.
func postedBy(l store.StatementLine) (kind ledger.Kind, of postings, posts bool) {
	if kind, posts = entryKinds[acquirer.Kind(l.Kind)]; !posts || faultOf(l) != "" {
		return "", nil, false
	}
	of = linePostings(l)
	for _, minor := range of {
		if minor != 0 {
			return kind, of, true
		}
	}
	return "", nil, false
}

// linePostings returns the postings of the entry for a settlement, a returned settlement or a fee.
func linePostings(l store.StatementLine) postings {
	amount, fee, reserve := l.Amount.Minor(), l.Fee.Minor(), l.Reserve.Minor()
	switch acquirer.Kind(l.Kind) {
	case acquirer.SettlementMovement:
		return postings{ledger.AcquirerReceivable: -grossOf(l), ledger.Bank: amount, ledger.AcquirerFees: fee,
			ledger.AcquirerReserve: reserve}
	case acquirer.SettlementReturnedMovement:
		return postings{ledger.AcquirerReceivable: amount, ledger.Bank: -amount}
	case acquirer.FeeMovement:
		return postings{ledger.AcquirerReceivable: -amount, ledger.AcquirerFees: amount}
	default:
		return nil
	}
}

// grossOf returns the amount by which a line changes what the acquirer owes us, without its sign, in minor units. A
// settlement also settles what the acquirer keeps.
func grossOf(l store.StatementLine) int64 {
	gross := l.Amount.Minor()
	if l.Kind == string(acquirer.SettlementMovement) {
		gross += l.Fee.Minor() + l.Reserve.Minor()
	}
	return gross
}

// lineSides expects the entry of a line that posts one.
func lineSides(l store.StatementLine) sides {
	s := sides{about: l.Subject}
	if kind, of, posts := postedBy(l); posts {
		s.expected = []line{entryOf(kind, l.LineID, l.Amount.Currency(), of)}
	}
	return s
}

// isSettlement returns true if the subject is a settlement, or a fee of an acquirer.
func (s *reading) isSettlement() bool {
	return slices.ContainsFunc(s.entries, func(e ledger.Entry) bool {
		return e.About.Subject == ledger.SubjectSettlement
	}) || slices.ContainsFunc(s.lines, func(l store.StatementLine) bool {
		return entryKinds[acquirer.Kind(l.Kind)] != ""
	})
}

// isYoung returns true if a night must leave a part of the subject to the next night: a line that was imported after
// the night's lines, or a settlement's entry of the time until or later.
func isYoung(s *reading, until, linesUntil time.Time) bool {
	return slices.ContainsFunc(s.lines, func(l store.StatementLine) bool { return l.ImportedAt.After(linesUntil) }) ||
		slices.ContainsFunc(s.entries, func(e ledger.Entry) bool {
			return e.About.Subject == ledger.SubjectSettlement && !e.At.Before(until)
		})
}
