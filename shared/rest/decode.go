package rest

import (
	"encoding"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// input holds the parts of a request. The tags of a request type say which part fills which field:
//
//	path:"id"         a path value, percent-decoded
//	query:"limit"     a query parameter: text, number, bool, time.Time, a type
//	                  with UnmarshalText (Date, PageSize), a pointer to one
//	                  (nil: absent), or a slice of them in any spelling of
//	                  contract §2.5. Its name has no brackets; an empty value is
//	                  an error
//	form:"PaRes"      a field of an application/x-www-form-urlencoded body;
//	                  empty is absent, because browsers send every field
//	json:"amount"     a member of the JSON body; unknown members are ignored,
//	                  null is absent (contract §2.2). With empty:"refused" beside
//	                  it, "" is an error. With digits:"2" a text may be sent as a
//	                  number, which gets leading zeros up to two digits
//
// Fields of embedded structs count as the type's own. The tag validate:"…" has a field's limits (package validate).
// A query parameter is checked when it is read, every other field once the whole request has been read.
type input struct {
	plan   plan
	path   map[string]string
	query  url.Values
	form   url.Values // nil: the body is JSON
	body   node
	signed []byte // the body as it was sent, if the plan says so
	now    time.Time
	all    bool // report every fault, not only the first
}

// decodeAndCheck fills the struct that request points to, and checks its limits.
func (in *input) decodeAndCheck(request any) error {
	if err := in.decode(request); err != nil {
		return err
	}
	return in.check(request)
}

// decode fills the struct that to points to. Failures: Malformed; Invalid with the fault's dot path, or a List of
// several faults.
func (in *input) decode(to any) error {
	v := reflect.ValueOf(to).Elem()
	var faults failure.List
	for _, f := range in.plan.path {
		faults = append(faults, fillText(v.FieldByIndex(f.index), f.name, []string{in.path[f.name]})...)
	}
	for _, f := range in.plan.query {
		faults = append(faults, in.fillQuery(v.FieldByIndex(f.index), f)...)
	}
	for _, f := range in.plan.form {
		if given := in.form[f.name]; !slices.Equal(given, []string{""}) {
			faults = append(faults, fillText(v.FieldByIndex(f.index), f.name, given)...)
		}
	}
	if in.plan.json && in.form == nil {
		body := in.body.object()
		if body.kind != jsontext.KindBeginObject {
			return failure.Malformed("The body must be a JSON object.")
		}
		fillObject(v, body, "", &faults)
	}
	return faults.Err()
}

// check checks the limits of the fields. Failure: Invalid with the first fault's dot path, or a List if all is set.
func (in *input) check(request any) error {
	if in.plan.unchecked {
		return nil
	}
	faults := validate.Fields(request, in.now)
	if len(faults) > 1 && !in.all {
		faults = faults[:1]
	}
	return faults.Err()
}

// fillQuery sets a parameter or list. An empty value such as limit= or statuses[]= is an error, because the client's
// intention is not known.
func (in *input) fillQuery(v reflect.Value, f field) failure.List {
	texts := in.query[f.name]
	if sent, all := v.Addr().Interface().(*Sent); all {
		sent.texts = texts
		return nil
	}
	if isList(v.Type()) {
		texts = listValues(in.query, f.name)
	}
	if slices.Contains(texts, "") {
		return failure.List{failure.Invalid(f.name, notEmpty)}
	}
	faults := fillText(v, f.name, texts)
	if len(faults) == 0 && !in.plan.unchecked {
		if message := f.limits.Fault(v); message != "" {
			faults = failure.List{failure.Invalid(f.name, message)}
		}
	}
	return faults
}

// Sent is a query parameter as the client sent it, perhaps empty or repeated. The operation itself reports the faults
// of the parameter.
type Sent struct{ texts []string }

// Texts returns the values.
func (s Sent) Texts() []string { return s.texts }

// UnmarshalText adds a value.
func (s *Sent) UnmarshalText(text []byte) error {
	s.texts = append(s.texts, string(text))
	return nil
}

const notEmpty = "must not be empty"

// fillText sets a textual value or list. A single value sent twice is an error, because it is not known which counts.
func fillText(v reflect.Value, name string, texts []string) failure.List {
	if isList(v.Type()) {
		for _, text := range texts {
			element := reflect.New(v.Type().Elem()).Elem()
			if message := setText(element, text); message != "" {
				return failure.List{failure.Invalid(name, message)}
			}
			v.Set(reflect.Append(v, element))
		}
		return nil
	}
	if len(texts) == 0 {
		return nil
	}
	if len(texts) > 1 {
		return failure.List{failure.Invalid(name, "must be given once")}
	}
	if message := setText(v, texts[0]); message != "" {
		return failure.List{failure.Invalid(name, message)}
	}
	return nil
}

// setText parses text into v. It returns the fault, or "" if there is none.
func setText(v reflect.Value, text string) string {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch to := v.Addr().Interface().(type) {
	case *time.Time:
		return setTime(to, text)
	case encoding.TextUnmarshaler:
		if err := to.UnmarshalText([]byte(text)); err != nil {
			return refusalMessage(err, v.Type())
		}
		return ""
	}
	switch v.Kind() {
	case reflect.Bool:
		// PHP and .NET clients also write 1 and True (contract §2.2).
		switch strings.ToLower(text) {
		case "true", "1":
			v.SetBool(true)
		case "false", "0":
			v.SetBool(false)
		default:
			return "must be true or false"
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return "must be an integer"
		}
		v.SetInt(n)
	default:
		v.SetString(text)
	}
	return ""
}
