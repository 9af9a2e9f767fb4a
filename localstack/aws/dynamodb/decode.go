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

// decode reads an object into the struct that to points to, by field names. It refuses any other member.
func decode(d *jsontext.Decoder, object string, to any) error {
	err := json.UnmarshalDecode(d, to)
	unknown, ok := errors.AsType[*json.SemanticError](err)
	if !ok || !errors.Is(err, json.ErrUnknownName) {
		return err
	}
	if of := unknown.GoType; of != reflect.TypeOf(to).Elem() { // a part, named as the service's but for its first letter
		object = strings.ToUpper(of.Name()[:1]) + of.Name()[1:]
	}
	return refuseParameter(object, unknown.JSONPointer.LastToken())
}

func badValue(format string, args ...any) error {
	return attr.Invalidf("One or more parameter values were invalid: "+format, args...)
}

// unmet refuses the value of a member, as the message shows it, by a rule.
func unmet(value, member, rule string) error {
	return attr.Invalidf("1 validation error detected: Value%s at '%s' failed to satisfy constraint: Member must %s",
		value, member, rule)
}

func missing(member string) error { return unmet(" null", member, "not be null") }

// unknown refuses a value that is not in the set.
func unknown(member, value, set string) error {
	return unmet(" '"+value+"'", member, "satisfy enum value set: "+set)
}

func checkLimit(member string, value, most int) error {
	if value >= 1 && value <= most {
		return nil
	}
	return unmet(fmt.Sprintf(" '%d'", value), member, fmt.Sprint("have value between 1 and ", most))
}
