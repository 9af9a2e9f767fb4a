package sandbox

import "github.com/cashwrap/cashwrap/shared/payments"

// scenario names the course of payments with a card (contract §12).
type scenario string

// The scenarios.
const (
	frictionless     scenario = "frictionless"      // authenticated without asking the payer
	challenged       scenario = "challenged"        // the issuer asks the payer, unless the charge is unattended
	technicalFailure scenario = "technical_failure" // the authentication fails with an error
	notEnrolled      scenario = "not_enrolled"      // the card is not in the 3DS programme
	notParticipating scenario = "not_participating" // the card's issuer is not in the programme
	forgotten        scenario = "forgotten"         // the card was stored, and has been deleted
)

// scenarioOf returns the scenario of a card number. A number that contract §12 does not list is frictionless.
func scenarioOf(number string) scenario {
	if p, ok := testCards[number]; ok {
		return p
	}
	return frictionless
}

// Summary keeps the expiry only of published test numbers (contract §12), because any other number might be a real
// card.
func (a *Acquirer) Summary(c *payments.Card) payments.CardSummary {
	if _, listed := testCards[c.Number.Reveal()]; listed {
		return c.Summary()
	}
	return c.Summary().WithoutExpiry()
}

// testCards is the table of published test numbers in contract §12.
var testCards = func() map[string]scenario {
	cards := map[string]scenario{
		"374500262001008": frictionless, "343434343434343": challenged,
		"4012001037461114": technicalFailure, "5434580000000006": technicalFailure,
		"4012001037141112": notEnrolled, "5457350076543210": notEnrolled,
		"4532497088771651": notParticipating, "5497260847316287": notParticipating,
	}
	const visa, mastercard = "4200000000000", "5200000000000"
	for _, series := range []struct {
		prefix   string
		endings  []string
		scenario scenario
	}{
		{visa, []string{"091", "109", "026", "059"}, frictionless},
		{mastercard, []string{"007", "023", "056", "106"}, frictionless},
		{visa, []string{"042", "067", "018", "075"}, challenged},
		{mastercard, []string{"015", "049", "064", "072"}, challenged},
	} {
		for _, ending := range series.endings {
			cards[series.prefix+ending] = series.scenario
		}
	}
	return cards
}()

// Amounts that decide the outcome of a charge (contract §12) or of a refund, in minor units of any currency.
const (
	notTakenAmount = 4224 // answered with 424: certainly not taken
	unknownAmount  = 4225 // taken, but the answer is lost
)

// Return codes, ISO 8583:1987 field 39.
const (
	codeApproved           = "00"
	codeDoNotHonour        = "05"
	codeError              = "06"
	codeInvalidTransaction = "12"
	codeInvalidAmount      = "13"
	codeInvalidCard        = "14"
	codeCustomerCancelled  = "17"
	codeNoRecord           = "25"
	codeStolenCard         = "43"
	codeInsufficientFunds  = "51"
	codeNotPermitted       = "57"
	codeAmountLimit        = "61"
	codeSecurityViolation  = "63"
	codeIssuerUnavailable  = "91"
	codeNoRoute            = "92"
	codeMalfunction        = "96"
)

// declinedAmounts maps the amounts that are declined with every card (contract §12) to their return codes.
var declinedAmounts = map[int64]string{
	1100: codeInsufficientFunds,
	4201: codeDoNotHonour,
	4243: codeStolenCard,
	4276: codeAmountLimit,
	4291: codeIssuerUnavailable,
}

// declinedRefunds maps the amounts of declined refunds to their return codes. It does not have 11.00, the amount of
// insufficient funds, because a refund of 11.00 is not declined.
var declinedRefunds = map[int64]string{
	4201: codeDoNotHonour,
	4276: codeAmountLimit,
	4291: codeIssuerUnavailable,
}

// declinedScenarios maps the scenarios that are declined at every amount to their return codes.
var declinedScenarios = map[scenario]string{
	technicalFailure: codeMalfunction,
	notEnrolled:      codeNotPermitted,
	notParticipating: codeNoRoute,
	forgotten:        codeInvalidCard,
}
