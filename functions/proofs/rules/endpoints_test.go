package rules_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/golden"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// TestEvents_OfFamilies checks that each family has an event with a documented request to one of its routes, as API
// Gateway sends it. Placeholders such as ${API_KEY} stand for values of the installation.
func TestEvents_OfFamilies(t *testing.T) {
	t.Parallel()
	a := app.New(app.Config{}, app.Overrides{})
	for _, f := range functions.All {
		if f.HTTP != nil {
			golden.Check(t, eventFile(f.Name), golden.JSON(t, withoutCertificate(t, buildEvent(t, a, f, findSample(t, a, f)))))
		}
	}
}

// findSample returns the family's first operation with the fewest placeholders whose request needs no preparation.
func findSample(tb testing.TB, a *app.App, f functions.Function) checker.Operation {
	tb.Helper()
	var least *checker.Operation
	fewest := 0
	for _, route := range f.HTTP(a) {
		all := examples.All(tb)
		at := slices.IndexFunc(all, func(o checker.Operation) bool {
			return o.Method == route.Method && o.Path == route.Path
		})
		if at < 0 || examples.NeedsPreparation(all[at]) {
			continue
		}
		needed := map[string]bool{}
		examples.Build(tb, all[at], func(value string) string {
			needed[examples.Placeholder(all[at], value)] = true
			return value
		})
		delete(needed, "")
		delete(needed, "MERCHANT_CODE") // every event has a merchant code
		if least == nil || len(needed) < fewest {
			least, fewest = &all[at], len(needed)
		}
	}
	if least == nil {
		tb.Fatalf("%s: got no request without preparation, want at least one", f.Name)
	}
	return *least
}

// buildEvent returns the operation's request as an event.
func buildEvent(tb testing.TB, a *app.App, f functions.Function, o checker.Operation) events.APIGatewayV2HTTPRequest {
	tb.Helper()
	opened := func(value string) string {
		if name := examples.Placeholder(o, value); name != "" {
			return "${" + name + "}"
		}
		return value
	}
	r := examples.Build(tb, o, opened)
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
	for _, p := range o.InputsIn("path") { // in a path with prefix{name}, API Gateway's value is the whole segment
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
	for name, value := range r.Header {
		event.Headers[strings.ToLower(name)] = value
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

// withoutCertificate returns the event without the type's empty client certificate, which is never sent.
func withoutCertificate(t *testing.T, event events.APIGatewayV2HTTPRequest) map[string]any {
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

// routeKey returns the route key of the operation's path.
func routeKey(a *app.App, f functions.Function, o checker.Operation) string {
	one := functions.Function{HTTP: func(a *app.App) []rest.Route {
		return slices.DeleteFunc(f.HTTP(a), func(r rest.Route) bool { return r.Method != o.Method || r.Path != o.Path })
	}}
	return one.RouteKeys(a)[0]
}

// rehearseEndpoint checks that the request succeeds.
func (r *rehearsal) rehearseEndpoint() {
	fix := examples.FixtureOf(r.Shop().WithCallbacks())
	o := findSample(r, r.App, r.of)
	examples.Build(r, o, func(value string) string {
		if name := examples.Placeholder(o, value); name != "" {
			r.filler[name] = fix.Value(value)
		}
		return value
	})
	var reply events.APIGatewayV2HTTPResponse
	r.invoke(&reply)
	if !slices.Contains(o.Success, reply.StatusCode) {
		r.Errorf("%s: got %d %s, want one of %v", o.OperationID, reply.StatusCode, reply.Body, o.Success)
	}
}
