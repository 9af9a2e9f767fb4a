package examples

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// Fixture sends the requests that openapi.yaml shows. Before each request it creates the objects that the request
// names. A new operation needs no code here if each of its objects has a placeholder, or if a POST to the object's
// collection creates the object (see makers).
type Fixture struct {
	*Scenario
	Made map[string]string // real values, by the value in the document
}

// NewFixture provisions a merchant for the requests.
func NewFixture(shop world.Shop) *Fixture {
	shop.Helper()
	return FixtureOf(shop.NewShop("DE", "EUR", nil))
}

// FixtureOf returns a fixture that uses the shop.
func FixtureOf(shop world.Shop) *Fixture { return &Fixture{&Scenario{Shop: shop}, map[string]string{}} }

// Request returns the request of an operation's example, after it has created the objects that the example needs. The
// name "" means the first example.
func (fix *Fixture) Request(o checker.Operation, example string) world.Request {
	fix.Helper()
	e := exampleOf(fix, o, example)
	if prepare, ok := prepared[strings.TrimSpace(o.OperationID+" "+e.Name)]; ok {
		r := prepare(fix.Scenario)
		r.Method = o.Method
		return fix.addKey(o, r)
	}
	for value, by := range makers() {
		if by.operation.OperationID == o.OperationID {
			fix.Made[value] = value // the request itself will create the object
		}
	}
	return fix.addKey(o, build(o, e, fix.Value))
}

// Path returns the operation's path with real ids as its parameters.
func (fix *Fixture) Path(o checker.Operation) string {
	fix.Helper()
	if prepare, ok := prepared[o.OperationID]; ok {
		return prepare(fix.Scenario).Path
	}
	return PathOf(o, fix.Value)
}

func (fix *Fixture) addKey(o checker.Operation, r world.Request) world.Request {
	r.APIKey = fix.Merchant.Key.Plaintext
	if o.Public {
		r.APIKey = world.NoKey
	}
	return r
}

// Value returns the real value for a value of the document. It creates the object first if necessary.
func (fix *Fixture) Value(value string) string {
	fix.Helper()
	if _, known := fix.Made[value]; !known {
		if p, ok := placeholders[value]; ok {
			fix.Made[value] = p.make(fix)
		} else if by, ok := makers()[value]; ok {
			fix.Made[value] = fix.createObject(by)
		} else {
			return value
		}
	}
	return fix.Made[value]
}

func (fix *Fixture) createObject(by maker) string {
	fix.Helper()
	got := fix.Do(fix.Request(by.operation, ""))
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

// WithEverything returns a fixture that has created all objects that the examples name. Merchants choose the ids of
// customers, so the customer gets a new id instead of the document's.
func WithEverything(shop world.Shop) *Fixture {
	shop.Helper()
	fix := FixtureOf(shop)
	fix.Made["customer-77"] = shop.Customer()
	made := map[string]string{"createCustomer": "customer-77"} // the first created value, by operation
	for value, by := range makers() {
		if first, again := made[by.operation.OperationID]; again {
			fix.Made[value] = fix.Value(first)
			continue
		}
		fix.Value(value)
		made[by.operation.OperationID] = value
	}
	for value := range placeholders {
		fix.Value(value)
	}
	return fix
}

// Named returns the operation's example, with the ids of the fixture in place of the document's ids.
func (fix *Fixture) Named(o checker.Operation) world.Request {
	fix.Helper()
	made := maps.Clone(fix.Made)
	r := fix.Request(o, "")
	fix.Made = made // a value that the request itself would create is restored too
	return r
}

// maker is an operation that creates objects. parameter is the path parameter that has the object's id.
type maker struct {
	operation checker.Operation
	parameter string
}

// makers lists the makers, by the example value of their path parameter in the document. For example, POST /readers is
// the maker for /readers/{reader_id}.
var makers = sync.OnceValue(func() map[string]maker {
	all, err := operations()
	if err != nil {
		panic(err) // the function All reports the error first
	}
	found := map[string]maker{}
	for _, o := range all {
		for _, p := range o.InputsIn("path") {
			collection, _, named := strings.Cut(o.Path, "/{"+p.Path+"}")
			at := slices.IndexFunc(all, func(by checker.Operation) bool {
				return by.Method == http.MethodPost && by.Path == collection && len(by.Examples) > 0 && !by.Public
			})
			if named && at >= 0 {
				found[p.Example] = maker{all[at], p.Path}
			}
		}
	}
	return found
})

// Build returns the request of the operation's first example, with actual values in place of the document's.
func Build(tb testing.TB, o checker.Operation, actual func(string) string) world.Request {
	tb.Helper()
	return build(o, exampleOf(tb, o, ""), actual)
}

// build returns the request of an example. It sets the required query parameters, and the operation's optional query
// parameter in the map queried. It sets a header if the document's value has a placeholder.
func build(o checker.Operation, e checker.Example, actual func(string) string) world.Request {
	query := url.Values{}
	for _, p := range o.InputsIn("query") {
		if p.Required || p.Path == queried[o.OperationID] {
			query.Set(p.Path, actual(p.Example))
		}
	}
	r := world.Request{Method: o.Method, Path: PathOf(o, actual)}
	if len(query) > 0 {
		r.Path += "?" + query.Encode()
	}
	for _, p := range o.InputsIn("header") {
		if value := actual(p.Example); value != p.Example {
			r.Header = map[string]string{p.Path: value}
		}
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
		r.Body = replaceValues(e.Value, actual)
	}
	return r
}

// PathOf returns the operation's path with actual values in place of the document's.
func PathOf(o checker.Operation, actual func(string) string) string {
	path := o.Path
	for _, p := range o.InputsIn("path") {
		path = strings.ReplaceAll(path, "{"+p.Path+"}", url.PathEscape(actual(p.Example)))
	}
	return path
}

func replaceValues(value any, actual func(string) string) any {
	switch value := value.(type) {
	case string:
		return actual(value)
	case map[string]any:
		object := map[string]any{}
		for name, member := range value {
			object[name] = replaceValues(member, actual)
		}
		return object
	case []any:
		list := []any{}
		for _, member := range value {
			list = append(list, replaceValues(member, actual))
		}
		return list
	default:
		return value
	}
}

// exampleOf returns the operation's example with the name. If the name is "", it returns the first example that needs
// no preparation, or else the first example. If the operation has no example, it returns an empty example.
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

var operations = sync.OnceValues(func() ([]checker.Operation, error) {
	check, err := checker.New()
	if err != nil {
		return nil, err
	}
	return check.Operations(), nil
})

// All returns the operations of openapi.yaml, by path and method.
func All(tb testing.TB) []checker.Operation {
	tb.Helper()
	all, err := operations()
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// Shown is a request that the document shows.
type Shown struct {
	checker.Operation
	Example string // name of the body's example if there are several
}

// String returns the name that the request has in functions/CAPACITY.md.
func (s Shown) String() string {
	name := s.Method + " " + s.Path
	if s.Example != "" {
		name += ", " + s.Example
	}
	return name
}

// EveryShown returns all requests in the document.
func EveryShown(tb testing.TB) []Shown {
	tb.Helper()
	var all []Shown
	for _, o := range All(tb) {
		if len(o.Examples) < 2 {
			all = append(all, Shown{o, ""})
			continue
		}
		for _, e := range o.Examples {
			all = append(all, Shown{o, e.Name})
		}
	}
	return all
}

// Routes returns the function's routes, or nil for a function without HTTP.
func Routes(a *app.App, f functions.Function) []rest.Route {
	if f.HTTP == nil {
		return nil
	}
	return f.HTTP(a)
}
