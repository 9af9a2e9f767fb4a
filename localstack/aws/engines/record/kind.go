package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/reply"
	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
)

// Table is an engine that records the requests of a test.
type Table struct {
	http.Handler
	mu       sync.Mutex
	requests int
	kinds    map[string]bool
}

// NewTable returns an engine that records its requests. The records are written when the test ends.
func NewTable(tb testing.TB, engine http.Handler) *Table {
	tb.Helper()
	t := &Table{Handler: engine, kinds: map[string]bool{}}
	if folder() != "" {
		t.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.serve(engine, w, r) })
		tb.Cleanup(func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			Note(tb, Test{Requests: t.requests, Kinds: slices.Collect(maps.Keys(t.kinds))})
		})
	}
	return t
}

// RoundTrip answers a request without a socket.
func (t *Table) RoundTrip(r *http.Request) (*http.Response, error) { return reply.From(t, r) }

func (t *Table) serve(engine http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := sdkcall.Body(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := httptest.NewRecorder()
	engine.ServeHTTP(answer, r)
	kinds := kindsOf(sdkcall.Operation(r), body, answer.Code, answer.Body.Bytes())
	t.mu.Lock()
	t.requests++
	for _, kind := range kinds {
		t.kinds[kind] = true
	}
	t.mu.Unlock()
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = io.Copy(w, bytes.NewReader(answer.Body.Bytes())) // the client may have gone
}

// kindsOf returns the kinds of a request: operation, index, expressions with attributes' names filled in, and outcome,
// without keys and values. Each member of a transaction has a kind, because an engine checks each member separately.
func kindsOf(operation string, body []byte, status int, answer []byte) (kinds []string) {
	var request map[string]any
	_ = json.Unmarshal(body, &request) // an engine refuses invalid JSON, and that refusal is an outcome
	var refused struct {
		Type                string `json:"__type"`
		CancellationReasons []struct{ Code string }
	}
	_ = json.Unmarshal(answer, &refused) // always valid, since the engine wrote it
	outcome := fmt.Sprint(status, refused.Type)
	members, _ := request["TransactItems"].([]any)
	for i, member := range members {
		of := outcome
		if i < len(refused.CancellationReasons) {
			of += " " + refused.CancellationReasons[i].Code
		}
		kinds = append(kinds, kindOf(operation, member, of))
	}
	if members == nil {
		kinds = append(kinds, kindOf(operation, request, outcome))
	}
	return kinds
}

func kindOf(operation string, request any, outcome string) string {
	members := map[string]bool{}
	describe(request, members)
	return strings.Join(slices.Concat([]string{operation}, slices.Sorted(maps.Keys(members)), []string{outcome}), "; ")
}

// data lists members whose content affects only the outcome. A kind leaves their content out.
var data = []string{"Key", "Keys", "Item", "ExclusiveStartKey", "ExpressionAttributeNames", "ExpressionAttributeValues",
	"AttributeValueList"}

// words matches members whose text an engine interprets, so a kind includes the text. For other members with a text, a
// kind includes only that they are present.
var words = regexp.MustCompile(`Expression$|^(IndexName|Select|ReturnValues\w*|ComparisonOperator)$`)

var digits = regexp.MustCompile(`[0-9]+`)

func describe(v any, members map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			describe(element, members)
		}
	case map[string]any:
		names, _ := v["ExpressionAttributeNames"].(map[string]any)
		for name, member := range v {
			if text, ok := member.(string); ok && words.MatchString(name) {
				text = digits.ReplaceAllString(sdkcall.Named(text, names), "0")
				if name == "UpdateExpression" {
					text = sortUpdate(text)
				}
				name += " " + text
			} else if truth, ok := member.(bool); ok {
				name += fmt.Sprint(" ", truth)
			} else if !slices.Contains(data, name) {
				describe(member, members)
			}
			members[name] = true
		}
	}
}

var (
	clauses = regexp.MustCompile(`\b(?:SET|REMOVE|ADD|DELETE) `)
	parts   = regexp.MustCompile(`(?:[^,()]|\([^()]*\))+`) // separated by commas outside of functions
)

// sortUpdate sorts an update's parts, because a request may list them in a map's order. Sorting separates the parts
// from their clauses. The clause of each part stays clear, because only SET assigns, REMOVE has no value, and no update
// of the platform has both ADD and DELETE.
func sortUpdate(update string) string {
	sorted := parts.FindAllString(clauses.ReplaceAllString(update, ", $0, "), -1)
	for i := range sorted {
		sorted[i] = strings.TrimSpace(sorted[i])
	}
	slices.Sort(sorted)
	return strings.Trim(strings.Join(sorted, ", "), ", ")
}
