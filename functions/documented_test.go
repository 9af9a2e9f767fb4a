package functions_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
)

// fixture sends the requests that the document shows, in a shop of its own. Its
// examples name a checkout, a customer, a saved card; each is made when a
// request first needs it. A new operation needs nothing here if its examples
// name what placeholders has, or what POST to the collection in its path makes
// (/readers/{reader_id}: POST /readers).
type fixture struct {
	*scenario
	made map[string]string // by the document's value: the value here
}

// newFixture has a new merchant in the world.
func newFixture(shop world.Shop) *fixture {
	shop.Helper()
	return &fixture{&scenario{Shop: shop.NewShop("DE", "EUR", nil)}, map[string]string{}}
}

// request is an operation as the document shows it; the example is one of its
// body, or "" for the first.
func (fix *fixture) request(o checker.Operation, example string) world.Request {
	fix.Helper()
	e := exampleOf(fix, o, example)
	if prepare, ok := prepared[strings.TrimSpace(o.OperationID+" "+e.Name)]; ok {
		r := prepare(fix.scenario)
		r.Method = o.Method
		return fix.signed(o, r)
	}
	for value, by := range makers() {
		if by.operation.OperationID == o.OperationID {
			fix.made[value] = value // the request itself makes it
		}
	}
	return fix.signed(o, build(o, e, fix.actual))
}

// path is the operation's, with what exists in the place of its parameters.
func (fix *fixture) path(o checker.Operation) string {
	fix.Helper()
	if prepare, ok := prepared[o.OperationID]; ok {
		return prepare(fix.scenario).Path
	}
	return pathOf(o, fix.actual)
}

// signed adds the merchant's key where the operation wants one.
func (fix *fixture) signed(o checker.Operation, r world.Request) world.Request {
	r.APIKey = fix.Merchant.Key.Plaintext
	if o.Public {
		r.APIKey = world.NoKey
	}
	return r
}

// actual is the value here for a value of the document.
func (fix *fixture) actual(value string) string {
	fix.Helper()
	if _, known := fix.made[value]; !known {
		if p, ok := placeholders[value]; ok {
			fix.made[value] = p.make(fix)
		} else if by, ok := makers()[value]; ok {
			fix.made[value] = fix.collected(by)
		} else {
			return value
		}
	}
	return fix.made[value]
}

// collected makes a member of a collection with the document's example, and
// returns its id.
func (fix *fixture) collected(by maker) string {
	fix.Helper()
	got := fix.Do(fix.request(by.operation, ""))
	members := world.Fields(fix, got.Body)
	for _, member := range []string{by.parameter, "id"} {
		if id := strings.Trim(members[member], `"`); id != "" && got.Status < http.StatusBadRequest { // a text or a number
			return id
		}
	}
	fix.Fatalf("%s: got %d %s, want a status below 400 and %s or id", by.operation.OperationID, got.Status, got.Body,
		by.parameter)
	return ""
}

// maker is the operation that makes what a path's parameter names.
type maker struct {
	operation checker.Operation
	parameter string
}

// makers are by the value that the document shows for the parameter: of
// /readers/{reader_id}, POST /readers.
var makers = sync.OnceValue(func() map[string]maker {
	all, err := operations()
	if err != nil {
		panic(err) // documented fails first
	}
	found := map[string]maker{}
	for _, o := range all {
		for _, p := range o.InputsIn("path") {
			collection, _, named := strings.Cut(o.Path, "/{"+p.Path+"}")
			at := slices.IndexFunc(all, func(by checker.Operation) bool {
				return by.Method == http.MethodPost && by.Path == collection && len(by.Examples) > 0
			})
			if named && at >= 0 {
				found[p.Example] = maker{all[at], p.Path}
			}
		}
	}
	return found
})

// build is the request that the document shows, with each of the document's
// values replaced. Of the optional query parameters it has only those that
// queried names.
func build(o checker.Operation, e checker.Example, actual func(string) string) world.Request {
	query := url.Values{}
	for _, p := range o.InputsIn("query") {
		if p.Required || p.Path == queried[o.OperationID] {
			query.Set(p.Path, actual(p.Example))
		}
	}
	r := world.Request{Method: o.Method, Path: pathOf(o, actual)}
	if len(query) > 0 {
		r.Path += "?" + query.Encode()
	}
	switch {
	case e.Value == nil:
	case e.MediaType == "application/x-www-form-urlencoded":
		form := url.Values{}
		for name, value := range e.Value.(map[string]any) {
			form.Set(name, actual(fmt.Sprint(value)))
		}
		r.Body = form
	default:
		r.Body = substituted(e.Value, actual)
	}
	return r
}

// pathOf is the operation's path as the document shows it, with its values
// replaced.
func pathOf(o checker.Operation, actual func(string) string) string {
	path := o.Path
	for _, p := range o.InputsIn("path") {
		path = strings.ReplaceAll(path, "{"+p.Path+"}", url.PathEscape(actual(p.Example)))
	}
	return path
}

// substituted is the JSON value with its texts replaced.
func substituted(value any, actual func(string) string) any {
	switch value := value.(type) {
	case string:
		return actual(value)
	case map[string]any:
		object := map[string]any{}
		for name, member := range value {
			object[name] = substituted(member, actual)
		}
		return object
	case []any:
		list := []any{}
		for _, member := range value {
			list = append(list, substituted(member, actual))
		}
		return list
	default:
		return value
	}
}

// exampleOf is the operation's example of that name; for "" the first one that
// needs no preparation, or the first; nothing for an operation without a body.
func exampleOf(tb testing.TB, o checker.Operation, name string) checker.Example {
	tb.Helper()
	if len(o.Examples) == 0 {
		return checker.Example{}
	}
	at := slices.IndexFunc(o.Examples, func(e checker.Example) bool {
		_, special := prepared[o.OperationID+" "+e.Name]
		return e.Name == name || name == "" && !special
	})
	if at < 0 && name == "" {
		return o.Examples[0]
	}
	if at < 0 {
		tb.Fatalf("%s: got examples %+v, want %q among them", o.OperationID, o.Examples, name)
	}
	return o.Examples[at]
}

// operations are those of openapi.yaml, by path and method.
var operations = sync.OnceValues(func() ([]checker.Operation, error) {
	check, err := checker.New()
	if err != nil {
		return nil, err
	}
	return check.Operations(), nil
})

func documented(tb testing.TB) []checker.Operation {
	tb.Helper()
	all, err := operations()
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// shown is one request that the document shows.
type shown struct {
	checker.Operation
	example string // of its body, where there are several
}

// String names it as the table of capacity does.
func (s shown) String() string {
	name := s.Method + " " + s.Path
	if s.example != "" {
		name += ", " + s.example
	}
	return name
}

// everyShown are all requests that the document shows.
func everyShown(tb testing.TB) []shown {
	tb.Helper()
	var all []shown
	for _, o := range documented(tb) {
		if len(o.Examples) < 2 {
			all = append(all, shown{o, ""})
			continue
		}
		for _, e := range o.Examples {
			all = append(all, shown{o, e.Name})
		}
	}
	return all
}

// TestDocumentedRequestsSucceed: each request that the document shows is
// answered with a success that it documents.
func TestDocumentedRequestsSucceed(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Shop().WithCallbacks()
	for _, s := range everyShown(t) {
		fix := newFixture(shop)
		r := fix.request(s.Operation, s.example)
		if got := fix.Do(r); !slices.Contains(s.Success, got.Status) {
			body, _ := json.Marshal(r.Body)
			t.Errorf("%s (%s %s): got %d %s, want one of %v", s, r.Path, body, got.Status, got.Body, s.Success)
		}
	}
}
