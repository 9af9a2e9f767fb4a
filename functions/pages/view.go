package pages

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type state string

// The states. All but stateForm, stateEnded and stateSessionExpired are only for the latest attempt's browser.
const (
	stateForm           state = "form"            // the methods; Alert says why an attempt has failed
	stateChallenge      state = "challenge"       // 3DS: Next is drawn as a form, in a frame if Next.Framed
	stateRedirect       state = "redirect"        // the payer goes on, or has gone, to the method's page: Next
	stateCode           state = "code"            // a boleto or Pix code: Code
	stateProcessing     state = "processing"      // the acquirer has given no answer yet
	statePaid           state = "paid"            // the payment is complete
	stateEnded          state = "ended"           // it has ended, or another browser is paying: nothing else is shown
	stateSessionExpired state = "session_expired" // 30 minutes are over: Links.Restart begins another session
	stateExpired        state = "expired"         // the attempt has ended, and the checkout can no longer be paid
)

// looks reports whether the page loads itself again every 5 s, to see whether the state has changed.
func (s state) looks() bool { return s == stateCode || s == stateProcessing || s == stateRedirect }

// alert says above the form why there is a form again.
type alert string

const (
	alertNone        alert = ""
	alertDeclined    alert = "declined"    // declined, or failed in a challenge or at a method's page: nothing was charged
	alertFields      alert = "fields"      // some fields are missing or invalid: their Faults say which
	alertAgain       alert = "again"       // the form was not ours, or is too old: nothing was charged
	alertTooMany     alert = "too_many"    // too many attempts: RetryAfter says when the next one may begin
	alertUnavailable alert = "unavailable" // the acquirer took nothing: nothing was charged, try again
	alertRefused     alert = "refused"     // the merchant takes no payments, or not such ones
)

// view is all that a payment page shows. In stateEnded and stateSessionExpired it has nothing of the checkout.
type view struct {
	State          state
	AcceptLanguage string // of the request, by which the page's language is chosen
	Mode           identity.Mode
	Embedded       bool // in the frame of a merchant's page (?embed=1)

	Merchant    string
	Description string // may be empty
	Amount      money.Amount
	Setup       bool // SETUP_RECURRING_PAYMENT: the card is saved for later payments, to which the payer consents

	Alert      alert
	RetryAfter time.Duration // with alertTooMany
	Methods    []methodView  // in stateForm, at least one
	Next       *nextView     // in stateChallenge and stateRedirect
	Code       *codeView     // in stateCode
	Forward    bool          // in statePaid and stateRedirect: the script goes on at once, to Links.Return or Next.URL

	CSRF       string // hidden field csrf_token, and the member of that name in JSON
	AttemptKey string // hidden field attempt_key, likewise: one for each page
	Links      links
}

// links are local paths, but for Return. "" is a link that there is not.
type links struct {
	Action  string // what the forms post to
	Page    string // this page, as it is loaded again
	Restart string // begins a new session
	Change  string // to stateForm, to pay in another way or with another card; the waiting attempt is then given up
	Return  string // the merchant's redirect_url with checkout_id
}

// methodView is a way to pay, with a form of its own.
type methodView struct {
	Method payments.Method
	Name   string // as people know it
	Open   bool   // it was chosen before, or is the checkout's payment_type, or the first
	Fields []fieldView
}

// fieldView is a field of a form, named by its JSON path in processCheckout's body, such as card.expiry_month.
type fieldView struct {
	Name     string
	Value    string // as it was entered; never of card data
	Required bool
	Fault    faultCode // what the page says of it follows from this and the name
}

// id of the field's element: unique in the page, because every method has a form of its own.
func (m methodView) id(f fieldView) string { return string(m.Method) + "-" + f.Name }

func (m methodView) faulty() bool {
	return slices.ContainsFunc(m.Fields, func(f fieldView) bool { return f.Fault != faultNone })
}

type faultCode string

// The codes, as error_code has them.
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
	fieldInstallments = "installments"  // merchants in Brazil, 1 to 12; the page offers a choice
	fieldFirstName    = "personal_details.first_name"
	fieldLastName     = "personal_details.last_name"
	fieldEmail        = "personal_details.email"
	fieldTaxID        = "personal_details.tax_id" // a CPF
	fieldCountry      = "personal_details.address.country"
	fieldLine1        = "personal_details.address.line_1"
	fieldCity         = "personal_details.address.city"
	fieldPostalCode   = "personal_details.address.postal_code"
	fieldState        = "personal_details.address.state" // of Brazil, a choice
)

// nextView leads the browser on: by a form to the issuer (stateChallenge), by a link to a method (stateRedirect).
type nextView struct {
	URL    string // in stateRedirect with the query that the method needs
	Fields []pair // of the form, in order
	Framed bool   // in a frame of the page (test mode), else the form leads away from it
}

type pair struct{ Name, Value string }

// codeView is what a payer takes to a bank.
type codeView struct {
	Method payments.Method
	Image  string    // URL of the barcode (boleto, 810 × 100 px) or QR code (320 × 320 px)
	Text   string    // to copy
	Print  string    // URL of a boleto's page; "" for Pix
	Until  time.Time // when it can no longer be paid
}
