package rest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/cashwrap/cashwrap/shared/validate"
)

// plan says how a request type is filled: by path values, query parameters, form fields and JSON members.
type plan struct {
	path, query, form []field
	json              bool // the type has JSON members
	unchecked         bool // the operation calls the check of its fields itself
	request           reflect.Type
}

type field struct {
	name   string
	index  []int
	limits *validate.Field
}

var plans sync.Map // reflect.Type → plan

// planOf returns the plan of a type. It panics on a type that cannot be filled, when a family's routes are made.
func planOf(t reflect.Type) plan {
	if known, ok := plans.Load(t); ok {
		return known.(plan)
	}
	known, _ := plans.LoadOrStore(t, newPlan(t))
	return known.(plan)
}

func newPlan(t reflect.Type) plan {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("rest: request type %s is not a struct", t))
	}
	p := plan{
		path:    tagged(t, "path"),
		query:   tagged(t, "query"),
		form:    tagged(t, "form"),
		json:    len(members(t)) > 0,
		request: t,
	}
	for _, fields := range [][]field{p.path, p.query, p.form} {
		for _, f := range fields {
			if kind := t.FieldByIndex(f.index).Type; !textual(kind) && !list(kind) {
				panic(fmt.Sprintf("rest: %s.%s cannot hold text", t, f.name))
			}
			if strings.Contains(f.name, "[") {
				panic(fmt.Sprintf("rest: %s.%s: a list is named without brackets (contract §2.5)", t, f.name))
			}
		}
	}
	return p
}

// tagged lists the fields that carry the tag, also of embedded structs, and panics when two share a name.
func tagged(t reflect.Type, tag string) []field {
	var fields []field
	seen := map[string]bool{}
	limits := validate.Plan(t)
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous && f.Type.Kind() == reflect.Pointer {
			panic(fmt.Sprintf("rest: %s embeds a pointer, which would be nil", t))
		}
		name, _, _ := strings.Cut(f.Tag.Get(tag), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		if seen[name] {
			panic(fmt.Sprintf("rest: %s has two fields tagged %s:%q", t, tag, name))
		}
		seen[name] = true
		fields = append(fields, field{name: name, index: f.Index, limits: limits.Lookup(tag, name)})
	}
	return fields
}

// member is a field that a JSON member fills.
type member struct {
	index        []int
	refusesEmpty bool
	digits       int // least digits of a text that may also be sent as a number; 0: it may not
}

// members maps member names to fields, exactly: encoding/json's folding would let AMOUNT override amount.
func members(t reflect.Type) map[string]member {
	if known, ok := membersOf.Load(t); ok {
		return known.(map[string]member)
	}
	byName := map[string]member{}
	for _, f := range tagged(t, "json") {
		tag := t.FieldByIndex(f.index).Tag
		digits, _ := strconv.Atoi(tag.Get("digits"))
		byName[f.name] = member{f.index, tag.Get("empty") == "refused", digits}
	}
	known, _ := membersOf.LoadOrStore(t, byName)
	return known.(map[string]member)
}

var membersOf sync.Map // reflect.Type → map[string]member

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// textual reports whether a value of type t can be parsed from one text.
func textual(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(textUnmarshaler) {
		return true
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
		return true
	default:
		return false
	}
}

// list reports whether t is a slice of textual values.
func list(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && !reflect.PointerTo(t).Implements(textUnmarshaler) && textual(t.Elem())
}
