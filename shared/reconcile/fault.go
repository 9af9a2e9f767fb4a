package reconcile

import (
	"cmp"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/store"
)

// faultOf returns the Fault of a stored line. A line with a fault posts no entry, and does not change what the acquirer
// is to settle. Nights and proofs of the whole table only look at this field, so that they agree even if the code has
// learned a rule or a kind since the import.
func faultOf(l store.StatementLine) string { return l.Fault }

func faultOfAmounts(l store.StatementLine) string {
	kind, currency := acquirer.Kind(l.Kind), l.Amount.Currency()
	isSettlement := kind == acquirer.SettlementMovement
	switch {
	case kind.Sign() == 0:
		return "its kind is unknown"
	case currency == "":
		return "its amount has no currency"
	case kind.OfCharge() && l.Amount.Sign() <= 0:
		return "its amount is not above zero"
	case !isSettlement && l.Amount.IsZero():
		return "its amount is zero"
	case !l.Fee.IsZero() && l.Fee.Currency() != currency, !l.Reserve.IsZero() && l.Reserve.Currency() != currency:
		return "its amounts have different currencies"
	case !isSettlement && !kind.OfCharge() && !l.Fee.IsZero():
		return "its kind has no fee"
	case !isSettlement && !l.Reserve.IsZero():
		return "its kind has no reserve"
	default:
		return ""
	}
}

func faultOfSubject(l store.StatementLine) string {
	kind, currency := acquirer.Kind(l.Kind), l.Amount.Currency()
	switch {
	case strings.HasPrefix(l.Tenant.Merchant, noTenant):
		return "it names no tenant"
	case settles(kind) && l.Subject != ledger.OfSettlement(l.ID, currency).ID:
		return "it names no settlement"
	case kind.OfCharge() && l.Subject == ledger.OfAcquirerFee(l.LineID, currency).ID:
		return "it names no charge"
	default:
		return ""
	}
}

// faultOfDay describes an AvailableOn that would keep the line from ever being checked, or returns "". The line counts
// nevertheless, because its amounts may be right.
func faultOfDay(l store.StatementLine) string {
	if isBankLine(l) {
		return ""
	}
	day := l.At.UTC().Truncate(24 * time.Hour)
	first, last := day.Add(-acquirer.AvailableBefore).Format(time.DateOnly),
		day.Add(acquirer.AvailableAfter).Format(time.DateOnly)
	if l.Kind == string(acquirer.SettlementMovement) { // may settle old movements, but not movements of the future
		first, last = "", day.Format(time.DateOnly)
	}
	if len(l.AvailableOn) == len(time.DateOnly) && first <= l.AvailableOn && l.AvailableOn <= last {
		return ""
	}
	return "booked on " + day.Format(time.DateOnly) + ", and available on " + l.AvailableOn
}

// addFaults adds a fault for each line of an acquirer that breaks a rule of acquirer.Movement.
func (f *result) addFaults(s *reading) {
	for _, l := range s.lines {
		if fault := cmp.Or(faultOf(l), faultOfDay(l)); fault != "" {
			f.faults = append(f.faults, Break{s.tenant.String(), movementKind + unexpected, l.Kind + " line " + l.LineID,
				l.Amount.String() + " " + string(l.Amount.Currency()) + "; " + fault + s.named()})
		}
	}
}
