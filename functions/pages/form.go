package pages

import (
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// attemptForm is processCheckout's body as a form sends it: each field has the name of its path in
// JSON. Empty fields are absent.
type attemptForm struct {
	FormMethod       payments.Method `form:"payment_type"`
	FormCardName     string          `form:"card.name"`
	FormCardNumber   secret.Text     `form:"card.number"`
	FormExpiryMonth  string          `form:"card.expiry_month"`
	FormExpiryYear   string          `form:"card.expiry_year"`
	FormCVV          secret.Text     `form:"card.cvv"`
	FormZipCode      string          `form:"card.zip_code"`
	FormInstallments string          `form:"installments"`
	FormFirstName    string          `form:"personal_details.first_name"`
	FormLastName     string          `form:"personal_details.last_name"`
	FormEmail        string          `form:"personal_details.email"`
	FormTaxID        string          `form:"personal_details.tax_id"`
	FormCountry      string          `form:"personal_details.address.country"`
	FormLine1        string          `form:"personal_details.address.line_1"`
	FormLine2        string          `form:"personal_details.address.line_2"`
	FormCity         string          `form:"personal_details.address.city"`
	FormPostalCode   string          `form:"personal_details.address.postal_code"`
	FormState        string          `form:"personal_details.address.state"`
}

// cardData reports whether the field is of a card: no page ever shows that again.
func cardData(field string) bool { return strings.HasPrefix(field, "card.") }

// payment is what the form asks for, with what only the form can show to be wrong.
func (f attemptForm) payment() (checkout.Payment, failure.List) {
	p := checkout.Payment{PaymentType: f.FormMethod, Payer: f.payer()}
	if f.FormMethod == payments.CardMethod {
		p.Card = f.card()
	}
	if text := strings.TrimSpace(f.FormInstallments); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return p, failure.List{failure.Invalid(fieldInstallments, "must be an integer")}
		}
		p.Installments = &n
	}
	return p, nil
}

// card as people write it: the number in groups, the month perhaps without its zero.
func (f attemptForm) card() *payments.Card {
	number := strings.NewReplacer(" ", "", "-", "").Replace(f.FormCardNumber.Reveal())
	month := strings.TrimSpace(f.FormExpiryMonth)
	if len(month) == 1 {
		month = "0" + month
	}
	return &payments.Card{Name: strings.TrimSpace(f.FormCardName), Number: secret.New(number), ExpiryMonth: month,
		ExpiryYear: strings.TrimSpace(f.FormExpiryYear), CVV: secret.New(strings.TrimSpace(f.FormCVV.Reveal())),
		ZipCode: strings.TrimSpace(f.FormZipCode)}
}

func (f attemptForm) payer() *payments.PersonalDetailsChange {
	return &payments.PersonalDetailsChange{
		FirstName: given(f.FormFirstName), LastName: given(f.FormLastName), Email: given(f.FormEmail),
		TaxID: given(f.FormTaxID),
		Address: &payments.AddressChange{Country: given(f.FormCountry), Line1: given(f.FormLine1),
			Line2: given(f.FormLine2), City: given(f.FormCity), PostalCode: given(f.FormPostalCode),
			State: given(f.FormState)},
	}
}

// given is what was entered; an empty field takes nothing back that the checkout has.
func given(text string) optional.Of[string] {
	if text = strings.TrimSpace(text); text == "" {
		return optional.Of[string]{}
	}
	return optional.Some(text)
}

// values are what was entered, for the page that is shown again, without card data.
func (f attemptForm) values() map[string]string {
	return map[string]string{
		fieldInstallments: f.FormInstallments, fieldFirstName: f.FormFirstName, fieldLastName: f.FormLastName,
		fieldEmail: f.FormEmail, fieldTaxID: f.FormTaxID, fieldCountry: f.FormCountry, fieldLine1: f.FormLine1,
		fieldCity: f.FormCity, fieldPostalCode: f.FormPostalCode, fieldState: f.FormState,
	}
}
