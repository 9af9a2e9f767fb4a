package contract_test

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// knownDifferences lists limits that only a field's tag (+) or only the document (-) has, with reasons. The operation
// "*" stands for any.
var knownDifferences = []struct{ operation, input, limit, reason string }{
	{"*", "json personal_details.email", "+format=email",
		"an empty text takes it back, which the document's format would refuse"},
	{"decide3dsChallenge", "form PaReq", "+required", "the page that asks sends it with the decision"},
	{"decide3dsChallenge", "form TermUrl", "+required", "the page that asks sends it with the decision"},
	{"show3dsChallenge", "form TermUrl", "-format=uri",
		"it must be the return address of the payment; no other URL will do"},
	{"show3dsChallenge", "form TermUrl", "-pattern=^https?://",
		"it must be the return address of the payment; no other URL will do"},
	{"retrieveReceipt", "query tx_event_id", "-minimum=0", "no event has another number: 404"},
	{"retrieveLegacyReceipt", "query tx_event_id", "-minimum=0", "no event has another number: 404"},
	{"retrieveReceipt", "query tx_event_id", "-maximum=9007199254740991", "no event has another number: 404"},
	{"retrieveLegacyReceipt", "query tx_event_id", "-maximum=9007199254740991", "no event has another number: 404"},
	{"createReceiptLink", "query tx_event_id", "-minimum=0", "no event has another number: 404"},
	{"createReceiptLink", "query tx_event_id", "-maximum=9007199254740991", "no event has another number: 404"},
	{"emailReceipt", "query tx_event_id", "-minimum=0", "no event has another number: 404"},
	{"emailReceipt", "query tx_event_id", "-maximum=9007199254740991", "no event has another number: 404"},
	{"listMerchantPaymentMethods", "query currency", "-enum=", "refused as a constraint, in the shape of contract §13.2"},
	{"listMerchantPaymentMethods", "query amount", "-minimum=0",
		"refused as a constraint, in the shape of contract §13.2"},
	{"listMerchantPaymentMethods", "query amount", "-type=number", "a text, so that no digit passes through a float"},
	{"listMerchantPaymentMethods", "query amount", "+type=string", "a text, so that no digit passes through a float"},
	{"createApiKey", "json name", "-required", publicKeyReason},
	{"createApiKey", "json name", "+minLength=1", publicKeyReason},
	{"createApiKey", "json scopes", "-required", publicKeyReason},
	{"updateApiKey", "json name", "-required", publicKeyReason},
	{"updateApiKey", "json name", "+minLength=1", publicKeyReason},
	{"updateApiKey", "json scopes", "-required", publicKeyReason},
	{"createMerchantToken", "json actions", "-minItems=1", "the operation sees to it, and that they differ"},
	{"createMerchantToken", "json actions", "-enum=checkout", "the operation sees to it, and names the list"},
	{"createPaymentPageAttempt", "form payment_type", "-required",
		"the form is read as a payment, which requires it"},
	{"createReaderCheckout", "json tip_rates", "-minimum=0.01", "the operation sees to it, and that they differ"},
	{"createReaderCheckout", "json tip_rates", "-maximum=1", "the operation sees to it"},
	{"*", "query limit", "-type=integer", "listPayouts and listMyPayouts read it with all else, to report all faults at " +
		"once"},
	{"*", "query limit", "+type=string", "listPayouts and listMyPayouts read it with all else, to report all faults at " +
		"once"},
}

const publicKeyReason = "the operation sees to it: a public key may have an empty name, and needs no scopes"

// uncompared are the inputs whose limits are not in fields' tags, with reasons.
var uncompared = map[string]string{
	"path":   "an id of another form is one of nothing: 404",
	"header": "no request type has fields of headers",
}

// headerLimits are the limits of headers. Package rest enforces those of Idempotency-Key. The sandbox checks
// Sandbox-Signature.
var headerLimits = map[string][]string{
	"Idempotency-Key":   {"maxLength=255", "minLength=1", "pattern=^[ -~]+$", "type=string"},
	"Sandbox-Signature": {"type=string"},
}

// typeLimits are the limits that a field's type adds to the limits of the field's tag.
var typeLimits = map[reflect.Type][]string{
	reflect.TypeFor[money.Literal]():   {"schema=AmountInput"},
	reflect.TypeFor[merchant.Flag]():   {"schema=Flag"},
	reflect.TypeFor[time.Time]():       {"schema=TimeInput"},
	reflect.TypeFor[rest.PageSize]():   {"type=integer", "minimum=1"},
	reflect.TypeFor[payments.Area]():   {"type=string", `pattern=^-?[0-9]+(\.[0-9]+)?(,-?[0-9]+(\.[0-9]+)?){3}$`},
	reflect.TypeFor[payments.Method](): {"type=string", "enum=" + knownMethods()},
	reflect.TypeFor[secret.Text]():     {"type=string"},
	reflect.TypeFor[rest.Sent]():       {"type=string"},
	reflect.TypeFor[member.Metadata](): {"type=object"},
	reflect.TypeFor[int64]():           {"type=integer", "format=int64"},
}

// schemaTypes maps Go's kinds to the document's types.
var schemaTypes = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer",
	reflect.Struct: "object", reflect.Map: "object", reflect.Slice: "array",
}

const (
	withoutControls = `pattern=^[^\x00-\x1F\x7F-\x9F]*$`
	withLines       = `pattern=^[^\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]*$`
)

// ruleLimits are the limits that the document has for each rule of a tag.
var ruleLimits = map[string]func(argument string, kind reflect.Kind) []string{
	"text":  func(n string, _ reflect.Kind) []string { return []string{"maxLength=" + n, withoutControls} },
	"lines": func(n string, _ reflect.Kind) []string { return []string{"maxLength=" + n, withLines} },
	"min": func(n string, kind reflect.Kind) []string {
		return []string{map[bool]string{true: "minLength=", false: "minimum="}[kind == reflect.String] + n}
	},
	"max": func(n string, kind reflect.Kind) []string {
		return []string{map[bool]string{true: "maxLength=", false: "maximum="}[kind == reflect.String] + n}
	},
	"items":   func(n string, _ reflect.Kind) []string { return []string{"maxItems=" + n} },
	"pattern": func(expression string, _ reflect.Kind) []string { return []string{"pattern=" + expression} },
	"one-of": func(values string, _ reflect.Kind) []string {
		return []string{"enum=" + strings.Join(slices.Sorted(strings.SplitSeq(values, "|")), "|")}
	},
	"integer": func(bounds string, _ reflect.Kind) []string {
		least, most, _ := strings.Cut(bounds, "..")
		return []string{"minimum=" + least, "maximum=" + most}
	},
	"own":         func(string, reflect.Kind) []string { return nil }, // does not limit the value's form
	"email":       fixedLimits("format=email"),
	"email?":      fixedLimits("format=email"),
	"iban?":       fixedLimits("format=iban"),
	"bic?":        fixedLimits("format=bic"),
	"http-url":    fixedLimits("format=uri", "pattern=^https?://"),
	"date":        fixedLimits("format=date", "pattern=^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
	"date-time":   fixedLimits("format=date-time"),
	"country":     fixedLimits("pattern=^[A-Z]{2}$"),
	"currency":    fixedLimits("enum=" + knownCurrencies()),
	"cvv":         fixedLimits("pattern=^[0-9]{3,4}$"),
	"month":       fixedLimits("pattern=^(0[1-9]|1[0-2])$"),
	"year":        fixedLimits("pattern=^([0-9]{2}|[0-9]{4})$"),
	"us-zip-code": fixedLimits("pattern=^[0-9]{5}$"),
	"card-number": fixedLimits("pattern=^[0-9]{12,19}$"),
}

func fixedLimits(limits ...string) func(string, reflect.Kind) []string {
	return func(string, reflect.Kind) []string { return limits }
}

// TestOpenAPI_LimitsOfTags checks that each input has the same limits in the document and in its field's tag.
func TestOpenAPI_LimitsOfTags(t *testing.T) {
	t.Parallel()
	requests, used := servedRequests(t), map[int]bool{}
	compared := 0
	for _, o := range examples.All(t) {
		tagged := map[string][]string{}
		collectLimits(tagged, validate.Plan(requests[o.Method+" "+o.Path]), "", "")
		for _, i := range o.Inputs {
			if want := headerLimits[i.Path]; i.In == "header" && (want == nil || !slices.Equal(i.Limits(), want)) {
				t.Errorf("%s: got header %s with limits %v, want %v", o.OperationID, i.Path, i.Limits(), want)
			}
			if uncompared[i.In] != "" {
				continue
			}
			name := i.In + " " + i.Path
			limits, known := tagged[name]
			if !known {
				t.Errorf("%s: got %s in the document only, want it read, too", o.OperationID, name)
			}
			delete(tagged, name)
			for _, difference := range differences(i, limits) {
				if at := findKnownDifference(o.OperationID, name, difference); at < 0 {
					t.Errorf("%s, %s: the tag differs from the document (-want +got): %s", o.OperationID, name, difference)
				} else {
					used[at] = true
				}
			}
			compared++
		}
		for name := range tagged {
			t.Errorf("%s: got %s that it reads, want only what the document has", o.OperationID, name)
		}
	}
	for i, e := range knownDifferences {
		if !used[i] {
			t.Errorf("%s, %s: got no difference %s, want one, or the exception off the list", e.operation, e.input, e.limit)
		}
	}
	if compared == 0 {
		t.Error("got 0 inputs compared, want at least 1")
	}
}

// servedRequests returns the routes' request types by method and path.
func servedRequests(t *testing.T) map[string]reflect.Type {
	t.Helper()
	opened, types := world.New(t).App, map[string]reflect.Type{}
	for _, f := range functions.All {
		if f.HTTP == nil {
			continue
		}
		for _, route := range f.HTTP(opened) {
			types[route.Method+" "+route.Path] = route.Handle.Request()
		}
	}
	return types
}

// collectLimits records the limits of an object's fields and of the objects inside.
func collectLimits(into map[string][]string, o *validate.Object, in, path string) {
	for _, f := range o.Fields {
		if f.Name == "" { // embedded
			collectLimits(into, f.Object, in, path)
			continue
		}
		place := cmp.Or(in, f.In)
		if uncompared[place] != "" {
			continue
		}
		into[place+" "+path+f.Name] = tagLimits(f)
		if f.Or != "" {
			into[f.Or+" "+path+f.Name] = tagLimits(f)
		}
		if f.Object != nil {
			inner := path + f.Name + "."
			if f.Type.Kind() == reflect.Slice {
				inner = path + f.Name + "[]."
			}
			collectLimits(into, f.Object, place, inner)
		}
	}
}

func tagLimits(f validate.Field) []string {
	element := f.Type
	if f.Type.Kind() == reflect.Slice {
		element = f.Type.Elem()
	}
	limits, ok := typeLimits[element]
	limits = slices.Clone(limits)
	if f.Type.Kind() == reflect.Slice || !ok {
		limits = append(limits, "type="+schemaTypes[f.Type.Kind()])
	}
	if f.Required {
		limits = append(limits, "required")
	}
	kind := element.Kind()
	if element == reflect.TypeFor[secret.Text]() {
		kind = reflect.String
	}
	for _, rule := range f.Limits {
		limit, known := ruleLimits[rule.Name]
		if !known {
			limits = append(limits, "the rule "+rule.Name+", which this test does not know")
			continue
		}
		limits = append(limits, limit(rule.Argument, kind)...)
	}
	slices.Sort(limits)
	return slices.Compact(limits)
}

// differences returns the limits that only the tag (+) or only the document (-) has. If a tag requires a text, the text
// cannot be empty. The document has to say this separately.
func differences(i checker.Input, tagged []string) []string {
	var list []string
	written := i.Limits()
	for _, limit := range tagged {
		if !slices.Contains(written, limit) {
			list = append(list, "+"+limit)
		}
	}
	for _, limit := range written {
		implied := i.Required && limit == "minLength=1"
		if !implied && !slices.Contains(tagged, limit) {
			list = append(list, "-"+limit)
		}
	}
	if i.Required && slices.Contains(written, "type=string") && i.Allows("") {
		list = append(list, "+minLength=1")
	}
	return list
}

// findKnownDifference returns the index of the exception for a difference, or -1.
func findKnownDifference(operation, input, difference string) int {
	for i, e := range knownDifferences {
		if (e.operation == "*" || e.operation == operation) && e.input == input &&
			(e.limit == difference || strings.HasSuffix(e.limit, "=") && strings.HasPrefix(difference, e.limit)) {
			return i
		}
	}
	return -1
}

// TestValidatePatterns_Compile compiles all patterns. Package validate compiles a pattern only at its first use.
func TestValidatePatterns_Compile(t *testing.T) {
	t.Parallel()
	for operation, request := range servedRequests(t) {
		checkPatterns(t, operation, validate.Plan(request))
	}
}

func checkPatterns(t *testing.T, operation string, o *validate.Object) {
	t.Helper()
	for _, f := range o.Fields {
		for _, limit := range f.Limits {
			if _, err := regexp.Compile(limit.Argument); limit.Name == "pattern" && err != nil {
				t.Errorf("%s, %s: got error %v, want a pattern that compiles", operation, f.Name, err)
			}
		}
		if f.Object != nil {
			checkPatterns(t, operation, f.Object)
		}
	}
}

// TestSandbox_AnswersOfItsPages checks that the sandbox accepts each answer of its pages' forms.
func TestSandbox_AnswersOfItsPages(t *testing.T) {
	t.Parallel()
	requests := servedRequests(t)
	for operation, valid := range map[string]func(string) bool{
		"POST /3ds/challenge/decision": func(a string) bool { return sandbox.Answer(a).Valid() },
		"POST /apm/{session_id}":       func(a string) bool { return sandbox.BankAnswer(a).Valid() },
	} {
		f := validate.Plan(requests[operation]).Lookup("form", "decision")
		for _, answer := range strings.Split(f.Limits[0].Argument, "|") {
			if !valid(answer) {
				t.Errorf("%s: got %s refused by the sandbox, want it valid", operation, answer)
			}
		}
	}
}

// knownCurrencies returns all codes of three capital letters that the rule currency accepts.
func knownCurrencies() string {
	var known []string
	for n := range 26 * 26 * 26 {
		code := fmt.Sprintf("%c%c%c", 'A'+n/676, 'A'+n/26%26, 'A'+n%26)
		if _, err := money.ParseCurrency(code); err == nil {
			known = append(known, code)
		}
	}
	return strings.Join(known, "|")
}

// knownMethods returns all payment methods: those offered in some currency, and Apple Pay, which is not offered yet.
func knownMethods() string {
	known := []string{string(payments.ApplePay)}
	for code := range strings.SplitSeq(knownCurrencies(), "|") {
		for _, m := range payments.MethodsOf(merchant.Merchant{Currency: money.Currency(code), PayPal: true}) {
			known = append(known, string(m))
		}
	}
	slices.Sort(known)
	return strings.Join(slices.Compact(known), "|")
}

// TestSchemas_AmountAndArea checks that two types and their schemas accept the same values. Their limits are in code,
// not in tags, so TestOpenAPI_LimitsOfTags cannot compare them.
func TestSchemas_AmountAndArea(t *testing.T) {
	t.Parallel()
	all := examples.All(t)
	schema := func(operation, in, path string) checker.Input {
		o := all[slices.IndexFunc(all, func(o checker.Operation) bool { return o.OperationID == operation })]
		inputs := o.InputsIn(in)
		return inputs[slices.IndexFunc(inputs, func(i checker.Input) bool { return i.Path == path })]
	}
	amount, area := schema("createCheckout", "json", "amount"), schema("listMyTransactions", "query", "geo_coordinates")
	for text, want := range map[string]bool{
		"0": true, "0.01": true, "10.1": true, "999999999.99": true, "1000000000": false,
		"999999999.991": false, "0.001": false,
		"-1": false, "-0.01": false, "": false, "ten": false, "1e1": false, "1,5": false, " 1": false,
		".5": false, "5.": false,
	} {
		read, err := money.Literal(text).In("EUR")
		if got := err == nil && read.Sign() >= 0 && !read.TooLarge(); got != want || amount.Allows(text) != want {
			t.Errorf("the amount %q: got read %t, documented %t, want %t", text, got, amount.Allows(text), want)
		}
	}
	for text, want := range map[string]bool{
		"13.1,52.3,13.7,52.7": true, "-180,-90,180,90": true, "170,-10,-170,10": true, "1,2,3": false,
		"1,2,3,4,5": false, "1,2,3,x": false,
		"1.,2,3,4": false, "1, 2,3,4": false, "+1,2,3,4": false, "1e1,2,3,4": false, "": false,
	} {
		if got := new(payments.Area).UnmarshalText([]byte(text)) == nil; got != want || area.Allows(text) != want {
			t.Errorf("the area %q: got read %t, documented %t, want %t", text, got, area.Allows(text), want)
		}
	}
}
