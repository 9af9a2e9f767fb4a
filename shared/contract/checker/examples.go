package checker

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Example is a request body from the document.
type Example struct {
	Name      string
	MediaType string
	Value     any // decoded JSON: map[string]any, string, json.Number and so on
}

// exampleText is a parameter's example as written in an address; lists are
// joined by commas (contract §2.5).
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
