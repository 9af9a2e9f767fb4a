package checker

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Extensions of openapi.yaml; its head explains them.
const (
	scopesExtension    = "x-scopes"
	publicKeyExtension = "x-public-key"
	actionExtension    = "x-action"
)

// Operation is one endpoint of the document, in the terms of a routes table.
type Operation struct {
	Method      string    // upper case
	Path        string    // as in the document, e.g. /v0.1/checkouts/{id}
	OperationID string    // e.g. createCheckout
	Scopes      []string  // any one suffices; empty: any credential, or none where Public
	Public      bool      // needs no credential at all
	PublicKey   bool      // a public key may use it, from a browser (contract §2.1)
	Action      string    // that lets a merchant token use it, from a browser (contract §8.5); "": none does
	Success     []int     // statuses below 400, sorted
	Inputs      []Input   // its parameters, headers among them, and the members of its body
	Examples    []Example // of its body, by name; none of an operation without a body
}

// Operations lists the document's endpoints by path, then method.
func (c *Checker) Operations() []Operation { return slices.Clone(c.operations) }

// operations reads the endpoints off a validated document, with the global security as the default.
func operations(doc *openapi3.T) ([]Operation, error) {
	var list []Operation
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			scopes, err := scopesOf(op)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			list = append(list, Operation{
				Method:      method,
				Path:        path,
				OperationID: op.OperationID,
				Scopes:      scopes,
				Public:      op.Security != nil && len(*op.Security) == 0,
				PublicKey:   allowsPublicKey(op),
				Action:      actionOf(op),
				Success:     successesOf(op),
				Inputs:      inputsOf(item, op),
				Examples:    examplesOf(op),
			})
		}
	}
	slices.SortFunc(list, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return list, nil
}

func scopesOf(op *openapi3.Operation) ([]string, error) {
	values, ok := op.Extensions[scopesExtension].([]any)
	if !ok {
		return nil, fmt.Errorf("%s must be a list", scopesExtension)
	}
	scopes := make([]string, len(values))
	for i, value := range values {
		if scopes[i], ok = value.(string); !ok {
			return nil, fmt.Errorf("%s must list strings", scopesExtension)
		}
	}
	return scopes, nil
}

func allowsPublicKey(op *openapi3.Operation) bool {
	allowed, _ := op.Extensions[publicKeyExtension].(bool)
	return allowed
}

func actionOf(op *openapi3.Operation) string {
	action, _ := op.Extensions[actionExtension].(string)
	return action
}

// browserMethods lists the methods of a path that browsers may use, sorted.
func browserMethods(item *openapi3.PathItem) []string {
	var list []string
	for method, op := range item.Operations() {
		if allowsPublicKey(op) || actionOf(op) != "" {
			list = append(list, method)
		}
	}
	slices.Sort(list)
	return list
}

// Where an input is, in the words of package validate.
const (
	inForm = "form"
	inJSON = "json"
)

// forms are the media types of request bodies, with where their members are.
var forms = map[string]string{"application/json": inJSON, "application/x-www-form-urlencoded": inForm}

// Input is a parameter of an operation, or a member of its body.
type Input struct {
	In       string // path, query, header, form or json
	Path     string // name of a parameter, without a list's brackets; dot path of a member, e.g. card.expiry_year
	Required bool   // in the object it is in
	Example  string // of a parameter, as in an address, not escaped; "": none is documented
	schema   *openapi3.SchemaRef
}

// Allows reports whether the document accepts the value. On an optional member null is absent (contract §2.2).
func (i Input) Allows(value any) bool {
	if value == nil && !i.Required {
		return true
	}
	return i.schema.Value.VisitJSON(value) == nil
}

// Is reports whether the document gives the input this type of JSON, such as "object".
func (i Input) Is(kind string) bool { return i.schema.Value.Type.Is(kind) }

// InputsIn lists the operation's inputs of one place; of a body each object before its members.
func (o Operation) InputsIn(place string) []Input {
	return slices.DeleteFunc(slices.Clone(o.Inputs), func(i Input) bool { return i.In != place })
}

// inputsOf lists what an operation's requests may hold.
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

// members lists those of an object, and of the objects in it and in its lists.
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

// Sample returns a value that the document accepts: its example, or the least that the schema requires.
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

// Example is a request body from the document.
type Example struct {
	Name      string
	MediaType string
	Value     any // decoded JSON: map[string]any, string, json.Number and so on
}

// exampleText returns a parameter's example as written in an address; lists are joined by commas (contract §2.5).
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

// examplesOf lists an operation's example request bodies.
func examplesOf(op *openapi3.Operation) []Example {
	if op.RequestBody == nil {
		return nil
	}
	var list []Example
	for media, content := range op.RequestBody.Value.Content {
		for name, example := range content.Examples {
			list = append(list, Example{Name: name, MediaType: media, Value: example.Value.Value})
		}
	}
	slices.SortFunc(list, func(a, b Example) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// successesOf lists the statuses below 400.
func successesOf(op *openapi3.Operation) []int {
	var list []int
	for text := range op.Responses.Map() {
		if status, err := strconv.Atoi(text); err == nil && status < http.StatusBadRequest {
			list = append(list, status)
		}
	}
	slices.Sort(list)
	return list
}

// Limits are the document's requirements of the input, each as keyword=value, sorted: required, type, minLength,
// maxLength, pattern, format, enum (its values sorted, joined by |), minimum, maximum, minItems and maxItems. A list's
// own are type, minItems and maxItems; the others are its entries'. A schema with alternatives has only schema=<its
// name>.
func (i Input) Limits() []string {
	var list []string
	if i.Required {
		list = append(list, "required")
	}
	list = append(list, limitsOf(i.schema)...)
	slices.Sort(list)
	return slices.Compact(list)
}

func limitsOf(ref *openapi3.SchemaRef) []string {
	s := ref.Value
	var list []string
	add := func(keyword string, value any) { list = append(list, fmt.Sprint(keyword, "=", value)) }
	if kind := s.Type; kind != nil && len(*kind) == 1 {
		add("type", (*kind)[0])
	}
	for _, part := range s.AllOf {
		list = append(list, limitsOf(part)...)
	}
	switch alternatives := withoutJoined(slices.Concat(s.OneOf, s.AnyOf)); {
	case len(alternatives) == 1:
		list = append(list, limitsOf(alternatives[0])...)
	case len(alternatives) > 1:
		add("schema", ref.Ref[strings.LastIndex(ref.Ref, "/")+1:])
	}
	if s.MinLength > 0 {
		add("minLength", s.MinLength)
	}
	if s.MaxLength != nil {
		add("maxLength", *s.MaxLength)
	}
	if s.Pattern != "" {
		add("pattern", s.Pattern)
	}
	if s.Format != "" {
		add("format", s.Format)
	}
	if len(s.Enum) > 0 {
		add("enum", joined(s.Enum))
	}
	return append(list, boundsOf(s)...)
}

func boundsOf(s *openapi3.Schema) []string {
	var list []string
	for keyword, bound := range map[string]*float64{"minimum": s.Min, "maximum": s.Max} {
		if bound != nil {
			list = append(list, keyword+"="+strconv.FormatFloat(*bound, 'f', -1, 64))
		}
	}
	if s.MinItems > 0 {
		list = append(list, fmt.Sprint("minItems=", s.MinItems))
	}
	if s.MaxItems != nil {
		list = append(list, fmt.Sprint("maxItems=", *s.MaxItems))
	}
	if s.Items != nil {
		for _, limit := range limitsOf(s.Items) {
			if !strings.HasPrefix(limit, "type=") {
				list = append(list, limit)
			}
		}
	}
	return list
}

// withoutJoined leaves out the alternative that several values are joined by commas (contract §2.5).
func withoutJoined(alternatives openapi3.SchemaRefs) openapi3.SchemaRefs {
	return slices.DeleteFunc(alternatives, func(ref *openapi3.SchemaRef) bool {
		return strings.HasSuffix(ref.Ref, "/CommaJoined")
	})
}

func joined(values []any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = fmt.Sprint(value)
	}
	slices.Sort(texts)
	return strings.Join(texts, "|")
}
