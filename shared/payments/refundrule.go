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

// RefundRule limits the refunds of some transactions (contract §6.4: eligibility by country and currency).
type RefundRule struct {
	Country  string         // of the merchant, ISO 3166-1 alpha-2; "": any
	Currency money.Currency // "": any
	Days     int            // days of 24 hours after the payment; 0: no limit
	Minimum  money.Amount   // of one refund; without a currency: one minor unit
}

// RefundRules holds an operator's rules. Every rule that applies counts. Without rules, payments of any age can be
// refunded, in amounts from one minor unit.
type RefundRules []RefundRule

// ParseRefundRules reads rules separated by blanks, each written where:days:minimum:
//
//	BR:90 HUF::100 CL/CLP:180:500 *:365
//
// where is a country, a currency, both, or *. An empty part sets no limit. A minimum needs a currency. The error names
// the first text that is not a rule.
func ParseRefundRules(text string) (RefundRules, error) {
	var rules RefundRules
	for field := range strings.FieldsSeq(text) {
		rule, ok := parseRefundRule(field)
		if !ok {
			return nil, fmt.Errorf("payments: %q is not a rule such as BR:90, HUF::100 or CL/CLP:180:500", field)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// maxRefundDays keeps the sum of a time and the days representable as a time.
const maxRefundDays = 36500

func parseRefundRule(text string) (RefundRule, bool) {
	where, limits, _ := strings.Cut(text, ":")
	days, minimum, hasMinimum := strings.Cut(limits, ":")
	var rule RefundRule
	if !rule.parsePlace(where) || (days == "" && minimum == "") || (hasMinimum && minimum == "") {
		return rule, false
	}
	if days != "" {
		n, err := strconv.ParseUint(days, 10, 16)
		if rule.Days = int(n); err != nil || n == 0 || n > maxRefundDays {
			return rule, false
		}
	}
	if minimum != "" {
		least, err := money.Parse(minimum, rule.Currency)
		if err != nil || rule.Currency == "" || least.Sign() <= 0 {
			return rule, false
		}
		rule.Minimum = least
	}
	return rule, true
}

func (r *RefundRule) parsePlace(where string) bool {
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

// RefundTerms are the limits on refunds of one transaction.
type RefundTerms struct {
	Until   time.Time    // no refund from then on; the zero time: no limit
	Minimum money.Amount // of one refund, or the refundable rest if that is less
}

// Terms returns the limits for a transaction of a merchant in the country: the strictest of all rules that apply.
func (rules RefundRules) Terms(t Transaction, country string) RefundTerms {
	terms := RefundTerms{Minimum: money.Smallest(t.Amount.Currency())}
	for _, r := range rules {
		if (r.Country != "" && r.Country != country) || (r.Currency != "" && r.Currency != t.Amount.Currency()) {
			continue
		}
		if until := t.CreatedAt.AddDate(0, 0, r.Days); r.Days > 0 && (terms.Until.IsZero() || until.Before(terms.Until)) {
			terms.Until = until
		}
		if r.Minimum.Currency() != "" && exceeds(r.Minimum, terms.Minimum) {
			terms.Minimum = r.Minimum
		}
	}
	if t.Refundable.Sign() > 0 && exceeds(terms.Minimum, t.Refundable) {
		terms.Minimum = t.Refundable
	}
	return terms
}

// Expired returns true if the time for refunds is over.
func (r RefundTerms) Expired(now time.Time) bool { return !r.Until.IsZero() && !now.Before(r.Until) }

// AmountTooLowError reports an amount below the minimum of one refund. As a failure it is a Conflict.
type AmountTooLowError struct {
	Minimum, Refundable money.Amount // the least and the most that can be refunded
}

func (e *AmountTooLowError) Error() string {
	return "payments: a refund must be at least " + e.Minimum.String()
}

// Unwrap returns the failure that clients see.
func (e *AmountTooLowError) Unwrap() error { return errAmountTooLow }

var (
	errTooOld       = failure.Conflict("The transaction is too old to be refunded.")
	errAmountTooLow = failure.Conflict("The amount is below the minimum that can be refunded.")
)

// Begin calls BeginRefund under the terms, and adds the Minimum to an AmountTooHighError. It also fails with
// AmountTooLowError, or with Conflict if the transaction is too old.
func (r RefundTerms) Begin(t Transaction, operation string, amount *money.Amount, inReserve bool,
	now time.Time) (TransactionChange, error) {
	change, err := t.BeginRefund(operation, amount, inReserve, now)
	var tooHigh *AmountTooHighError
	switch {
	case errors.As(err, &tooHigh) && !r.Expired(now):
		tooHigh.Minimum = r.Minimum
		return change, tooHigh
	case err != nil && tooHigh == nil:
		return change, err
	case r.Expired(now):
		return TransactionChange{}, errTooOld
	case exceeds(r.Minimum, change.Events[0].Amount):
		return TransactionChange{}, &AmountTooLowError{Minimum: r.Minimum, Refundable: t.Refundable}
	default:
		return change, nil
	}
}
