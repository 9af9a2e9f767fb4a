package validate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// tag is the struct tag with a field's rules.
const tag = "validate"

// parts is the number of parts of a tag: the rules before the word "then", and the rules after it.
const parts = 2

// Object describes a struct type by those of its fields that a request fills.
type Object struct {
	Fields []Field
	idle   bool // true if no field needs a check
}

// Field is one field of an object, with its limits.
type Field struct {
	Name     string       // the name that clients write
	In       string       // where the field comes from: json, query, path or form
	Or       string       // json, if a field of a form may also be sent as JSON; else ""
	Type     reflect.Type // type of the value, never a pointer or an optional
	Required bool
	Limits   []Limit // all rules except required
	Object   *Object // of an object, a list of objects, or an embedded struct; else nil

	index    int
	embedded bool // an embedded struct: Name is "", and its fields belong to the object itself
	optional bool // the field is an optional.Of
	isText   bool
	secret   bool
	rules    [parts][]rule
	own      [parts]bool
	within   int  // the part of the tag that checks the object in the field
	idle     bool // the field needs no check
}

// Limit is a rule as the tag writes it.
type Limit struct {
	Name, Argument string
}

var planned sync.Map // reflect.Type → *Object

// Plan returns the description of a struct type. It makes the description only once. On an invalid tag it panics, when
// the routes' package is loaded.
func Plan(t reflect.Type) *Object {
	if known, ok := planned.Load(t); ok {
		return known.(*Object)
	}
	o := &Object{idle: true}
	for i := range t.NumField() {
		if f, ok := planField(t, t.Field(i)); ok {
			f.index = i
			f.idle = !f.Required && len(f.Limits) == 0 && (f.Object == nil || f.Object.idle)
			o.Fields, o.idle = append(o.Fields, f), o.idle && f.idle
		}
	}
	known, _ := planned.LoadOrStore(t, o)
	return known.(*Object)
}

// names returns the names that clients write. The fields of an embedded struct come at the place of the struct.
func (o *Object) names() []string {
	var names []string
	for _, f := range o.Fields {
		if f.embedded {
			names = append(names, f.Object.names()...)
		} else {
			names = append(names, f.Name)
		}
	}
	return names
}

// Lookup returns the field with the name, or nil if there is no such field.
func (o *Object) Lookup(in, name string) *Field {
	for i := range o.Fields {
		f := &o.Fields[i]
		if f.embedded {
			if inner := f.Object.Lookup(in, name); inner != nil {
				return inner
			}
		} else if (f.In == in || f.Or == in) && f.Name == name {
			return f
		}
	}
	return nil
}

func planField(owner reflect.Type, from reflect.StructField) (Field, bool) {
	if from.Anonymous && from.Type.Kind() == reflect.Struct {
		f := Field{embedded: true, Object: Plan(from.Type)}
		if !from.IsExported() && slices.ContainsFunc(f.Object.Fields, func(f Field) bool {
			return slices.Contains(f.own[:], true)
		}) {
			panic(fmt.Sprintf("validate: %s embeds %s, whose method Rule cannot be called", owner, from.Type))
		}
		return f, true
	}
	f := Field{Type: valueType(from.Type), optional: from.Type.Implements(reflect.TypeFor[pointed]())}
	f.secret = f.Type.Implements(reflect.TypeFor[secret]())
	f.isText = f.secret || f.Type.Kind() == reflect.String
	for _, in := range []string{"path", "query", "form", "json"} {
		if name, _, _ := strings.Cut(from.Tag.Get(in), ","); name != "" && name != "-" {
			if f.Name == "" {
				f.In, f.Name = in, name
			} else if f.In == "form" && f.Name == name {
				f.Or = in
			}
		}
	}
	text, limited := from.Tag.Lookup(tag)
	if f.Name == "" || !from.IsExported() {
		if limited {
			panic(fmt.Sprintf("validate: no client can fill %s.%s", owner, from.Name))
		}
		return f, false
	}
	if inner := objectIn(f.Type); inner != nil {
		f.Object = Plan(inner)
	}
	if e, ok := reflect.Zero(elementOf(f.Type)).Interface().(enumeration); ok {
		text = "one-of=" + strings.Join(e.Values(), "|") + " " + text
	}
	if err := f.parseTag(text, owner); err != nil {
		panic(fmt.Sprintf("validate: %s.%s: %v", owner, from.Name, err))
	}
	return f, true
}

// enumeration is a text type that lists its allowed values.
type enumeration interface{ Values() []string }

// elementOf returns the type of a list's elements, or t for other types.
func elementOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		return valueType(t.Elem())
	}
	return t
}

func valueType(t reflect.Type) reflect.Type {
	if o, ok := reflect.Zero(t).Interface().(pointed); ok {
		t = reflect.TypeOf(o.Pointer())
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// objectIn returns the struct type of t, or of the elements of t, if clients fill it field by field. Otherwise it
// returns nil.
func objectIn(t reflect.Type) reflect.Type {
	t = elementOf(t)
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous || f.IsExported() && f.Tag.Get("json") != "" {
			return t
		}
	}
	return nil
}

func (f *Field) parseTag(text string, owner reflect.Type) error {
	part := 0
	for word := range strings.FieldsSeq(text) {
		name, argument, _ := strings.Cut(word, "=")
		switch name {
		case "required":
			f.Required = true
		case "then":
			part++
		case "own":
			if !owner.Implements(reflect.TypeFor[Ruled]()) {
				return fmt.Errorf("%s has no method Rule", owner)
			}
			f.own[part] = true
		default:
			r, err := newRule(name, argument, f.Type)
			if err != nil {
				return err
			}
			f.rules[part] = append(f.rules[part], r)
		}
		if part >= parts {
			return fmt.Errorf("then is given twice")
		}
		if name != "required" && name != "then" {
			f.Limits = append(f.Limits, Limit{name, argument})
		}
	}
	f.within = part
	return nil
}
