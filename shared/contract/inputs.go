package contract

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// Input is a member of an operation's JSON body.
type Input struct {
	Path     string // dot path, e.g. card.expiry_year
	Required bool   // in the object it is in
	schema   *openapi3.Schema
}

// Allows says that the document takes the value there. On an optional member
// null is absent (contract §2.2).
func (i Input) Allows(value any) bool {
	if value == nil && !i.Required {
		return true
	}
	return i.schema.VisitJSON(value) == nil
}

// inputs lists the members of an object and of the objects in it.
func inputs(schema *openapi3.Schema, path string) []Input {
	var list []Input
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		member := schema.Properties[name].Value
		list = append(list, Input{Path: path + name, Required: slices.Contains(schema.Required, name), schema: member})
		list = append(list, inputs(member, path+name+".")...)
	}
	return list
}

// Sample is a value that the document takes there: its example, or what the
// schema asks for and no more.
func (i Input) Sample() any { return smallest(i.schema) }

func smallest(s *openapi3.Schema) any {
	switch {
	case s.Example != nil:
		return s.Example
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type.Is(openapi3.TypeObject):
		object := map[string]any{}
		for _, name := range s.Required {
			object[name] = smallest(s.Properties[name].Value)
		}
		return object
	case s.Type.Is(openapi3.TypeArray):
		return []any{}
	case s.Type.Is(openapi3.TypeBoolean):
		return true
	case s.Type.Is(openapi3.TypeString):
		return "x"
	default:
		return 1
	}
}

// bodyOf lists the members of the operation's JSON body.
func bodyOf(op *openapi3.Operation) []Input {
	if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
		return nil
	}
	return inputs(op.RequestBody.Value.Content["application/json"].Schema.Value, "")
}
