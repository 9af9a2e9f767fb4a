// Package validate checks the fields of a request by the tags on its type. The limits are written only in the tags, and
// a test compares them with openapi.yaml in both directions. Call [Fields] with a request. A tag lists rules, separated
// by blanks:
//
//	Reference string  `json:"checkout_reference" validate:"required text=90"`
//	Email     *string `json:"email" validate:"text=255 then email?"`
//
// The rules are in rules.go, and the named formats in formats.go. An absent field breaks no rule except required. A
// plain field is absent if it is zero. A pointer or an [optional.Of] with an empty text is present.
//
// Faults are in the order of the fields. The faults within an object or a list of objects are at the place of that
// field. Rules after the word "then" are checked after the rest of the object. A field has at most one fault by the
// rules before "then", and one by the rules after it.
//
// The operation itself checks rules about several fields. [Order] puts their faults in place.
package validate

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Ruled is an object that checks some of its fields itself. These fields have the rule "own". Their check depends on
// the time or on other fields.
type Ruled interface {
	// Rule returns the fault of a field with the rule "own", as a predicate for failure.Invalid, or "". It is called only
	// if the field has broken no rule before "own".
	Rule(field string, now time.Time) string
}

// Fields returns the faults of a request, which is a struct or a pointer to a struct. The failures are MISSING or
// INVALID, with dot paths.
func Fields(request any, now time.Time) failure.List {
	return walk(request, check{now: now})
}

// Forms returns the faults as Fields does, but needs no time. The type must not have the rule "own".
func Forms(request any) failure.List { return Fields(request, time.Time{}) }

// Missing returns only the faults of absent required fields.
func Missing(request any) failure.List {
	return walk(request, check{presenceOnly: true})
}

func walk(request any, c check) failure.List {
	v := reflect.Indirect(reflect.ValueOf(request))
	c.checkObject(Plan(v.Type()), v, "")
	return c.faults
}

// Order sorts faults by the field of the request at the start of their params. The fields in first come first, then the
// other fields in the order of the type, and last the faults without a field. Faults of one field, or within its
// object, stay in their order.
func Order(request any, faults failure.List, first ...string) failure.List {
	names := slices.Concat(first, Plan(reflect.Indirect(reflect.ValueOf(request)).Type()).names())
	place := func(e *failure.Error) int {
		name, _, _ := strings.Cut(e.Param, ".")
		if i := slices.Index(names, name); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(faults, func(a, b *failure.Error) int { return place(a) - place(b) })
	return faults
}

// check is one check of all fields of a request.
type check struct {
	now          time.Time
	presenceOnly bool
	faults       failure.List
}

func (c *check) checkObject(o *Object, v reflect.Value, path string) {
	for part := range parts {
		for i := range o.Fields {
			switch f := &o.Fields[i]; {
			case f.idle:
			case !f.embedded:
				c.checkField(f, part, v, path)
			case part == 0:
				c.checkObject(f.Object, v.Field(f.index), path)
			}
		}
	}
}

// checkField checks a field of the object owner by the rules in one part of its tag.
func (c *check) checkField(f *Field, part int, owner reflect.Value, path string) {
	v, given := f.value(owner.Field(f.index))
	path += f.Name
	switch {
	case f.Required && (!given || f.isText && f.text(v) == ""):
		if part == 0 {
			c.faults = append(c.faults, failure.Missing(path))
		}
	case given && !c.presenceOnly:
		c.checkRules(f, part, v, owner, path)
	}
	if given && f.Object != nil && f.within == part {
		c.checkInner(f, v, path)
	}
}

func (c *check) checkRules(f *Field, part int, v, owner reflect.Value, path string) {
	if at, message := f.findFault(part, v); message != "" {
		c.faults = append(c.faults, failure.Invalid(path+at, message))
	} else if f.own[part] {
		if message := owner.Interface().(Ruled).Rule(f.Name, c.now); message != "" {
			c.faults = append(c.faults, failure.Invalid(path, message))
		}
	}
}

// checkInner checks the object in a field, or each object of a list.
func (c *check) checkInner(f *Field, v reflect.Value, path string) {
	if v.Kind() != reflect.Slice {
		c.checkObject(f.Object, v, path+".")
		return
	}
	for i := range v.Len() {
		if element := v.Index(i); element.Kind() != reflect.Pointer {
			c.checkObject(f.Object, element, path+"."+strconv.Itoa(i)+".")
		} else if !element.IsNil() {
			c.checkObject(f.Object, element.Elem(), path+"."+strconv.Itoa(i)+".")
		}
	}
}

// Fault returns the first fault of the field's value, as a predicate for failure.Invalid, or "". It ignores the rules
// required and own.
func (f *Field) Fault(field reflect.Value) string {
	v, given := f.value(field)
	if !given {
		return ""
	}
	for part := range parts {
		if _, message := f.findFault(part, v); message != "" {
			return message
		}
	}
	return ""
}

// findFault returns the first fault of the value by the rules of the part, and the place of the fault: "", or an index
// such as ".2" in a list.
func (f *Field) findFault(part int, v reflect.Value) (at, message string) {
	for _, r := range f.rules[part] {
		switch {
		case r.whole != nil:
			message = r.whole(v)
		case v.Kind() != reflect.Slice:
			message = r.text(f.text(v))
		default:
			at, message = findFaultInList(v, r)
		}
		if message != "" {
			return at, message
		}
	}
	return "", ""
}

func findFaultInList(list reflect.Value, r rule) (at, message string) {
	for i := range list.Len() {
		if message := r.text(list.Index(i).String()); message != "" {
			return "." + strconv.Itoa(i), message
		}
	}
	return "", ""
}

// value returns a field's value, and true if the request has the field.
func (f *Field) value(v reflect.Value) (reflect.Value, bool) {
	if f.optional {
		v = reflect.ValueOf(v.Interface().(pointed).Pointer())
	}
	if v.Kind() == reflect.Pointer {
		return v.Elem(), !v.IsNil()
	}
	return v, !v.IsZero()
}

func (f *Field) text(v reflect.Value) string {
	if f.secret {
		return v.Interface().(secret).Reveal()
	}
	return v.String()
}

// pointed is implemented by optional.Of.
type pointed interface{ Pointer() any }

// secret is a text that fmt and slog do not print.
type secret interface{ Reveal() string }
