package contract

import (
	"maps"
	"slices"
	"strings"

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

// queriesOf lists the operation's query parameters, without the brackets of
// lists (contract §2.5).
func queriesOf(item *openapi3.PathItem, op *openapi3.Operation) []string {
	var names []string
	for _, p := range slices.Concat(item.Parameters, op.Parameters) {
		if p.Value.In == openapi3.ParameterInQuery {
			names = append(names, strings.TrimSuffix(p.Value.Name, "[]"))
		}
	}
	return names
}

// bodyOf lists the members of the operation's JSON body.
func bodyOf(op *openapi3.Operation) []Input {
	if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
		return nil
	}
	return inputs(op.RequestBody.Value.Content["application/json"].Schema.Value, "")
}
