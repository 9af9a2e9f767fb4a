package checker

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// The places where an input can be, in the words of package validate.
const (
	inForm = "form"
	inJSON = "json"
)

// forms maps the media types of request bodies to the place of their members.
var forms = map[string]string{"application/json": inJSON, "application/x-www-form-urlencoded": inForm}

// Input is a parameter of an operation, or a member of its body.
type Input struct {
	In       string // path, query, header, form or json
	Path     string // name of a parameter, without a list's brackets; dot path of a member, such as card.expiry_year
	Required bool   // required in its object
	Example  string // of a parameter, written as in an address, but not escaped; "": not documented
	schema   *openapi3.SchemaRef
}

// Allows returns true if the document accepts the value. For an optional member null counts as absent (contract §2.2).
func (i Input) Allows(value any) bool {
	if value == nil && !i.Required {
		return true
	}
	return i.schema.Value.VisitJSON(value) == nil
}

// Is returns true if the document gives the input this JSON type, such as "object".
func (i Input) Is(kind string) bool { return i.schema.Value.Type.Is(kind) }

// InputsIn returns the operation's inputs in one place. In a body each object precedes its members.
func (o Operation) InputsIn(place string) []Input {
	return slices.DeleteFunc(slices.Clone(o.Inputs), func(i Input) bool { return i.In != place })
}

func inputsOf(item *openapi3.PathItem, op *openapi3.Operation) []Input {
	var list []Input
	for _, p := range slices.Concat(item.Parameters, op.Parameters) {
		name := strings.TrimSuffix(p.Value.Name, "[]") // contract §2.5
		list = append(list, Input{In: p.Value.In, Path: name, Required: p.Value.Required, Example: exampleText(p.Value),
			schema: p.Value.Schema})
	}
	if op.RequestBody == nil {
		return list
	}
	for media, in := range forms {
		if content := op.RequestBody.Value.Content[media]; content != nil {
			list = append(list, members(in, content.Schema.Value, "")...)
		}
	}
	return list
}

// members returns the members of an object. It also returns the members of the objects in it and in its lists.
func members(in string, object *openapi3.Schema, path string) []Input {
	var list []Input
	for _, part := range object.AllOf {
		list = append(list, members(in, part.Value, path)...)
	}
	for _, name := range slices.Sorted(maps.Keys(object.Properties)) {
		member := object.Properties[name]
		list = append(list, Input{In: in, Path: path + name, Required: slices.Contains(object.Required, name),
			schema: member})
		if items := member.Value.Items; items != nil {
			list = append(list, members(in, items.Value, path+name+"[].")...)
		}
		list = append(list, members(in, member.Value, path+name+".")...)
	}
	return list
}

// Sample returns a value that the document accepts: the input's example, or else the smallest value that the schema
// allows.
func (i Input) Sample() any { return smallest(i.schema.Value) }

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

// exampleText returns a parameter's example as an address shows it. The values of a list are joined by commas (contract
// §2.5).
func exampleText(p *openapi3.Parameter) string {
	example := p.Example
	if example == nil {
		example = p.Schema.Value.Example
	}
	list, many := example.([]any)
	if !many {
		list = []any{example}
	}
	var all []string
	for _, each := range list {
		if each != nil {
			all = append(all, fmt.Sprint(each))
		}
	}
	return strings.Join(all, ",")
}
