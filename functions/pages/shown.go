package pages

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// draw draws the page. If the session has just begun, it sets the session's cookie.
func (v visit) draw(shown view) (rest.Document, error) {
	p, err := render(shown)
	d := rest.Document{HTML: p.HTML, CSP: p.CSP}
	if v.begun {
		d.Cookie, d.Forget = v.session.cookie, v.surplus
	}
	return d, err
}

// links returns the links to the page and to the target of its forms.
func (v visit) links() links {
	path, embed := v.path+"/pay/c-"+v.checkout.ID, ""
	if v.embedded {
		embed = "?embed=1"
	}
	return links{Page: path + embed, Action: path + "/attempts" + embed}
}

// redirect sends the browser to the page. If the parameter is not "", it is added to the page's query.
func (v visit) redirect(parameter string) rest.Document {
	target := v.views.PageURL(v.checkout.ID)
	_, query, _ := strings.Cut(v.links().Page, "?")
	if query = strings.Trim(query+"&"+parameter, "&"); query != "" {
		target += "?" + query
	}
	return rest.Document{Redirect: target}
}

// linkWith returns a link to the page with a parameter.
func (v visit) linkWith(parameter string) string {
	if v.embedded {
		return v.links().Page + "&" + parameter
	}
	return v.links().Page + "?" + parameter
}

// view returns the page in a state. If the browser may not see the checkout, the page shows nothing of the checkout.
func (v visit) view(s state) view {
	c := v.checkout
	shown := view{State: s, AcceptLanguage: v.acceptLanguage, Mode: v.tenant.Mode, Embedded: v.embedded,
		Links: links{Page: v.links().Page}}
	if s == stateSessionExpired {
		if payable, _ := v.checkPayable(); payable {
			shown.Links.Restart = v.linkWith("restart=1")
		}
	}
	if s == stateSessionExpired || s == stateEnded {
		return shown
	}
	shown.Merchant, shown.Description, shown.Amount = c.Payee.Name, c.Description, c.Amount
	shown.Setup = c.Purpose == payments.PurposeSetupRecurring
	if c.RedirectURL != "" && (s == statePaid || s == stateExpired) {
		shown.Links.Return, _ = page.ReturnURL(c.RedirectURL, c.ID) // the URL was checked when the checkout was created
	}
	if c.RequiresAction() {
		shown.Links.Change = v.linkWith("change=1")
	}
	return shown
}

// readMerchant reads the payee. Failure: Forbidden, if the payee may not take payments online.
func (v visit) readMerchant(ctx context.Context) (merchant.Merchant, error) {
	m, err := v.store.Merchant(ctx, v.tenant.Merchant)
	if err == nil && !m.OnlinePayments {
		err = errNotAllowed
	}
	return m, err
}

var errNotAllowed = failure.Forbidden("checkout_payments_not_allowed").
	Because("The merchant may not take payments online.")

type entered struct {
	method payments.Method
	values map[string]string // by name of the field
	faults failure.List
}

func (v visit) viewForm(m merchant.Merchant, e entered) view {
	shown := v.view(stateForm)
	shown.Links.Change = ""
	shown.Links.Action = v.links().Action
	shown.CSRF, shown.AttemptKey = v.session.csrf(v.checkout), uuid.NewString()
	for _, method := range v.methods(m) {
		shown.Methods = append(shown.Methods, methodView{Method: method, Name: method.Name(),
			Fields: v.fields(m, method, e)})
	}
	open := slices.IndexFunc(shown.Methods, func(m methodView) bool { return m.Method == v.chosenMethod(e) })
	shown.Methods[max(open, 0)].Open = true
	return shown
}

// chosenMethod returns the method that the payer used or, if there is none, the merchant's choice.
func (v visit) chosenMethod(e entered) payments.Method {
	switch {
	case e.method != "":
		return e.method
	case v.ownsAttempt():
		return v.checkout.Attempt.Method
	default:
		return v.checkout.PaymentType
	}
}

// methods returns the merchant's methods except Google Pay, which needs a script from another host. For a checkout with
// purpose SETUP_RECURRING_PAYMENT it returns only cards, because only cards can be saved.
func (v visit) methods(m merchant.Merchant) []payments.Method {
	if v.checkout.Purpose == payments.PurposeSetupRecurring {
		return []payments.Method{payments.CardMethod}
	}
	return slices.DeleteFunc(payments.MethodsOf(m), func(method payments.Method) bool { return !isOffered(method) })
}

func isOffered(m payments.Method) bool { return m != payments.GooglePay }

// fields returns the fields that the method needs. These are the card's fields, or the payer's details that the
// checkout lacks.
func (v visit) fields(m merchant.Merchant, method payments.Method, e entered) []fieldView {
	var names []string
	if method == payments.CardMethod {
		names = []string{fieldCardNumber, fieldExpiryMonth, fieldExpiryYear, fieldCVV, fieldCardName}
		if m.Country == "US" {
			names = append(names, fieldZipCode)
		}
		if m.Country == "BR" && !v.checkout.Amount.IsZero() {
			names = append(names, fieldInstallments)
		}
	} else {
		names = v.missingDetails(method)
	}
	fields := make([]fieldView, len(names))
	for i, name := range names {
		fields[i] = fieldView{Name: name, Required: name != fieldInstallments}
		if e.method == method {
			fields[i].enter(e)
		}
	}
	return fields
}

// missingDetails returns the fields of the payer's details that the method needs, but the checkout lacks.
func (v visit) missingDetails(method payments.Method) []string {
	known := payments.PersonalDetails{}
	if v.checkout.Payer != nil {
		known = *v.checkout.Payer
	}
	var names []string
	for _, fault := range method.CheckPayer(&known) {
		names = append(names, fault.Param)
	}
	return names
}

func (f *fieldView) enter(e entered) {
	if !isCardData(f.Name) {
		f.Value = e.values[f.Name]
	}
	if at := slices.IndexFunc(e.faults, func(fault *failure.Error) bool { return fault.Param == f.Name }); at >= 0 {
		f.Fault = faultCode(e.faults[at].Code)
	}
}

// viewNext returns the page with the payer's next step. In test mode the issuer's page is our own, and the page frames
// it. The pages of other issuers are not framed. A payer who comes back from such a page undecided is not sent there
// again: the payer decides.
func (v visit) viewNext(step *processing.Step) view {
	seen := checkout.NewNextStep(step, "")
	if step.Redirect {
		shown := v.view(stateRedirect)
		shown.Next, shown.Forward = &nextView{URL: seen.Full}, v.from == fromForm
		return shown
	}
	shown := v.view(stateChallenge)
	shown.Forward = v.from != fromBank
	shown.Next = &nextView{URL: seen.URL, Framed: v.tenant.Mode == identity.Test}
	for _, name := range slices.Sorted(maps.Keys(seen.Payload)) {
		shown.Next.Fields = append(shown.Next.Fields, pair{name, seen.Payload[name]})
	}
	return shown
}

func (v visit) viewCode() view {
	shown, a := v.view(stateCode), *v.checkout.Attempt
	seen := v.views.ForPayer(v.checkout)
	shown.Code = &codeView{Method: a.Method, Text: a.Code.Text, Until: a.Code.Until,
		Image: v.views.ArtefactURL(v.processing.SessionToken(a), checkout.ImageForm)}
	if seen.Boleto != nil {
		shown.Code.Print = seen.Boleto.URL
	}
	return shown
}
