package isolation_test

import (
	"encoding/json"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
)

// sensitiveName matches the properties of responses that may name a person, an account or a card.
var sensitiveName = regexp.MustCompile(`(^|_)(email|address|user|username|user_id|customer_id|nickname|name|birth\w*|` +
	`\w*birth|phone\w*|landline|national\w*|citizenship|country_of_residence|ownership|identifiers|tax_id|picture|` +
	`line_?\d|street_address|iban|swift|account_number|bank_code|branch_code|sort_code|last_4_digits|token|auth_code|` +
	`authorization_code)$`)

// columns has a letter for each credential whose view of the merchant's own data is compared. Rows name credentials by
// these letters. Each credential has all scopes, except the public key and the merchant token, which have none.
var columns = map[string]string{"owner": "O", "employee without permissions": "E", "public key": "P",
	"merchant token": "M", "secret key": "K", "client": "C", "test profile": "T"}

// property is a property of an object in a response.
type property struct {
	of     string // the schema, or a place in the schema
	name   string
	schema *openapi3.SchemaRef
}

func (p property) String() string { return p.of + "." + p.name }

// propertiesOf returns the properties of the objects that the schema allows. For the properties of a referenced schema,
// the field of is that schema's name. All other properties get the name that the caller passes.
func propertiesOf(of string, ref *openapi3.SchemaRef) (all []property) {
	if ref.Ref != "" {
		of = path.Base(ref.Ref)
	}
	for name, schema := range ref.Value.Properties {
		all = append(all, property{of, name, schema})
	}
	for _, alternatives := range []openapi3.SchemaRefs{ref.Value.AllOf, ref.Value.AnyOf, ref.Value.OneOf} {
		for _, one := range alternatives {
			all = append(all, propertiesOf(of, one)...)
		}
	}
	if ref.Value.Items != nil {
		all = append(all, propertiesOf(of, ref.Value.Items)...)
	}
	return all
}

// collectSensitive adds the names of sensitive properties to found: properties that may name a person, an account or a
// card. It searches the given properties and the properties below them.
func collectSensitive(found map[string]bool, seen map[string]bool, all []property) {
	for _, p := range all {
		if seen[p.String()] {
			continue
		}
		seen[p.String()] = true
		if sensitiveName.MatchString(p.name) && !p.schema.Value.Type.Is("boolean") {
			found[p.String()] = true
		}
		collectSensitive(found, seen, propertiesOf(p.String(), p.schema))
	}
}

// visitShown calls note with each property that the value has.
func visitShown(all []property, value any, note func(property)) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			visitShown(all, element, note)
		}
	case map[string]any:
		for _, p := range all {
			if member := value[p.name]; member != nil && member != "" {
				note(p)
				visitShown(propertiesOf(p.String(), p.schema), member, note)
			}
		}
	}
}

// exposure collects the properties that each credential is shown.
type exposure struct {
	document *openapi3.T
	all      map[string]bool            // may name a person, an account or a card
	shown    map[string]map[string]bool // by property: the columns that see the property
}

func newExposure(t *testing.T) exposure {
	t.Helper()
	document, err := checker.Load()
	if err != nil {
		t.Fatal(err)
	}
	f, seen := exposure{document, map[string]bool{}, map[string]map[string]bool{}}, map[string]bool{}
	for _, o := range examples.All(t) {
		if o.Public {
			continue
		}
		for status := range f.operation(o).Responses.Map() {
			collectSensitive(f.all, seen, f.answer(o, status))
		}
	}
	return f
}

func (f exposure) operation(o checker.Operation) *openapi3.Operation {
	return f.document.Paths.Value(o.Path).GetOperation(o.Method)
}

// answer returns the properties of a successful answer in JSON.
func (f exposure) answer(o checker.Operation, status string) (all []property) {
	answer := f.operation(o).Responses.Value(status)
	if answer == nil || !strings.HasPrefix(status, "2") {
		return nil
	}
	for kind, media := range answer.Value.Content {
		if strings.HasPrefix(kind, "application/json") && media.Schema != nil {
			all = append(all, propertiesOf(o.OperationID, media.Schema)...)
		}
	}
	return all
}

// note records the properties of the merchant's own data that an answer shows to a credential.
func (f exposure) note(c credential, o checker.Operation, got world.Response) {
	column, compared := columns[c.name]
	var body any
	if !compared || json.Unmarshal(got.Body, &body) != nil {
		return
	}
	visitShown(f.answer(o, strconv.Itoa(got.Status)), body, func(p property) {
		if f.all[p.String()] {
			if f.shown[p.String()] == nil {
				f.shown[p.String()] = map[string]bool{}
			}
			f.shown[p.String()][column] = true
		}
	})
}

// check compares the rows with the credentials that were shown each property. A property without a row fails the test.
func (f exposure) check(t *testing.T) {
	t.Helper()
	want, got := map[string]string{}, map[string]string{}
	for columns, names := range shownTo {
		for name := range strings.FieldsSeq(names) {
			want[name] = columns
		}
	}
	for name := range strings.FieldsSeq(insensitive) {
		if !f.all[name] {
			t.Errorf("got no property %s in the document, want it, or not among those that are of things", name)
		}
		delete(f.all, name)
	}
	for name := range f.all {
		var to []string
		for column := range f.shown[name] {
			to = append(to, column)
		}
		slices.SortFunc(to, func(a, b string) int { return strings.Index("OEPMKCT", a) - strings.Index("OEPMKCT", b) })
		got[name] = strings.Join(to, "")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("who is shown what (-want +got):\n%s", diff)
	}
}

// storePersons stores persons, accounts and cards of the merchant, so that no property is empty. It returns paths by
// operation. Requests to these paths return more of these properties than the document's examples do.
func (i *isolation) storePersons() map[string]string {
	i.Helper()
	customer := i.fixtures[own].Made["customer-77"]
	address := map[string]any{"address_line1": "Ring 1", "address_line2": "Hof", "city": "Berlin", "post_code": "10115",
		"region_name": "Berlin", "country": "DE", "landline": "+49 30 1", "first_name": "Ada", "last_name": "Lovelace"}
	i.Operate(map[string]any{"command": "update_account", "merchant_code": i.Merchant.Code, "account": map[string]any{
		"persons": []any{map[string]any{"id": "pers_0123456789abcdefghijklmnop", "account_holder": true,
			"given_name": "Ada", "middle_name": "King", "family_name": "Lovelace", "birthdate": "1990-12-31",
			"phone_number": "+4930123456", "relationships": []any{"owner"}, "ownership": map[string]any{"share": 33333},
			"address": address, "identifiers": []any{map[string]any{"ref": "at.passport", "value": "P1234567"}},
			"citizenship": "AT", "nationality": "AT", "country_of_residence": "AT"}},
		"merchant_profile": map[string]any{"mobile_phone": "+4930654321", "company_registration_number": "HRB 1",
			"address": address, "trading_address": address, "doing_business_as": map[string]any{"address": address},
		},
	}}, nil)
	i.Want("customer", 200, i.Send("PUT", "/v0.1/customers/"+customer, map[string]any{
		"personal_details": map[string]any{"first_name": "Bo", "last_name": "Payer", "email": "bo@example.com",
			"phone": "+4930222222", "birth_date": "1980-01-01", "tax_id": "1", "address": map[string]any{
				"line_1": "Weg 1", "line_2": "Hof", "city": "Berlin", "postal_code": "10115", "country": "DE"}}}))
	i.Want("bank account", 201, i.Send("POST", "/v0.1/me/merchant-profile/bank-accounts", map[string]any{
		"account_holder_name": "Kaffeehaus GmbH",
		"iban":                "DE89370400440532013000", "swift": "COBADEFFXXX", "bank_code": "37040044", "branch_code": "1",
		"account_number": "532013000"}))
	paid := i.Create("10.10", map[string]any{"pay_to_email": "filiale@example.com", "customer_id": customer})
	i.Pay(paid, i.Card(world.Frictionless))
	return map[string]string{
		"retrieveCheckout": "/v0.1/checkouts/" + paid,
		"retrieveMyAccount": "/v0.1/me?include=operators,settings,doing_business_as,bank_accounts,app_settings,vat_rates," +
			"signup_flows,shelves,country_details,timeoffset_details,permissions",
		"listOperators": "/v0.1/me/accounts?include_primary=true&include=permissions,app_settings",
	}
}

// noteDetails sends the operation's detailed request with each credential, if there is such a request.
func (i *isolation) noteDetails(f exposure, o checker.Operation, detailed map[string]string) {
	if at, ok := detailed[o.OperationID]; ok {
		for _, c := range i.credentials {
			f.note(c, o, i.Do(world.Request{Method: http.MethodGet, Path: at, APIKey: c.text}))
		}
	}
}

// shownTo has a row for each set of credentials. The row lists the properties that exactly these credentials are shown.
// The key and payers created the merchant's data. The employee owns nothing but its membership.
var shownTo = map[string]string{
	// the merchant's business data, which an employee without permissions also sees; and the caller's own user name
	"OEKCT": `AccountUser.username BusinessProfile.address BusinessProfile.email BusinessProfile.phone_number
		Company.address Company.identifiers Company.phone_number Company.trading_address DoingBusinessAs.address
		DoingBusinessAs.email MerchantProfile.address MerchantProfile.mobile_phone Place.street_address
		ProfileAddress.address_line1 ProfileAddress.address_line2 ProfileAddress.landline`,
	// payments and payers; a person also needs create_moto_payments or full_transaction_history_view
	"OKCT": `BankAccount.account_holder_name BankAccount.account_number BankAccount.bank_code BankAccount.branch_code
		BankAccount.iban BankAccount.swift CardShown.last_4_digits Checkout.customer_id Checkout.pay_to_email
		Checkout.payment_instrument.token Checkout.user_id Customer.customer_id
		Customer.personal_details.address Customer.personal_details.address.line_1
		Customer.personal_details.address.line_2 Customer.personal_details.birth_date Customer.personal_details.email
		Customer.personal_details.first_name Customer.personal_details.last_name Customer.personal_details.phone
		Customer.personal_details.tax_id HistoryItem.user PaymentInstrument.card.last_4_digits PaymentInstrument.token
		Receipt.acquirer_data.authorization_code ReceiptMerchant.address ReceiptMerchant.address.address_line1
		ReceiptMerchant.address.address_line2 ReceiptMerchant.address.landline ReceiptMerchant.email
		TransactionDetail.auth_code TransactionDetail.username`,
	// persons; the caller also needs members_read
	"OKC": `BusinessOwner.date_of_birth BusinessOwner.first_name BusinessOwner.landline BusinessOwner.last_name
		BusinessOwner.mobile_phone BusinessOwner.ownership Invite.email Member.user MemberUser.classic.user_id
		MemberUser.email MemberUser.nickname NewTestProfile.username Operator.nickname Operator.username
		OperatorName.username Person.address Person.birthdate Person.citizenship Person.country_of_residence
		Person.family_name Person.given_name Person.identifiers Person.middle_name Person.nationality Person.ownership
		Person.phone_number PersonalProfile.address PersonalProfile.date_of_birth PersonalProfile.first_name
		PersonalProfile.last_name PersonalProfile.mobile_phone PersonalProfile.national_id ProfileAddress.first_name
		ProfileAddress.last_name TestProfile.username`,
	// also known to the payer
	"OPMKCT": `CheckoutTransaction.auth_code`,
	// not shown: no installation emits them yet
	"": `TransactionDetail.elv_account.iban TransactionDetail.elv_account.last_4_digits
		TransactionDetail.elv_account.sort_code`,
}

// insensitive are properties that look sensitive but name a company, a place or a thing.
const insensitive = `ApiKey.name ApiKeyMaker.token AppSettings.font_name Artefact.name BankAccount.bank_name
	BusinessProfile.name Checkout.merchant_name CheckoutPaymentMethods.items.name Collection.name
	Company.name CountryDetails.en_name CountryDetails.native_name DoingBusinessAs.business_name
	Membership.resource.name MerchantToken.access_token MerchantProfile.company_name NewApiKey.name NewTestProfile.name
	Pix.artefacts.name Product.name ProfileAddress.region_name Reader.name
	ReceiptMerchant.address.country_en_name ReceiptMerchant.address.country_native_name
	ReceiptMerchant.address.region_name ReceiptMerchant.business_name ReceiptProduct.name Role.name
	Shelf.name SignupFlow.name TestProfile.name TransactionDetail.device_info.name
	TransactionDetail.device_info.system_name`
