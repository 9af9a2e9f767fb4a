package checker

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestDocument_StrictResponses checks that a response may have only documented fields, so that the tests notice leaks.
// A request may have any fields (contract §2.2).
func TestDocument_StrictResponses(t *testing.T) {
	t.Parallel()
	doc := loadDocument(t)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + path
			for status, response := range op.Responses.Map() {
				for media, content := range response.Value.Content {
					if open := findObject(content.Schema.Value, isOpen); open != nil {
						t.Errorf("%s %s %s: got an open response object with %v, want it closed", name, status, media, fields(open))
					}
				}
			}
			if op.RequestBody == nil {
				continue
			}
			for media, content := range op.RequestBody.Value.Content {
				if closed := findObject(content.Schema.Value, isClosed); closed != nil {
					t.Errorf("%s %s: got a closed request object with %v, want it open", name, media, fields(closed))
				}
			}
		}
	}
}

func isOpen(s *openapi3.Schema) bool { return !isClosed(s) }

// isClosed returns true if the schema allows no undocumented fields. It also returns true if all undocumented fields
// must be strings, as in the payload of a redirect.
func isClosed(s *openapi3.Schema) bool {
	extra := s.AdditionalProperties
	return extra.Has != nil && !*extra.Has || extra.Schema != nil
}

// findObject returns the first object schema within s that matches, or nil. Objects beside a closed object in allOf
// only add rules to it. So they are searched, but are not matched themselves.
func findObject(s *openapi3.Schema, match func(*openapi3.Schema) bool) *openapi3.Schema {
	if s.Type.Is(openapi3.TypeObject) && match(s) {
		return s
	}
	closed := slices.ContainsFunc(s.AllOf, func(ref *openapi3.SchemaRef) bool { return closes(ref.Value) })
	for _, ref := range s.AllOf {
		if closed && !closes(ref.Value) {
			continue
		}
		if found := findObject(ref.Value, match); found != nil {
			return found
		}
	}
	for _, ref := range children(s) {
		if found := findObject(ref.Value, match); found != nil {
			return found
		}
	}
	return nil
}

// closes returns true if s, or a part of its allOf, refuses undocumented fields.
func closes(s *openapi3.Schema) bool {
	return isClosed(s) || slices.ContainsFunc(s.AllOf, func(ref *openapi3.SchemaRef) bool { return closes(ref.Value) })
}

func children(s *openapi3.Schema) []*openapi3.SchemaRef {
	list := slices.Concat(s.OneOf, s.AnyOf)
	for _, ref := range s.Properties {
		list = append(list, ref)
	}
	if s.Items != nil {
		list = append(list, s.Items)
	}
	return list
}

func fields(s *openapi3.Schema) []string {
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// sandboxCards are the cards of contract §12 that examples may show.
var sandboxCards = []string{"4200000000000091", "4200000000000042"}

func TestDocument_CardsInExamples(t *testing.T) {
	t.Parallel()
	digits := regexp.MustCompile(`\b[0-9]{12,19}\b`)
	doc := loadDocument(t)
	cards := 0
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody != nil {
				for _, content := range op.RequestBody.Value.Content {
					for _, number := range digits.FindAllString(examplesText(t, content.Examples), -1) {
						cards++
						if !slices.Contains(sandboxCards, number) {
							t.Errorf("%s %s: got card %s in a request example, want one of %v", method, path, number, sandboxCards)
						}
					}
				}
			}
			for status, response := range op.Responses.Map() {
				for _, content := range response.Value.Content {
					if found := digits.FindString(examplesText(t, content.Examples)); found != "" {
						t.Errorf("%s %s %s: got card %s in a response example, want none", method, path, status, found)
					}
				}
			}
		}
	}
	if cards == 0 {
		t.Error("got no card in the request examples, want one")
	}
}

// examplesText returns the examples' values as JSON. It follows references.
func examplesText(t *testing.T, examples openapi3.Examples) string {
	t.Helper()
	values := map[string]any{}
	for name, ref := range examples {
		values[name] = ref.Value.Value
	}
	data, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestDocument_Examples(t *testing.T) {
	t.Parallel()
	binary := []string{"downloadBoleto"}
	doc := loadDocument(t)
	for _, operation := range sharedChecker(t).Operations() {
		op := doc.Paths.Value(operation.Path).GetOperation(operation.Method)
		if op.RequestBody != nil && !anyExample(op.RequestBody.Value.Content) {
			t.Errorf("%s: got no request example, want one", op.OperationID)
		}
		for _, i := range operation.Inputs {
			if required := i.In == "path" || i.In == "query" && i.Required; required && i.Example == "" {
				t.Errorf("%s: got no example of %s, want one", op.OperationID, i.Path)
			}
		}
		for status, response := range op.Responses.Map() {
			content := response.Value.Content
			if status < "400" && len(content) > 0 && !anyExample(content) && !slices.Contains(binary, op.OperationID) {
				t.Errorf("%s %s: got no response example, want one", op.OperationID, status)
			}
		}
	}
}

func anyExample(content openapi3.Content) bool {
	for _, media := range content {
		if len(media.Examples) > 0 {
			return true
		}
	}
	return false
}
