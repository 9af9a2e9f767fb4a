package checker

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Limits returns the document's requirements for the input, each as keyword=value, sorted: required, type, minLength,
// maxLength, pattern, format, enum (its values sorted, joined by |), minimum, maximum, minItems and maxItems. For a
// list, type, minItems and maxItems limit the list, and the other keywords limit its entries. For alternatives, Limits
// returns only schema=<the schema's name>.
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
		add("enum", joinValues(s.Enum))
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

// withoutJoined returns the alternatives without the alternative for several values joined by commas (contract §2.5).
func withoutJoined(alternatives openapi3.SchemaRefs) openapi3.SchemaRefs {
	return slices.DeleteFunc(alternatives, func(ref *openapi3.SchemaRef) bool {
		return strings.HasSuffix(ref.Ref, "/CommaJoined")
	})
}

func joinValues(values []any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = fmt.Sprint(value)
	}
	slices.Sort(texts)
	return strings.Join(texts, "|")
}
