package transactions

import (
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// toBank is the payout_type of all that is paid out (contract §2.7).
const toBank = "BANK_ACCOUNT"

// paysOut is where the parts of a payment are paid out, and the day on which all
// of it is; none when that takes several payouts. Total counts the parts that did
// not fail; the last part replaces those that did.
func paysOut(parts []payments.PayoutPart, total int, calendar merchant.Calendar) (to string, on rest.Date) {
	if len(parts) == 0 {
		return "", rest.Date{}
	}
	if total == 1 {
		on = dueDate(parts[len(parts)-1], calendar)
	}
	return toBank, on
}

// dueDate is the day of the payout that has the part, or else of the first that
// may have it; none while a payout on demand is not asked for.
func dueDate(p payments.PayoutPart, calendar merchant.Calendar) rest.Date {
	day := p.Day
	if day == "" {
		day = calendar.PayoutDay(p.EligibleAt)
	}
	var due rest.Date
	if due.UnmarshalText([]byte(day)) != nil {
		return rest.Date{}
	}
	return due
}
