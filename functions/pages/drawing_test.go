package pages

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/page/pagetest"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func fieldsOf(names ...string) []fieldView {
	fields := make([]fieldView, len(names))
	for i, name := range names {
		fields[i] = fieldView{Name: name, Required: true}
	}
	return fields
}

// viewIn returns a page in the state, for a payment of 1234.50 EUR. It offers cards and many other methods.
func viewIn(s state) view {
	payer := fieldsOf(fieldFirstName, fieldLastName, fieldEmail, fieldCountry)
	v := view{State: s, Mode: identity.Test, Merchant: "Caffè Roma", Description: "Two espressi",
		Amount: money.MustParse("1234.50", "EUR"), CSRF: "token", AttemptKey: "key",
		Links: links{Action: "/pay/c-1/attempts", Page: "/pay/c-1"}}
	v.Methods = []methodView{{Method: payments.CardMethod, Name: "Card", Open: true,
		Fields: fieldsOf(fieldCardNumber, fieldExpiryMonth, fieldExpiryYear, fieldCVV, fieldCardName, fieldZipCode,
			fieldInstallments)}}
	for _, m := range []payments.Method{payments.IDEAL, payments.Bancontact, payments.EPS, payments.MyBank,
		payments.Satispay} {
		v.Methods = append(v.Methods, methodView{Method: m, Name: m.Name(), Fields: payer})
	}
	v.Methods = append(v.Methods, methodView{Method: payments.Pix, Name: "Pix"},
		methodView{Method: payments.PayPal, Name: "PayPal"},
		methodView{Method: payments.Boleto, Name: "Boleto", Fields: append(slices.Clone(payer), fieldsOf(fieldTaxID,
			fieldLine1, fieldCity, fieldPostalCode, fieldState)...)})
	return v
}

var allStates = []state{stateForm, stateChallenge, stateRedirect, stateCode, stateProcessing, statePaid, stateEnded,
	stateSessionExpired, stateExpired}

// complete returns viewIn with every detail that the state can show.
func complete(s state) view {
	v := viewIn(s)
	v.Next = &nextView{URL: "https://issuer.example/3ds", Fields: []pair{{"PaReq", "request"}}}
	v.Code = &codeView{Method: payments.Boleto, Image: "/image", Text: "0019", Print: "/boleto",
		Until: time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC)}
	v.Links.Change, v.Links.Return, v.Links.Restart = "/change", "https://shop.example/?checkout_id=1", "/restart"
	return v
}

func renderHTML(t *testing.T, v view) string {
	t.Helper()
	p, err := render(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(p.HTML)
}

// TestRender_Size limits the size of the page, which includes style and script. The page shows every detail that its
// state can show, and all methods of viewIn except boleto. A separate limit applies to the script.
func TestRender_Size(t *testing.T) {
	t.Parallel()
	const most = 60_000
	for _, language := range []string{"en", "de", "pt"} {
		for _, s := range allStates {
			v := complete(s)
			v.AcceptLanguage, v.Methods = language, v.Methods[:len(v.Methods)-1] // no merchant has both boleto and iDEAL
			if size := len(renderHTML(t, v)); size > most {
				t.Errorf("%s in %s: got %d bytes, want at most %d", s, language, size, most)
			}
		}
	}
	if size := len(payScript); size > 12_000 {
		t.Errorf("got a script of %d bytes, want at most 12000", size)
	}
}

// TestRender_EscapesTexts checks that texts of every source are escaped, in each state.
func TestRender_EscapesTexts(t *testing.T) {
	t.Parallel()
	for s, places := range map[state]int{stateForm: 67, stateChallenge: 10, stateRedirect: 9, stateCode: 12,
		stateProcessing: 8, statePaid: 8, stateEnded: 7, stateSessionExpired: 7, stateExpired: 8} {
		err := pagetest.Check(places, func(text string) (string, error) {
			v := complete(s)
			v.Merchant, v.Description, v.CSRF, v.AttemptKey = text, text, text, text
			v.Next = &nextView{URL: "/" + text, Fields: []pair{{text, text}}}
			v.Code.Image, v.Code.Text, v.Code.Print = "/"+text, text, "/"+text
			v.Links = links{Action: "/" + text, Page: "/" + text, Restart: "/" + text, Change: "/" + text, Return: "/" + text}
			for m := range v.Methods {
				v.Methods[m].Fields = slices.Clone(v.Methods[m].Fields)
				for f := range v.Methods[m].Fields {
					v.Methods[m].Fields[f].Value = text
				}
			}
			p, err := render(v)
			return string(p.HTML), err
		})
		if err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// TestRender_ScriptURLs checks that no link or image of the page has a script as its address, even if a merchant's
// redirect_url or the acquirer has one.
func TestRender_ScriptURLs(t *testing.T) {
	t.Parallel()
	for _, address := range pagetest.Scripts {
		for _, s := range []state{statePaid, stateRedirect, stateCode} {
			v := complete(s)
			v.Links.Return, v.Next.URL, v.Code.Image, v.Code.Print = address, address, address, address
			if got := renderHTML(t, v); strings.Contains(got, `="`+address) || !strings.Contains(got, "about:invalid") {
				t.Errorf("%s, %q: got %s, want about:invalid", s, address, got)
			}
		}
	}
}

func TestRender_Policy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state    state
		next     nextView
		embedded bool
		want     []string
	}{
		"form":     {stateForm, nextView{}, false, []string{"form-action 'self'"}},
		"embedded": {stateForm, nextView{}, true, []string{"frame-ancestors *", "form-action 'self'"}},
		"framed": {stateChallenge, nextView{URL: "https://pay.example/3ds", Framed: true}, false,
			[]string{"form-action 'self'"}},
		"live": {stateChallenge, nextView{URL: "https://pay.example/3ds/start"}, false, []string{"form-action 'self'"}},
	} {
		v := viewIn(c.state)
		v.Next, v.Embedded = &c.next, c.embedded
		p, err := render(v)
		if err != nil || len(p.CSP) < 3 {
			t.Fatalf("%s: got policy %q, error %v", name, p.CSP, err)
		}
		want := append([]string{"img-src data: 'self'", "connect-src 'self'", "frame-src 'self'"}, c.want...)
		if diff := cmp.Diff(want, append(p.CSP[:1:1], p.CSP[3:]...)); diff != "" {
			t.Errorf("%s: the policy without style and script (-want +got):\n%s", name, diff)
		}
	}
}

// TestRender_EachStateAndLanguage checks that the page describes its state, and that no placeholder is left in its
// texts.
func TestRender_EachStateAndLanguage(t *testing.T) {
	t.Parallel()
	for _, l := range page.Languages {
		texts := inLanguages.In(l)
		for _, s := range allStates {
			v := complete(s)
			v.AcceptLanguage = string(l)
			got := renderHTML(t, v)
			for _, want := range []string{`<html lang="` + string(l) + `">`, `data-state="` + string(s) + `"`, texts.testMode} {
				if !strings.Contains(got, want) {
					t.Errorf("%s, %s: got %s, want %s in it", l, s, got, want)
				}
			}
			body := got[strings.Index(got, "<section"):strings.LastIndex(got, "<script>")]
			for _, placeholder := range []string{"{merchant}", "{amount}", "{method}", "{until}", "{n}", "{time}"} {
				if strings.Contains(body, placeholder) {
					t.Errorf("%s, %s: got %s in the page", l, s, placeholder)
				}
			}
		}
	}
}

// TestTexts_Complete checks that each language has all texts that English has.
func TestTexts_Complete(t *testing.T) {
	t.Parallel()
	for _, l := range page.Languages {
		if empty := pagetest.Empty(inLanguages.In(l)); len(empty) > 0 {
			t.Errorf("%s: got no text for %v", l, empty)
		}
	}
}

// TestRender_Faults checks the messages above the form and under each field.
func TestRender_Faults(t *testing.T) {
	t.Parallel()
	v := viewIn(stateForm)
	v.Alert, v.RetryAfter = alertTooMany, 61*time.Second
	v.Methods[0].Open = false
	v.Methods[1].Fields = slices.Clone(v.Methods[1].Fields)
	v.Methods[1].Fields[2].Fault, v.Methods[1].Fields[2].Value = faultInvalid, "ada"
	v.Methods[1].Fields[3].Fault = faultMissing
	got := renderHTML(t, v)
	for _, want := range []string{
		`role="alert" tabindex="-1">Too many attempts. Nothing was charged. Please try again in 61 s.</p>`,
		`<details name="method" data-method="card"><summary>Card`,
		`<details name="method" open data-method="ideal"><summary>iDEAL`,
		`<p class="error" id="ideal-personal_details.email-problem">This is not a valid e-mail address.</p>`,
		`<p class="error" id="ideal-personal_details.address.country-problem">Choose your country.</p>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
	if n := strings.Count(got, `aria-invalid="true"`); n != 2 {
		t.Errorf("got %d fields marked as invalid, want 2", n)
	}
}

func TestFormatWait(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "0 s", 1500 * time.Millisecond: "2 s", 119 * time.Second: "119 s",
		2 * time.Minute: "2 min", 121 * time.Second: "3 min"} {
		if got := formatWait(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}

// TestCountries_ChosenBefore checks that the chosen country is offered even if we serve no merchants there.
func TestCountries_ChosenBefore(t *testing.T) {
	t.Parallel()
	count := len(inEnglish.countries(""))
	for chosen, want := range map[string]int{"": count, "DE": count, "JP": count + 1} {
		options := inEnglish.countries(chosen)
		if len(options) != want || !slices.ContainsFunc(options, func(o page.Option) bool { return o.Value == chosen }) {
			t.Errorf("%q: got %v, want %d with it", chosen, options, want)
		}
	}
}

// TestRender_OtherBrowser checks that a browser sees nothing of a payment that was made in another browser.
func TestRender_OtherBrowser(t *testing.T) {
	t.Parallel()
	got := renderHTML(t, view{State: stateEnded, Mode: identity.Test})
	for _, part := range []string{`class="what"`, `class="amount"`, "<form", "<a "} {
		if strings.Contains(got, part) {
			t.Errorf("got %s, want no %s", got, part)
		}
	}
}
