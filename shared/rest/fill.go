package rest

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// maxFaults bounds the faults that are reported for one body.
const maxFaults = 20

// optionalMember is an optional.Of. Its null can differ from an absent member: in a PATCH, null clears a date (contract
// §13.1).
type optionalMember interface{ Give() any }

// fill sets v from n. For each value of the wrong type it adds a fault with the value's dot path. encoding/json decodes
// only the leaves, because it gives no path for a failed UnmarshalJSON and does not match names exactly.
func fill(v reflect.Value, n node, path string, faults *failure.List) {
	if v.CanAddr() {
		if member, ok := v.Addr().Interface().(optionalMember); ok && n.kind != jsontext.KindInvalid {
			v = reflect.ValueOf(member.Give()).Elem()
		}
	}
	if n.kind == jsontext.KindInvalid || n.kind == jsontext.KindNull || len(*faults) >= maxFaults {
		return
	}
	if v.Kind() == reflect.Pointer {
		target := reflect.New(v.Type().Elem())
		v.Set(target)
		v = target.Elem()
	}
	switch kind := v.Kind(); {
	case reflect.PointerTo(v.Type()).Implements(jsonUnmarshaler), reflect.PointerTo(v.Type()).Implements(textUnmarshaler):
		fillLeaf(v, n, path, faults)
	case kind == reflect.Struct && n.object().kind == jsontext.KindBeginObject:
		fillObject(v, n.object(), path, faults)
	case kind == reflect.Slice && n.kind == jsontext.KindBeginArray:
		fillArray(v, n, path, faults)
	case kind == reflect.Map && n.object().kind == jsontext.KindBeginObject:
		fillMap(v, n.object(), path, faults)
	default:
		fillLeaf(v, n, path, faults)
	}
}

func fillObject(v reflect.Value, n node, path string, faults *failure.List) {
	byName := jsonMembers(v.Type())
	for i, name := range n.names {
		m, ok := byName[name]
		switch {
		case !ok:
		case m.refusesEmpty && n.children[i].isEmptyText():
			*faults = append(*faults, failure.Invalid(join(path, name), notEmpty))
		case m.digits > 0 && n.children[i].isDigits():
			setDigits(v.FieldByIndex(m.index), string(n.children[i].raw), m.digits)
		default:
			fill(v.FieldByIndex(m.index), n.children[i], join(path, name), faults)
		}
	}
}

// setDigits sets a text that a client sent as a number. It adds the leading zeros that a number cannot have (contract
// §2.2).
func setDigits(v reflect.Value, text string, least int) {
	text = strings.Repeat("0", max(0, least-len(text))) + text
	if hidden, ok := v.Addr().Interface().(*secret.Text); ok {
		*hidden = secret.FromNumber(text)
	} else {
		v.SetString(text)
	}
}

func fillArray(v reflect.Value, n node, path string, faults *failure.List) {
	v.Set(reflect.MakeSlice(v.Type(), len(n.children), len(n.children)))
	for i, child := range n.children {
		fill(v.Index(i), child, join(path, strconv.Itoa(i)), faults)
	}
}

// fillMap sets a map. It skips null members.
func fillMap(v reflect.Value, n node, path string, faults *failure.List) {
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.names)))
	for i, name := range n.names {
		if n.children[i].kind == jsontext.KindNull {
			continue
		}
		element := reflect.New(v.Type().Elem()).Elem()
		fill(element, n.children[i], join(path, name), faults)
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), element)
	}
}

func fillLeaf(v reflect.Value, n node, path string, faults *failure.List) {
	switch kind := v.Kind(); {
	case kind == reflect.Struct || kind == reflect.Map:
		n = n.object()
	case v.CanInt() && n.kind == jsontext.KindNumber:
		n.raw = integral(n.raw)
	}
	if err := json.Unmarshal(n.raw, v.Addr().Interface()); err != nil {
		v.SetZero()
		*faults = append(*faults, failure.Invalid(path, refusalMessage(err, v.Type())))
	}
}

// refusalMessage returns the message for a value that a type refused. It quotes only failures, because other errors may
// contain the value.
func refusalMessage(err error, t reflect.Type) string {
	if own, ok := errors.AsType[*failure.Error](err); ok {
		return own.Message
	}
	if errors.Is(err, money.ErrAmount) {
		return money.Expected(err)
	}
	return expectation(t)
}

// expectation returns the message for a JSON value that type t cannot hold.
func expectation(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "must be a string"
	case reflect.Bool:
		return "must be true or false"
	case reflect.Struct, reflect.Map:
		return "must be an object"
	case reflect.Slice:
		return "must be an array"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "must be an integer"
	default:
		return "must be a number"
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
