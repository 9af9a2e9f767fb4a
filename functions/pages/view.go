package pages

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type state string

// The states. All but stateForm, stateEnded and stateSessionExpired are only for the browser of the latest attempt.
const (
	stateForm           state = "form"            // the methods; Alert says why an attempt failed
	stateChallenge      state = "challenge"       // 3DS: Next becomes a form, in a frame if Next.Framed
	stateRedirect       state = "redirect"        // a link to the method's page, which the payer may have visited: Next
	stateCode           state = "code"            // a boleto or Pix code: Code
	stateProcessing     state = "processing"      // the acquirer has not answered yet
	statePaid           state = "paid"            // the payment is complete
	stateEnded          state = "ended"           // ended, or being paid in another browser: shows nothing else
	stateSessionExpired state = "session_expired" // 30 minutes are over: Links.Restart begins another session
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
	alertRefused     alert = "refused"     // the merchant takes no payments, or none of this kind
)

// view holds the content of a payment page. In stateEnded and stateSessionExpired it has nothing of the checkout.
type view struct {
	State          state
	AcceptLanguage string // of the request; chooses the page's language
	Mode           identity.Mode
	Embedded       bool // in the frame of a merchant's page (?embed=1)

	Merchant    string
	Description string // may be empty
	Amount      money.Amount
	Setup       bool // SETUP_RECURRING_PAYMENT: the payer consents to saving the card for later payments

	Alert      alert
	RetryAfter time.Duration // with alertTooMany
	Methods    []methodView  // in stateForm, at least one
	Next       *nextView     // in stateChallenge and stateRedirect
	Code       *codeView     // in stateCode
	Forward    bool          // in statePaid and stateRedirect: the script goes at once to Links.Return or Next.URL

	CSRF       string // hidden field csrf_token, and its member in JSON
	AttemptKey string // hidden field attempt_key, likewise; each page has a new one
	Links      links
}

// links are local paths, except Return. "" means that the page has no such link.
type links struct {
	Action  string // target of the forms
	Page    string // reloads this page
	Restart string // begins a new session
	Change  string // to stateForm, to choose another method or card; this abandons the waiting attempt
	Return  string // the merchant's redirect_url with checkout_id
}

// methodView is a payment method with its form.
type methodView struct {
	Method payments.Method
	Name   string // as people know it
	Open   bool   // the method chosen before, else the checkout's payment_type, else the first
	Fields []fieldView
}

// fieldView is a field of a form, named by its JSON path in processCheckout's body, such as card.expiry_month.
type fieldView struct {
	Name     string
	Value    string // as entered; always empty for card data
	Required bool
	Fault    faultCode // selects the message, together with the name
}

// id returns the id of the field's element. Methods have their own forms, so the id starts with the method.
func (m methodView) id(f fieldView) string { return string(m.Method) + "-" + f.Name }

func (m methodView) hasFault() bool {
	return slices.ContainsFunc(m.Fields, func(f fieldView) bool { return f.Fault != faultNone })
}

type faultCode string

// The codes have the values of error_code.
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
	fieldZipCode      = "card.zip_code" // merchants in the USA
	fieldInstallments = "installments"  // merchants in Brazil, 1 to 12, as a choice
	fieldFirstName    = "personal_details.first_name"
	fieldLastName     = "personal_details.last_name"
	fieldEmail        = "personal_details.email"
	fieldTaxID        = "personal_details.tax_id" // a CPF
	fieldCountry      = "personal_details.address.country"
	fieldLine1        = "personal_details.address.line_1"
	fieldCity         = "personal_details.address.city"
	fieldPostalCode   = "personal_details.address.postal_code"
	fieldState        = "personal_details.address.state" // of Brazil, as a choice
)

// nextView leads the browser on: by a form to the issuer (stateChallenge), by a link to a method (stateRedirect).
type nextView struct {
	URL    string // in stateRedirect with the query that the method needs
	Fields []pair // of the form, in order
	Framed bool   // in a frame of the page (test mode); otherwise the form leaves the page
}

type pair struct{ Name, Value string }

// codeView is a payment code that the payer takes to a bank.
type codeView struct {
	Method payments.Method
	Image  string    // URL of the barcode (boleto, 810 × 100 px) or QR code (320 × 320 px)
	Text   string    // to copy
	Print  string    // URL of a boleto's page; "" for Pix
	Until  time.Time // last time to pay
}
