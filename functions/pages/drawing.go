package pages

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
)

//go:embed pay.js
var payScript string

var payPage = page.New(payScript + page.CopyScript)

// render renders the page. Its Content-Security-Policy allows frames and images of our own host, and requests to it.
// Forms go only to our host, also for a challenge, because start3dsChallenge leads on to the issuer. If the page is
// embedded, any site may frame it.
func render(v view) (page.Page, error) {
	language := page.Preferred(v.AcceptLanguage)
	t := inLanguages.In(language)
	p, err := payPage.In(language).Draw(t.heading(v), payBody(t, v))
	p = p.Showing().Fetching()
	p.CSP = append(p.CSP, "frame-src 'self'")
	if v.Embedded {
		p = p.Framed()
	}
	return p.Posting(), err
}

func (t texts) heading(v view) string {
	if v.State == stateForm {
		return page.Fill(t.title, "{merchant}", v.Merchant)
	}
	return t.stateText(v).title
}

func (t texts) fill(text string, v view) string {
	return page.Fill(text, "{merchant}", v.Merchant, "{amount}", page.Money(v.Amount, t.language),
		"{time}", formatWait(v.RetryAfter))
}

// formatWait formats a waiting time in seconds or minutes, in the same form as pay.js.
func formatWait(d time.Duration) string {
	if d < 2*time.Minute {
		return strconv.Itoa(int(math.Ceil(d.Seconds()))) + " s"
	}
	return strconv.Itoa(int(math.Ceil(d.Minutes()))) + " min"
}

// alertText returns the message at the top of the page, or "".
func (t texts) alertText(v view) string {
	why := v.Alert
	if why == alertFields && !slices.ContainsFunc(v.Methods, methodView.hasFault) {
		why = alertRefused // the page does not have the faulty field
	}
	return t.fill(t.alerts[why], v)
}

// scriptTexts returns the texts that pay.js needs, as data attributes.
func (t texts) scriptTexts(v view) templ.OrderedAttributes {
	var all templ.OrderedAttributes
	for _, a := range []alert{alertDeclined, alertFields, alertAgain, alertTooMany, alertUnavailable, alertRefused} {
		text := page.Fill(t.alerts[a], "{merchant}", v.Merchant)
		all = append(all, templ.KeyValue[string, any]{Key: "data-" + strings.ReplaceAll(string(a), "_", "-"), Value: text})
	}
	for _, named := range [][2]string{{"offline", t.offline}, {"paying", t.paying}, {"moment", t.inTransit}} {
		all = append(all, templ.KeyValue[string, any]{Key: "data-" + named[0], Value: named[1]})
	}
	return all
}

// linkTarget returns the HTML target of links and forms that lead to other pages. If the page is in a merchant's frame,
// they open in the whole window.
func (v view) linkTarget() string {
	if v.Embedded {
		return "_top"
	}
	return ""
}

// buttonNote returns the text below a method's button.
func (t texts) buttonNote(m methodView) string {
	switch {
	case m.Method == payments.CardMethod:
		return t.secure
	case m.Method == payments.Boleto:
		return t.boleto
	case m.Method.Flow() == payments.VoucherFlow:
		return t.pix
	default:
		return page.Fill(t.leads, "{method}", m.Name)
	}
}

// methodName returns the method's name. Only the name of the method card is translated.
func (t texts) methodName(m methodView) string {
	if m.Method == payments.CardMethod {
		return t.card
	}
	return m.Name
}

func (c codeView) isBoleto() bool { return c.Method == payments.Boleto }

// groups returns the code in groups of characters, for display. The copy button copies the code without groups.
func (c codeView) groups() []string {
	if c.isBoleto() {
		return checkout.BoletoGroups(c.Text)
	}
	return []string{c.Text}
}

// deadlineText returns the end of the code's validity in the time of Brasília, because the code is paid in Brazil.
func (t texts) deadlineText(c codeView) string {
	brasilia := time.FixedZone("BRT", -3*60*60)
	layout := t.date
	if !c.isBoleto() {
		layout += ", 15:04"
	}
	return page.Fill(t.until, "{until}", c.Until.In(brasilia).Format(layout))
}

// isHidden returns true if the form does not ask for the field, but fills in its value: the payer of a boleto is always
// in Brazil.
func (m methodView) isHidden(f fieldView) bool {
	return m.Method == payments.Boleto && f.Name == fieldCountry
}

func (m methodView) fieldNamed(name string) fieldView {
	at := slices.IndexFunc(m.Fields, func(f fieldView) bool { return f.Name == name })
	if at < 0 {
		return fieldView{Name: name, Required: true}
	}
	return m.Fields[at]
}

func (t texts) field(m methodView, f fieldView) page.Field {
	said, shape := t.fields[f.Name], shapes[f.Name]
	field := page.Field{Name: f.Name, ID: m.id(f), Label: said.label, Hint: said.hint, Value: f.Value,
		Required: f.Required, Live: true, Missing: said.missing, Wrong: said.wrong, Autocomplete: shape.autocomplete,
		InputMode: shape.mode, Max: shape.most, Type: shape.kind, Placeholder: shape.placeholder, Class: shape.class,
		Note: f.Name == fieldCardNumber, Options: t.options(f)}
	if isCardData(f.Name) {
		field.Value = "" // the page never contains card data
	}
	if f.Name == fieldExpiryYear {
		field.Placeholder = t.yy
	}
	if shape.mode == "numeric" {
		field.Capitals = "none"
	}
	switch f.Fault {
	case faultMissing:
		field.Problem = said.missing
	case faultInvalid:
		field.Problem = said.wrong
	}
	return field
}

type shape struct {
	autocomplete, mode string
	most               int
	kind               string
	placeholder        string
	class              string
}

var shapes = map[string]shape{
	fieldCardNumber:  {autocomplete: "cc-number", mode: "numeric", most: 23, class: "number"},
	fieldExpiryMonth: {autocomplete: "cc-exp-month", mode: "numeric", most: 2, placeholder: "MM", class: "quiet"},
	fieldExpiryYear:  {autocomplete: "cc-exp-year", mode: "numeric", most: 4, class: "quiet"},
	fieldCVV:         {autocomplete: "cc-csc", mode: "numeric", most: 4, placeholder: "123", class: "third"},
	fieldCardName:    {autocomplete: "cc-name", most: 255},
	fieldZipCode:     {autocomplete: "postal-code", mode: "numeric", most: 5, class: "half"},
	fieldFirstName:   {autocomplete: "given-name", most: 255, class: "half"},
	fieldLastName:    {autocomplete: "family-name", most: 255, class: "half"},
	fieldEmail:       {autocomplete: "email", mode: "email", most: 255, kind: "email"},
	fieldTaxID:       {mode: "numeric", most: 14},
	fieldCountry:     {autocomplete: "country"},
	fieldLine1:       {autocomplete: "address-line1", most: 255},
	fieldCity:        {autocomplete: "address-level2", most: 255, class: "half"},
	fieldPostalCode:  {autocomplete: "postal-code", most: 16, class: "half"},
	fieldState:       {autocomplete: "address-level1"},
}

// brazil lists the states of Brazil (ISO 3166-2:BR).
const brazil = "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO"

// maxInstallments is the limit of contract §4.3.
const maxInstallments = 12

// options returns the options of a field with a choice, or nil for any other field.
func (t texts) options(f fieldView) []page.Option {
	switch f.Name {
	case fieldInstallments:
		options := []page.Option{{Value: "1", Label: t.once}}
		for n := 2; n <= maxInstallments; n++ {
			options = append(options, page.Option{Value: strconv.Itoa(n), Label: page.Fill(t.times, "{n}", strconv.Itoa(n))})
		}
		return options
	case fieldState:
		options := []page.Option{{Label: t.choose}}
		for state := range strings.FieldsSeq(brazil) {
			options = append(options, page.Option{Value: state, Label: state})
		}
		return options
	case fieldCountry:
		return t.countries(f.Value)
	default:
		return nil
	}
}

// countries returns the countries that we serve, each named in its own language. It adds the country chosen before, if
// we do not serve that country.
func (t texts) countries(chosen string) []page.Option {
	options, listed := []page.Option{}, chosen == ""
	for _, code := range country.Codes() {
		_, name := country.Names(code)
		options = append(options, page.Option{Value: code, Label: name})
		listed = listed || code == chosen
	}
	if !listed {
		options = append(options, page.Option{Value: chosen, Label: chosen})
	}
	slices.SortFunc(options, func(a, b page.Option) int { return strings.Compare(a.Label, b.Label) })
	return append([]page.Option{{Label: t.choose}}, options...)
}

// brandPrefixes returns the first digits of each brand's card numbers for pay.js, as in "34-34 American Express,…".
func brandPrefixes() string {
	ranges := payments.BrandRanges()
	all := make([]string, len(ranges))
	for i, r := range ranges {
		all[i] = fmt.Sprintf("%s-%s %s", r.From, r.To, payments.BrandName(r.Brand))
	}
	return strings.Join(all, ",")
}
