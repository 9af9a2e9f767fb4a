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

// plan describes how a request type is filled: from path values, query parameters, form fields and JSON members.
type plan struct {
	path, query, form []field
	json              bool // the type has JSON members
	signed            bool // the operation gets the body as it was sent
	unchecked         bool // the operation checks its fields itself
	request           reflect.Type
}

type field struct {
	name   string
	index  []int
	limits *validate.Field
}

var planCache sync.Map // reflect.Type → plan

// planOf returns the plan of a type. While a family's routes are made, it panics on a type that cannot be filled.
func planOf(t reflect.Type) plan {
	if known, ok := planCache.Load(t); ok {
		return known.(plan)
	}
	known, _ := planCache.LoadOrStore(t, newPlan(t))
	return known.(plan)
}

func newPlan(t reflect.Type) plan {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("rest: request type %s is not a struct", t))
	}
	p := plan{
		path:    taggedFields(t, "path"),
		query:   taggedFields(t, "query"),
		form:    taggedFields(t, "form"),
		json:    len(jsonMembers(t)) > 0,
		request: t,
	}
	for _, fields := range [][]field{p.path, p.query, p.form} {
		for _, f := range fields {
			if kind := t.FieldByIndex(f.index).Type; !isTextual(kind) && !isList(kind) {
				panic(fmt.Sprintf("rest: %s.%s cannot hold text", t, f.name))
			}
			if strings.Contains(f.name, "[") {
				panic(fmt.Sprintf("rest: %s.%s: a list is named without brackets (contract §2.5)", t, f.name))
			}
		}
	}
	return p
}

// taggedFields returns the fields with the tag, including those of embedded structs. It panics if two share a name.
func taggedFields(t reflect.Type, tag string) []field {
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

// member is a field that is filled from a JSON member.
type member struct {
	index        []int
	refusesEmpty bool
	digits       int // for a text that clients may send as a number: its least digits; 0: not allowed
}

// jsonMembers maps member names to fields. Names must match exactly, because a match that ignores case, as in
// encoding/json, would let AMOUNT override amount.
func jsonMembers(t reflect.Type) map[string]member {
	if known, ok := memberCache.Load(t); ok {
		return known.(map[string]member)
	}
	byName := map[string]member{}
	for _, f := range taggedFields(t, "json") {
		tag := t.FieldByIndex(f.index).Tag
		digits, _ := strconv.Atoi(tag.Get("digits"))
		byName[f.name] = member{f.index, tag.Get("empty") == "refused", digits}
	}
	known, _ := memberCache.LoadOrStore(t, byName)
	return known.(map[string]member)
}

var memberCache sync.Map // reflect.Type → map[string]member

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// isTextual returns true if a value of type t can be parsed from one text.
func isTextual(t reflect.Type) bool {
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

// isList returns true if t is a slice of textual values.
func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && !reflect.PointerTo(t).Implements(textUnmarshaler) && isTextual(t.Elem())
}
