package dynamodb

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// decoder is a part of a request that reads itself.
type decoder interface{ decode(r *attr.Reader) error }

// decode reads an object into the struct that to points to, whose fields are
// named as the object's members. It refuses any other member.
func decode(r *attr.Reader, object string, to any) error {
	return decodeStruct(r, object, reflect.ValueOf(to).Elem())
}

func decodeStruct(r *attr.Reader, object string, to reflect.Value) error {
	return r.Object(func(name string) error {
		field, known := to.Type().FieldByName(name)
		if !known || !field.IsExported() {
			return refuseParameter(object, name)
		}
		return decodeValue(r, to.FieldByIndex(field.Index))
	})
}

func decodeValue(r *attr.Reader, to reflect.Value) (err error) {
	switch v := to.Addr().Interface().(type) {
	case decoder:
		return v.decode(r)
	case *string:
		*v, err = r.Str()
		return err
	case *int:
		*v, err = r.Int()
		return err
	case *bool:
		*v, err = r.Bool()
		return err
	case *attr.Map:
		*v, err = r.Map()
		return err
	case *attr.Value:
		*v, err = r.Value()
		return err
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return decodeValue(r, to.Elem())
	case reflect.Slice:
		return r.Array(func() error {
			element := reflect.New(to.Type().Elem()).Elem()
			err := decodeValue(r, element)
			to.Set(reflect.Append(to, element))
			return err
		})
	}
	name := to.Type().Name() // of a struct: the service's, but for its first letter
	return decodeStruct(r, strings.ToUpper(name[:1])+name[1:], to)
}

// badValue refuses the value of a parameter.
func badValue(format string, args ...any) error {
	return attr.Invalidf("One or more parameter values were invalid: "+format, args...)
}

// unmet refuses the value of a member, as the message shows it, by a rule.
func unmet(value, member, rule string) error {
	return attr.Invalidf("1 validation error detected: Value%s at '%s' failed to satisfy constraint: Member must %s",
		value, member, rule)
}

// missing refuses a request without a member.
func missing(member string) error { return unmet(" null", member, "not be null") }

// unknown refuses a value that is not in the set.
func unknown(member, value, set string) error {
	return unmet(" '"+value+"'", member, "satisfy enum value set: "+set)
}

// checkLimit refuses a number that is not from 1 to the most.
func checkLimit(member string, value, most int) error {
	if value >= 1 && value <= most {
		return nil
	}
	return unmet(fmt.Sprintf(" '%d'", value), member, fmt.Sprint("have value between 1 and ", most))
}
