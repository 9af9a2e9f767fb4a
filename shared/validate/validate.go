// Package validate checks the fields of a request by the tags on its type, the only place of their limits; a test
// compares them with openapi.yaml in both directions. A tag lists rules, divided by blanks:
//
//	Reference string  `json:"checkout_reference" validate:"required text=90"`
//	Email     *string `json:"email" validate:"text=255 then email?"`
//
// The rules are in rules.go, and the named formats in formats.go. An absent field breaks no rule but required. A plain
// field is absent when it is zero; a pointer or an [optional.Of] with an empty text is present.
//
// Faults come in the order of the fields, those of an object or a list of objects at its place. What follows the word
// then is checked after the rest of the object. A field has at most one fault on either side of it.
//
// What depends on more than one field is the operation's own code; [Order] puts its faults where they belong.
package validate

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Ruled is an object of which some fields have the rule own: it depends on the time or on the other fields.
type Ruled interface {
	// Rule says what is wrong with a field that broke no rule before own, for failure.Invalid; "" if nothing is.
	Rule(field string, now time.Time) string
}

// Fields lists what is wrong with a request, a struct or a pointer to one: MISSING or INVALID, with dot paths.
func Fields(request any, now time.Time) failure.List {
	return walk(request, check{now: now})
}

// Forms is Fields for types without the rule own, the only one that needs the time.
func Forms(request any) failure.List { return Fields(request, time.Time{}) }

// Missing lists only the required fields that are absent.
func Missing(request any) failure.List {
	return walk(request, check{presenceOnly: true})
}

func walk(request any, c check) failure.List {
	v := reflect.Indirect(reflect.ValueOf(request))
	c.object(Plan(v.Type()), v, "")
	return c.faults
}

// Order sorts faults by the request's fields with which their params begin: first those that are named, then the others
// in the order of the type, and last those without a field. Faults of one field, or in its object, keep their order.
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

// check is one walk over a request.
type check struct {
	now          time.Time
	presenceOnly bool
	faults       failure.List
}

func (c *check) object(o *Object, v reflect.Value, path string) {
	for part := range parts {
		for i := range o.Fields {
			switch f := &o.Fields[i]; {
			case f.idle:
			case !f.embedded:
				c.field(f, part, v, path)
			case part == 0:
				c.object(f.Object, v.Field(f.index), path)
			}
		}
	}
}

// field checks one part of a field of the object owner.
func (c *check) field(f *Field, part int, owner reflect.Value, path string) {
	v, given := f.value(owner.Field(f.index))
	path += f.Name
	switch {
	case f.Required && (!given || f.isText && f.text(v) == ""):
		if part == 0 {
			c.faults = append(c.faults, failure.Missing(path))
		}
	case given && !c.presenceOnly:
		c.rules(f, part, v, owner, path)
	}
	if given && f.Object != nil && f.within == part {
		c.inner(f, v, path)
	}
}

func (c *check) rules(f *Field, part int, v, owner reflect.Value, path string) {
	if at, message := f.broken(part, v); message != "" {
		c.faults = append(c.faults, failure.Invalid(path+at, message))
	} else if f.own[part] {
		if message := owner.Interface().(Ruled).Rule(f.Name, c.now); message != "" {
			c.faults = append(c.faults, failure.Invalid(path, message))
		}
	}
}

// inner checks the object in a field, or each of a list of them.
func (c *check) inner(f *Field, v reflect.Value, path string) {
	if v.Kind() != reflect.Slice {
		c.object(f.Object, v, path+".")
		return
	}
	for i := range v.Len() {
		if element := v.Index(i); element.Kind() != reflect.Pointer {
			c.object(f.Object, element, path+"."+strconv.Itoa(i)+".")
		} else if !element.IsNil() {
			c.object(f.Object, element.Elem(), path+"."+strconv.Itoa(i)+".")
		}
	}
}

// Fault says what is wrong with the field's value by rules but required and own, for failure.Invalid; "" if nothing is.
func (f *Field) Fault(field reflect.Value) string {
	v, given := f.value(field)
	if !given {
		return ""
	}
	for part := range parts {
		if _, message := f.broken(part, v); message != "" {
			return message
		}
	}
	return ""
}

// broken returns the first fault of the value by the rules of the part, and where in it: "", or ".2" in a list.
func (f *Field) broken(part int, v reflect.Value) (at, message string) {
	for _, r := range f.rules[part] {
		switch {
		case r.whole != nil:
			message = r.whole(v)
		case v.Kind() != reflect.Slice:
			message = r.text(f.text(v))
		default:
			at, message = brokenIn(v, r)
		}
		if message != "" {
			return at, message
		}
	}
	return "", ""
}

func brokenIn(list reflect.Value, r rule) (at, message string) {
	for i := range list.Len() {
		if message := r.text(list.Index(i).String()); message != "" {
			return "." + strconv.Itoa(i), message
		}
	}
	return "", ""
}

// value is a field's value, and whether it was given.
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

// pointed is an optional.Of.
type pointed interface{ Pointer() any }

// secret is a text that is hidden from all that prints it.
type secret interface{ Reveal() string }
