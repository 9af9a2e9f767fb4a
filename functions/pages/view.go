package pages

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type state string

// These are the states. Only the browser that began the latest attempt sees them, except stateForm, stateEnded and
// stateSessionExpired.
const (
	stateForm           state = "form"            // shows the methods; after a failed attempt, Alert has the reason
	stateChallenge      state = "challenge"       // 3DS: the form in Next leads to the issuer, by a page of ours
	stateRedirect       state = "redirect"        // Next links to the method's page; the payer may have visited it
	stateCode           state = "code"            // Code is a boleto or Pix code to pay
	stateProcessing     state = "processing"      // the acquirer has not answered yet
	statePaid           state = "paid"            // the payment is complete
	stateEnded          state = "ended"           // payment ended, or runs in another browser; shows no details
	stateSessionExpired state = "session_expired" // after 30 minutes: Links.Restart begins another session
	stateExpired        state = "expired"         // the attempt has ended, and the checkout can no longer be paid
)

// reloads returns true if the page reloads every 5 s to find a new state.
func (s state) reloads() bool { return s == stateCode || s == stateProcessing || s == stateRedirect }

// alert is the message above the form after a failed attempt.
type alert string

const (
	alertNone        alert = ""
	alertDeclined    alert = "declined"    // declined, or failed in a challenge or at a method's page: nothing was charged
	alertFields      alert = "fields"      // some fields are missing or invalid, see their Faults
	alertAgain       alert = "again"       // the form was not ours, or is too old: nothing was charged
	alertTooMany     alert = "too_many"    // too many attempts: the next may begin after RetryAfter
	alertUnavailable alert = "unavailable" // the acquirer accepted nothing: nothing was charged, try again
	alertRefused     alert = "refused"     // the merchant takes no payments, or no payments of this kind
)

// view holds the content of a payment page. In stateEnded and stateSessionExpired it has no data of the checkout.
type view struct {
	State          state
	AcceptLanguage string // the request's header, which chooses the page's language
	Mode           identity.Mode
	Embedded       bool // the page is in a frame of a merchant's page (?embed=1)

	Merchant    string
	Description string // may be empty
	Amount      money.Amount
	Setup       bool // SETUP_RECURRING_PAYMENT: the payer consents to saving the card for later payments

	Alert      alert
	RetryAfter time.Duration // set with alertTooMany
	Methods    []methodView  // set in stateForm, with at least one method
	Next       *nextView     // set in stateChallenge and stateRedirect
	Code       *codeView     // set in stateCode
	Forward    bool          // the script goes on at once: in statePaid to Links.Return, else to Next

	CSRF       string // for the hidden field csrf_token, and for that member in JSON
	AttemptKey string // likewise for attempt_key; each page has a new key
	Links      links
}

// links holds local paths, except for Return. A link is "" if the page does not have it.
type links struct {
	Action  string // target of the forms
	Page    string // reloads this page
	Restart string // begins a new session
	Change  string // leads to stateForm for another method or card, and abandons the waiting attempt
	Return  string // the merchant's redirect_url with checkout_id
}

// methodView is a payment method with its form.
type methodView struct {
	Method payments.Method
	Name   string // the name that payers know
	Open   bool   // the payer's choice; else the checkout's payment_type; else the first method
	Fields []fieldView
}

// fieldView is a field of a form. Its name is its JSON path in processCheckout's body, such as card.expiry_month.
type fieldView struct {
	Name     string
	Value    string // as entered; always empty for card data
	Required bool
	Fault    faultCode // selects the message, together with the field's name
}

// id returns the id of the field's HTML element. It starts with the method, because each method has a form with its own
// fields.
func (m methodView) id(f fieldView) string { return string(m.Method) + "-" + f.Name }

func (m methodView) hasFault() bool {
	return slices.ContainsFunc(m.Fields, func(f fieldView) bool { return f.Fault != faultNone })
}

type faultCode string

// The values are those of error_code in the contract.
const (
	faultNone    faultCode = ""
	faultMissing faultCode = "MISSING"
	faultInvalid faultCode = "INVALID"
)

const (
	fieldCardName     = "card.name"
	fieldCardNumber   = "card.number"
	fieldExpiryMonth  = "card.expiry_month"
	fieldExpiryYear   = "card.expiry_year"
	fieldCVV          = "card.cvv"
	fieldZipCode      = "card.zip_code" // only merchants in the USA ask for it
	fieldInstallments = "installments"  // a choice from 1 to 12, only for merchants in Brazil
	fieldFirstName    = "personal_details.first_name"
	fieldLastName     = "personal_details.last_name"
	fieldEmail        = "personal_details.email"
	fieldTaxID        = "personal_details.tax_id" // a CPF
	fieldCountry      = "personal_details.address.country"
	fieldLine1        = "personal_details.address.line_1"
	fieldCity         = "personal_details.address.city"
	fieldPostalCode   = "personal_details.address.postal_code"
	fieldState        = "personal_details.address.state" // a choice of the states of Brazil
)

// nextView leads the browser to the payer's next step. In stateChallenge it is a form to our page of the challenge, and
// in stateRedirect a link to the method's page.
type nextView struct {
	URL    string // in stateRedirect, it includes the query that the method needs
	Fields []pair // fields of the form, in order
	Framed bool   // true in test mode: the form opens in a frame of the page, else outside
}

type pair struct{ Name, Value string }

// codeView is a payment code that the payer takes to a bank.
type codeView struct {
	Method payments.Method
	Image  string    // URL of the barcode (boleto, 810 × 100 px) or QR code (320 × 320 px)
	Text   string    // text to copy
	Print  string    // URL of a boleto's page to print; "" for Pix
	Until  time.Time // last time at which the code can be paid
}
