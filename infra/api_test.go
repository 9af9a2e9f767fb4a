package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

func TestAddAPI_ThrottledAndLogged(t *testing.T) {
	t.Parallel()
	for stage, limit := range map[string][2]int{dev: {100, 200}, prod: {5000, 2500}} {
		s := map[string]func(*testing.T) *synthesis{dev: inDev, prod: inProd}[stage](t)
		log, _ := s.named(t, "AWS::Logs::LogGroup", "LogGroupName", "/aws/vendedlogs/cashwrap-"+stage+"-api")
		s.want(t, "AWS::ApiGatewayV2::Stage", map[string]any{
			"StageName": "$default", "AutoDeploy": true, "AccessLogSettings": map[string]any{"DestinationArn": arn(log)},
			"DefaultRouteSettings": map[string]any{
				"DetailedMetricsEnabled": true, "ThrottlingRateLimit": limit[0], "ThrottlingBurstLimit": limit[1]},
		})
	}
}

// TestAddAccessLog_NoPersonalDataButAddress checks that the log has the client's address and the request's id, but no
// user agent, path or query. A path or query may contain tokens.
func TestAddAccessLog_NoPersonalDataButAddress(t *testing.T) {
	t.Parallel()
	for _, r := range inProd(t).all("AWS::ApiGatewayV2::Stage") {
		format := r.Properties["AccessLogSettings"].(map[string]any)["Format"].(string)
		var fields map[string]string
		if err := json.Unmarshal([]byte(format), &fields); err != nil {
			t.Fatal(err)
		}
		if fields["requestId"] != "$context.requestId" || fields["route"] != "$context.routeKey" {
			t.Errorf("got log fields %v, want requestId and route", fields)
		}
		const source = "$context.identity.sourceIp"
		if fields["source"] != source {
			t.Errorf("got log fields %v, want source %s", fields, source)
		}
		delete(fields, "source")
		for name, value := range fields {
			for _, personal := range []string{"identity", "path", "authorizer", "domain"} {
				if strings.Contains(strings.ToLower(value), personal) {
					t.Errorf("log field %s: got %s, want no %s in it", name, value, personal)
				}
			}
		}
	}
}

// TestAddRoutes checks that the API has exactly the families' routes and the default route. Each route leads to the
// family's integration.
func TestAddRoutes(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	got := map[string]string{}
	for _, r := range s.all("AWS::ApiGatewayV2::Route") {
		if kind := r.Properties["AuthorizationType"]; kind != "NONE" {
			t.Errorf("%v: got authorization %v, want NONE", r.Properties["RouteKey"], kind)
		}
		got[r.Properties["RouteKey"].(string)] = toJSON(r.Properties["Target"])
	}
	a := app.New(app.Config{}, app.Overrides{})
	want := 0
	for _, f := range functions.All {
		keys := f.RouteKeys(a)
		if f.Name == functions.DefaultFamily {
			keys = append(keys, functions.DefaultRoute)
		}
		for _, key := range keys {
			want++
			if target := toJSON(map[string]any{"Fn::Join": []any{
				"", []any{"integrations/", ref(s.integration(t, f.Name))}}}); got[key] != target {
				t.Errorf("%s: got target %s, want %s (%s)", key, got[key], target, f.Name)
			}
		}
	}
	if len(got) != want || want == 0 {
		t.Errorf("got %d routes, want %d", len(got), want)
	}
}

// integration returns the family's single integration, which serves all of its routes.
func (s *synthesis) integration(t *testing.T, family string) string {
	t.Helper()
	function, r := s.function(t, dev, family)
	var found []string
	for id, i := range s.all("AWS::ApiGatewayV2::Integration") {
		if toJSON(i.Properties["IntegrationUri"]) != toJSON(arn(function)) {
			continue
		}
		found = append(found, id)
		if i.Properties["PayloadFormatVersion"] != "2.0" || i.Properties["IntegrationType"] != "AWS_PROXY" ||
			i.Properties["TimeoutInMillis"] != r.Properties["Timeout"].(float64)*1000 {
			t.Errorf("%s: got integration %v, want a proxy of format 2.0 and the timeout %v s", family, i.Properties,
				r.Properties["Timeout"])
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s: got integrations %v, want one", family, found)
	}
	return found[0]
}

// TestIntegrate_OnlyThisAPIMayInvoke checks that only this API may invoke a family. For unknown paths the API may
// invoke only the default family.
func TestIntegrate_OnlyThisAPIMayInvoke(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for _, f := range functions.All {
		id, _ := s.function(t, dev, f.Name)
		var sources []string
		for _, r := range s.all("AWS::Lambda::Permission") {
			if toJSON(r.Properties["FunctionName"]) != toJSON(arn(id)) {
				continue
			}
			if r.Properties["Principal"] != "apigateway.amazonaws.com" ||
				!strings.Contains(toJSON(r.Properties["SourceArn"]), ":execute-api:") {
				t.Errorf("%s: got caller %v, want an API of API Gateway", f.Name, r.Properties)
			}
			source := toJSON(r.Properties["SourceArn"])
			sources = append(sources, strings.Trim(source[strings.LastIndex(source, "/*"):], `"]}`))
		}
		var want []string
		if f.HTTP != nil {
			want = []string{"/*"}
		}
		if f.Name == functions.DefaultFamily {
			want = append(want, "/*/$default")
		}
		if slices.Sort(sources); !slices.Equal(sources, want) {
			t.Errorf("%s: got sources %v, want %v", f.Name, sources, want)
		}
	}
}

func TestAddDomain(t *testing.T) {
	t.Parallel()
	s := inProd(t)
	s.want(t, "AWS::ApiGatewayV2::Api", map[string]any{"DisableExecuteApiEndpoint": true, "ProtocolType": "HTTP"})
	s.want(t, "AWS::ApiGatewayV2::DomainName", map[string]any{
		"DomainName": "api.example.com",
		"DomainNameConfigurations": []any{map[string]any{
			"CertificateArn": "arn:aws:acm:eu-central-1:111122223333:certificate/11111111-2222-3333-4444-555555555555",
			"SecurityPolicy": "TLS_1_2", "EndpointType": "REGIONAL"}},
	})
	s.want(t, "AWS::ApiGatewayV2::ApiMapping", map[string]any{"Stage": "$default"})
	s.want(t, "AWS::Route53::RecordSet", map[string]any{"Name": "api.example.com.", "Type": "A",
		"HostedZoneId": "Z0000000"})
	if s.outputs["DomainTarget"].Value == nil {
		t.Errorf("got outputs %v, want DomainTarget in them", s.outputs)
	}
}

func TestAddAPI_WithoutDomain(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	s.want(t, "AWS::ApiGatewayV2::Api", map[string]any{"DisableExecuteApiEndpoint": false, "Name": "cashwrap-dev"})
	for _, kind := range []string{"AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::ApiMapping",
		"AWS::Route53::RecordSet"} {
		if found := s.all(kind); len(found) > 0 {
			t.Errorf("got %v, want no %s", found, kind)
		}
	}
	for api := range s.all("AWS::ApiGatewayV2::Api") {
		for _, f := range functions.All {
			_, r := s.function(t, dev, f.Name)
			if got := toJSON(variables(r)["BASE_URL"]); got != toJSON(attributeOf(api, "ApiEndpoint")) {
				t.Errorf("%s: got BASE_URL %s, want %s", f.Name, got, toJSON(attributeOf(api, "ApiEndpoint")))
			}
		}
	}
}
