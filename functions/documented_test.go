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

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/contract"
)

// cast plays what the document shows, in a shop of its own: it makes each
// thing that an example speaks of when a request first needs it. An operation
// that is new needs nothing here if its examples speak of what there is, or of
// what the collection makes that its path names (a reader of POST …/readers).
type cast struct {
	*tale
	made map[string]string // what a value of the document is here
}

// newCast has a merchant that nobody else in the world sells for.
func newCast(w *world.World, receiver *world.Receiver) *cast {
	w.Helper()
	return &cast{&tale{Shop: w.Shop().Abroad("DE", "EUR", nil), receiver: receiver}, map[string]string{}}
}

// request is an operation as the document shows it; the example is one of its
// body, or "" for the first.
func (c *cast) request(o contract.Operation, example string) world.Request {
	c.Helper()
	e := exampleOf(c, o, example)
	if scene, ok := scenes[strings.TrimSpace(o.OperationID+" "+e.Name)]; ok {
		r := scene(c.tale)
		r.Method = o.Method
		return c.signed(o, r)
	}
	for value, by := range makers() {
		if by.operation.OperationID == o.OperationID {
			c.made[value] = value // it is what is asked for
		}
	}
	return c.signed(o, build(o, e, c.real))
}

// path is the operation's, to what there is.
func (c *cast) path(o contract.Operation) string {
	c.Helper()
	if scene, ok := scenes[o.OperationID]; ok {
		return scene(c.tale).Path
	}
	return pathOf(o, c.real)
}

// signed adds the merchant's key where the operation wants one.
func (c *cast) signed(o contract.Operation, r world.Request) world.Request {
	r.Key = c.Merchant.Key.Plaintext
	if o.Public {
		r.Key = "-"
	}
	return r
}

// real is what stands for a value of the document.
func (c *cast) real(value string) string {
	c.Helper()
	if _, known := c.made[value]; !known {
		if r, ok := roles[value]; ok {
			c.made[value] = r.play(c)
		} else if by, ok := makers()[value]; ok {
			c.made[value] = c.collected(by)
		} else {
			return value
		}
	}
	return c.made[value]
}

// collected makes a member of a collection, as the document shows, and answers
// its id.
func (c *cast) collected(by maker) string {
	c.Helper()
	got := c.Do(c.request(by.operation, ""))
	for _, member := range []string{by.parameter, "id"} {
		if id := got.Text(member); id != "" && got.Status < http.StatusBadRequest {
			return id
		}
	}
	c.Fatalf("%s makes no %s: %d %s", by.operation.OperationID, by.parameter, got.Status, got.Body)
	return ""
}

// maker is the operation that makes what a path's parameter names.
type maker struct {
	operation contract.Operation
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
			at := slices.IndexFunc(all, func(by contract.Operation) bool {
				return by.Method == http.MethodPost && by.Path == collection && len(by.Examples) > 0
			})
			if named && at >= 0 {
				found[p.Example] = maker{all[at], p.Path}
			}
		}
	}
	return found
})

// build is the request that the document shows, with another value for each of
// the document's. Of what is optional in the query it has nothing but what
// queried names.
func build(o contract.Operation, e contract.Example, real func(string) string) world.Request {
	query := url.Values{}
	for _, p := range o.InputsIn("query") {
		if p.Required || p.Path == queried[o.OperationID] {
			query.Set(p.Path, real(p.Example))
		}
	}
	r := world.Request{Method: o.Method, Path: pathOf(o, real)}
	if len(query) > 0 {
		r.Path += "?" + query.Encode()
	}
	switch {
	case e.Value == nil:
	case e.MediaType == "application/x-www-form-urlencoded":
		form := url.Values{}
		for name, value := range e.Value.(map[string]any) {
			form.Set(name, real(fmt.Sprint(value)))
		}
		r.Body = form
	default:
		r.Body = recast(e.Value, real)
	}
	return r
}

// pathOf is the operation's path as the document shows it, with other values.
func pathOf(o contract.Operation, real func(string) string) string {
	path := o.Path
	for _, p := range o.InputsIn("path") {
		path = strings.ReplaceAll(path, "{"+p.Path+"}", url.PathEscape(real(p.Example)))
	}
	return path
}

// recast is the JSON value with other texts.
func recast(value any, real func(string) string) any {
	switch value := value.(type) {
	case string:
		return real(value)
	case map[string]any:
		object := map[string]any{}
		for name, member := range value {
			object[name] = recast(member, real)
		}
		return object
	case []any:
		list := []any{}
		for _, member := range value {
			list = append(list, recast(member, real))
		}
		return list
	default:
		return value
	}
}

// exampleOf is the operation's example of the name; for "" its first one, which
// if possible needs no scene; and nothing of an operation without a body.
func exampleOf(tb testing.TB, o contract.Operation, name string) contract.Example {
	tb.Helper()
	if len(o.Examples) == 0 {
		return contract.Example{}
	}
	at := slices.IndexFunc(o.Examples, func(e contract.Example) bool {
		_, staged := scenes[o.OperationID+" "+e.Name]
		return e.Name == name || name == "" && !staged
	})
	if at < 0 && name == "" {
		return o.Examples[0]
	}
	if at < 0 {
		tb.Fatalf("%s has no example %s", o.OperationID, name)
	}
	return o.Examples[at]
}

// operations are those of openapi.yaml, by path and method.
var operations = sync.OnceValues(func() ([]contract.Operation, error) {
	checker, err := contract.NewChecker()
	if err != nil {
		return nil, err
	}
	return checker.Operations(), nil
})

func documented(tb testing.TB) []contract.Operation {
	tb.Helper()
	all, err := operations()
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// shown is one request that the document shows.
type shown struct {
	contract.Operation
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

// TestWhatTheDocumentShowsIsSo: each request that it shows is answered with a
// success that it shows.
func TestWhatTheDocumentShowsIsSo(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	receiver := w.Receive()
	for _, s := range everyShown(t) {
		c := newCast(w, receiver)
		r := c.request(s.Operation, s.example)
		if got := c.Do(r); !slices.Contains(s.Success, got.Status) {
			body, _ := json.Marshal(r.Body)
			t.Errorf("%s (%s %s): %d %s, want one of %v", s, r.Path, body, got.Status, got.Body, s.Success)
		}
	}
}
