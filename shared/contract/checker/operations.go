package checker

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// Extensions in openapi.yaml. The beginning of that file explains them.
const (
	scopesExtension    = "x-scopes"
	publicKeyExtension = "x-public-key"
	actionExtension    = "x-action"
)

// Operation is one endpoint of the document, with the same terms as a table of routes.
type Operation struct {
	Method      string    // upper case
	Path        string    // as in the document, e.g. /v0.1/checkouts/{id}
	OperationID string    // e.g. createCheckout
	Scopes      []string  // any one suffices; empty: any credential, or none if Public
	Public      bool      // the operation needs no credential at all
	PublicKey   bool      // a public key may use it, from a browser (contract §2.1)
	Action      string    // action of merchant tokens that may use it, from a browser (contract §8.5); "": none
	Success     []int     // statuses below 400, sorted
	Inputs      []Input   // parameters and headers, and the members of the body
	Examples    []Example // examples of the body, by name
}

// Operations returns the document's endpoints, sorted by path and method.
func (c *Checker) Operations() []Operation { return slices.Clone(c.operations) }

// readOperations returns the endpoints of a validated document. The document's global security applies to each
// operation that has no security section.
func readOperations(doc *openapi3.T) ([]Operation, error) {
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

// browserMethods returns the methods of a path that browsers may use, sorted.
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

// Example is a request body from the document.
type Example struct {
	Name      string
	MediaType string
	Value     any // decoded JSON: map[string]any, string, json.Number and so on
}

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
