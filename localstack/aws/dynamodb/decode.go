package dynamodb

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// decode reads a JSON object into a struct; the parameter to is a pointer to that struct. Members are matched to fields
// by name. decode refuses unknown members.
func decode(d *jsontext.Decoder, object string, to any) error {
	err := json.UnmarshalDecode(d, to)
	unknown, ok := errors.AsType[*json.SemanticError](err)
	if !ok || !errors.Is(err, json.ErrUnknownName) {
		return err
	}
	if of := unknown.GoType; of != reflect.TypeOf(to).Elem() { // a nested part is named like its Go type, but capitalised
		object = strings.ToUpper(of.Name()[:1]) + of.Name()[1:]
	}
	return refuseParameter(object, unknown.JSONPointer.LastToken())
}

func badValue(format string, args ...any) error {
	return attr.Invalidf("One or more parameter values were invalid: "+format, args...)
}

// constraintError returns the validation error for a member that breaks a rule. value is formatted for the message.
func constraintError(value, member, rule string) error {
	return attr.Invalidf("1 validation error detected: Value%s at '%s' failed to satisfy constraint: Member must %s",
		value, member, rule)
}

func missingError(member string) error { return constraintError(" null", member, "not be null") }

// enumError returns the validation error for a value outside an enum's set.
func enumError(member, value, set string) error {
	return constraintError(" '"+value+"'", member, "satisfy enum value set: "+set)
}

func checkLimit(member string, value, most int) error {
	if value >= 1 && value <= most {
		return nil
	}
	return constraintError(fmt.Sprintf(" '%d'", value), member, fmt.Sprint("have value between 1 and ", most))
}
