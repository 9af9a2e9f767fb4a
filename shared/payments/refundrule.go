package payments

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
)

// RefundRule is an operator's limit on the refunds of some transactions
// (contract §6.4: eligibility by country and currency).
type RefundRule struct {
	Country  string         // of the merchant, ISO 3166-1 alpha-2; "": every
	Currency money.Currency // "": every
	Days     int            // of 24 hours, for which a payment can be refunded; 0: for ever
	Minimum  money.Amount   // that can be refunded at once; without a currency: one minor unit
}

// RefundRules are all of an operator's; every one that applies to a
// transaction counts. None: any age, from one minor unit.
type RefundRules []RefundRule

// ParseRefundRules reads rules between blanks, each written where:days:least:
//
//	BR:90 HUF::100 CL/CLP:180:500 *:365
//
// where is a country, a currency, both, or *; what is left out is not limited.
// A least amount needs a currency. Error: the first rule that is none.
func ParseRefundRules(text string) (RefundRules, error) {
	var rules RefundRules
	for field := range strings.FieldsSeq(text) {
		rule, ok := parseRefundRule(field)
		if !ok {
			return nil, fmt.Errorf("payments: %q is no rule such as BR:90, HUF::100 or CL/CLP:180:500", field)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// maxRefundDays keeps the sum of a time and the days a time.
const maxRefundDays = 36500

func parseRefundRule(text string) (RefundRule, bool) {
	where, limits, _ := strings.Cut(text, ":")
	days, least, hasLeast := strings.Cut(limits, ":")
	var rule RefundRule
	if !rule.place(where) || (days == "" && least == "") || (hasLeast && least == "") {
		return rule, false
	}
	if days != "" {
		n, err := strconv.ParseUint(days, 10, 16)
		if rule.Days = int(n); err != nil || n == 0 || n > maxRefundDays {
			return rule, false
		}
	}
	if least != "" {
		var err error
		if rule.Minimum, err = money.Parse(least, rule.Currency); err != nil || rule.Currency == "" || rule.Minimum.Sign() <= 0 {
			return rule, false
		}
	}
	return rule, true
}

// place reads what the rule applies to.
func (r *RefundRule) place(where string) bool {
	country, currency, both := strings.Cut(where, "/")
	switch {
	case where == "*":
		return true
	case !both && len(where) == 3: // a currency alone
		country, currency = "", where
	}
	if currency != "" || both {
		var err error
		if r.Currency, err = money.ParseCurrency(currency); err != nil {
			return false
		}
	}
	r.Country = country
	isCode := len(country) == 2 && strings.Trim(country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	return isCode || (country == "" && currency != "" && !both)
}

// RefundTerms are what the rules make of one transaction.
type RefundTerms struct {
	Until   time.Time    // from when on nothing can be refunded; the zero time: never
	Minimum money.Amount // that can be refunded at once, or all that is left if that is less
}

// Terms are those of a transaction whose merchant is in the country.
func (rules RefundRules) Terms(t Transaction, country string) RefundTerms {
	terms := RefundTerms{Minimum: money.Smallest(t.Amount.Currency())}
	for _, r := range rules {
		if (r.Country != "" && r.Country != country) || (r.Currency != "" && r.Currency != t.Amount.Currency()) {
			continue
		}
		if until := t.CreatedAt.AddDate(0, 0, r.Days); r.Days > 0 && (terms.Until.IsZero() || until.Before(terms.Until)) {
			terms.Until = until
		}
		if r.Minimum.Currency() != "" && more(r.Minimum, terms.Minimum) {
			terms.Minimum = r.Minimum
		}
	}
	if t.Refundable.Sign() > 0 && more(terms.Minimum, t.Refundable) {
		terms.Minimum = t.Refundable
	}
	return terms
}

// Expired says nothing can be refunded any more.
func (r RefundTerms) Expired(now time.Time) bool { return !r.Until.IsZero() && !now.Before(r.Until) }

// AmountTooLowError reports that less is asked for than can be refunded at once. As a
// failure it is a Conflict, as one above the rest.
type AmountTooLowError struct {
	Minimum, Refundable money.Amount // what can be refunded, from and to
}

func (e *AmountTooLowError) Error() string {
	return "payments: less than " + e.Minimum.String() + " is not refunded at once"
}

// Unwrap is what clients are told.
func (e *AmountTooLowError) Unwrap() error { return errAmountTooLow }

var (
	errTooOld       = failure.Conflict("the transaction is too old to be refunded")
	errAmountTooLow = failure.Conflict("the amount is below the least that can be refunded")
)

// Begin is the transaction's BeginRefund under its terms. Failures: also
// Conflict when it is too old, AmountTooLowError; an AmountTooHighError tells the least, too.
func (r RefundTerms) Begin(t Transaction, operation string, amount *money.Amount, held bool,
	now time.Time) (TransactionChange, error) {
	change, err := t.BeginRefund(operation, amount, held, now)
	var above *AmountTooHighError
	switch {
	case errors.As(err, &above) && !r.Expired(now):
		above.Minimum = r.Minimum
		return change, above
	case err != nil && above == nil:
		return change, err
	case r.Expired(now):
		return TransactionChange{}, errTooOld
	case more(r.Minimum, change.Events[0].Amount):
		return TransactionChange{}, &AmountTooLowError{Minimum: r.Minimum, Refundable: t.Refundable}
	default:
		return change, nil
	}
}
