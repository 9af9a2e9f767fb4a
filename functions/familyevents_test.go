package functions_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// TestEachFamilyHasItsEvent: a request to one of its routes, as the document
// shows it and as API Gateway sends it, with placeholders such as ${API_KEY}
// for what depends on the installation.
func TestEachFamilyHasItsEvent(t *testing.T) {
	t.Parallel()
	a := app.New(app.Config{}, app.Overrides{})
	for _, f := range functions.All {
		if f.HTTP != nil {
			golden(t, eventFile(f.Name), indented(t, sent(t, eventOf(t, a, f, sampleOf(t, a, f)))))
		}
	}
}

// sampleOf is the family's first operation with the fewest placeholders; none
// whose request must be prepared.
func sampleOf(tb testing.TB, a *app.App, f functions.Function) checker.Operation {
	tb.Helper()
	var least *checker.Operation
	fewest := 0
	for _, route := range f.HTTP(a) {
		all := documented(tb)
		at := slices.IndexFunc(all, func(o checker.Operation) bool {
			return o.Method == route.Method && o.Path == route.Path
		})
		if at < 0 || special(all[at]) {
			continue
		}
		needed := map[string]bool{}
		build(all[at], exampleOf(tb, all[at], ""), func(value string) string {
			needed[placeholderOf(all[at], value)] = true
			return value
		})
		delete(needed, "")
		delete(needed, "MERCHANT_CODE") // which every event has
		if least == nil || len(needed) < fewest {
			least, fewest = &all[at], len(needed)
		}
	}
	if least == nil {
		tb.Fatalf("%s: got no request without preparation, want at least one", f.Name)
	}
	return *least
}

// special reports whether each request of the operation must be prepared.
func special(o checker.Operation) bool {
	if len(o.Examples) == 0 {
		return prepared[o.OperationID] != nil
	}
	return !slices.ContainsFunc(o.Examples, func(e checker.Example) bool {
		return prepared[o.OperationID+" "+e.Name] == nil
	})
}

// placeholderOf is the name of the placeholder for a value of the document; "" if
// the event keeps the value, as it does for what the operation itself makes.
func placeholderOf(o checker.Operation, value string) string {
	by, made := makers()[value]
	switch {
	case !made:
		return placeholders[value].name
	case by.operation.OperationID == o.OperationID:
		return ""
	default:
		return strings.ToUpper(by.parameter)
	}
}

// eventOf is the operation's request as an event.
func eventOf(tb testing.TB, a *app.App, f functions.Function, o checker.Operation) events.APIGatewayV2HTTPRequest {
	tb.Helper()
	opened := func(value string) string {
		if name := placeholderOf(o, value); name != "" {
			return "${" + name + "}"
		}
		return value
	}
	r := build(o, exampleOf(tb, o, ""), opened)
	path, query, _ := strings.Cut(strings.NewReplacer("$%7B", "${", "%24%7B", "${", "%7D", "}").Replace(r.Path), "?")
	key := routeKey(a, f, o)
	event := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: key, RawPath: path, RawQueryString: query,
		Headers: map[string]string{"accept": "application/json", "host": "api.example.com", "user-agent": "shop/1.0",
			"x-amzn-trace-id": "Root=1-69203f40-2b6d1f0a5c9e47d3a8b10e01", "x-forwarded-for": "192.0.2.1",
			"x-forwarded-port":  "443",
			"x-forwarded-proto": "https"},
		PathParameters: map[string]string{}, QueryStringParameters: map[string]string{},
		RequestContext: events.APIGatewayV2HTTPRequestContext{AccountID: "123456789012", APIID: "a1b2c3d4e5",
			DomainName:   "api.example.com",
			DomainPrefix: "api", RequestID: "UbV3eiYOFiAEJ01g=", RouteKey: key, Stage: "$default",
			Time: "21/Nov/2026:10:00:00 +0000", TimeEpoch: 1795255200000,
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: o.Method, Path: path, Protocol: "HTTP/1.1",
				SourceIP: "192.0.2.1", UserAgent: "shop/1.0"}},
	}
	for _, p := range o.InputsIn("path") { // of prefix{name}, API Gateway's value is the whole segment
		before, _, _ := strings.Cut(o.Path, "{"+p.Path+"}")
		event.PathParameters[p.Path] = before[strings.LastIndexByte(before, '/')+1:] + opened(p.Example)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		tb.Fatal(err)
	}
	for name := range values {
		event.QueryStringParameters[name] = values.Get(name)
	}
	if !o.Public {
		event.Headers["authorization"] = "Bearer ${API_KEY}"
	}
	if r.Body == nil {
		return event
	}
	text, err := json.Marshal(r.Body)
	if err != nil {
		tb.Fatal(err)
	}
	event.Headers["content-type"], event.Body = "application/json", string(text)
	return event
}

// sent is the event without the certificate that nobody sends, of which the type
// has an empty one.
func sent(t *testing.T, event events.APIGatewayV2HTTPRequest) map[string]any {
	t.Helper()
	text, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	delete(members["requestContext"].(map[string]any), "authentication")
	return members
}

// routeKey is that of the operation's path.
func routeKey(a *app.App, f functions.Function, o checker.Operation) string {
	one := functions.Function{HTTP: func(a *app.App) []rest.Route {
		return slices.DeleteFunc(f.HTTP(a), func(r rest.Route) bool { return r.Method != o.Method || r.Path != o.Path })
	}}
	return one.RouteKeys(a)[0]
}

// endpoint: the request succeeds.
func (r *rehearsal) endpoint() {
	fix := &fixture{&scenario{Shop: r.Shop().WithCallbacks()}, map[string]string{}}
	o := sampleOf(r, r.App, r.of)
	build(o, exampleOf(r, o, ""), func(value string) string {
		if name := placeholderOf(o, value); name != "" {
			r.filler[name] = fix.actual(value)
		}
		return value
	})
	var reply events.APIGatewayV2HTTPResponse
	r.invoke(&reply)
	if !slices.Contains(o.Success, reply.StatusCode) {
		r.Errorf("%s: got %d %s, want one of %v", o.OperationID, reply.StatusCode, reply.Body, o.Success)
	}
}
