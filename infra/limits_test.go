package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// moreFamilies is how many families of endpoints are still to come.
const moreFamilies = 5

// most is the most of something that AWS allows: CloudFormation in a template, API
// Gateway in an API.
//
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
var most = map[string]int{
	"resources": 500, "bytes": 1_000_000, "outputs": 200, "parameters": 200, "mappings": 200,
	"routes": 300, "integrations": 300,
}

// TestTheWholePlatformFitsOneStack: prod with every setting, and with five more
// functions that serve all of the contract's paths that none serves yet, is within
// every limit. So is what is there today with its log (-v).
//
//	today + 5 x (function, role, policy, log, permission, integration, alarms) + a route for each new path
func TestTheWholePlatformFitsOneStack(t *testing.T) {
	t.Parallel()
	today := inProd(t)
	paths := unservedPaths(t)
	if len(paths) < moreFamilies {
		t.Fatalf("got %d paths of the contract that no function serves, want at least one for each of %d families",
			len(paths), moreFamilies)
	}
	settings := maps.Clone(withEverything)
	settings["build"] = t.TempDir()
	all := grown(paths)
	if err := fakeBuild(settings["build"].(string), all); err != nil {
		t.Fatal(err)
	}
	whole, err := synthAll(settings, all)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(whole.all(functionKind)), len(functions.All)+moreFamilies; got != want {
		t.Fatalf("got %d functions, want %d", got, want)
	}
	now, then := counts(t, today), counts(t, whole)
	for what, limit := range most {
		t.Logf("%s: %d, with %d more families and %d more paths %d, of %d", what, now[what], moreFamilies, len(paths),
			then[what], limit)
		if then[what] > limit {
			t.Errorf("%s: got %d with five more families, want at most %d: split the stack before they come", what,
				then[what], limit)
		}
	}
	for _, what := range []string{"resources", "bytes", "outputs", "routes", "integrations"} {
		if now[what] == 0 {
			t.Errorf("%s: got none, want some counted", what)
		}
	}
}

// served matches a row of contract §1: the operation, then its method and path. What
// is not planned is not counted.
var served = regexp.MustCompile(`(?m)^\|[^|]*\| \w+(?: \(deprecated\))? \| [A-Z]+ (/[^ |]*) \|`)

// unservedPaths are those of contract §1 that no function serves yet.
func unservedPaths(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../shared/contract/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	a := app.New(app.Config{}, app.Overrides{})
	for _, f := range functions.All {
		if f.HTTP == nil {
			continue
		}
		for _, key := range f.RouteKeys(a) {
			seen[parameter.ReplaceAllString(strings.TrimPrefix(key, functions.AnyMethod), "{}")] = true
		}
	}
	var paths []string
	for _, row := range served.FindAllStringSubmatch(string(text), -1) {
		// A parameter is a whole segment to API Gateway: /pay/c-{id} is routed as /pay/{id}.
		path := regexp.MustCompile(`/[^/{]+\{`).ReplaceAllString(row[1], "/{")
		if shape := parameter.ReplaceAllString(path, "{}"); !seen[shape] {
			seen[shape] = true
			paths = append(paths, path)
		}
	}
	return paths
}

// grown is the list of functions with more families, which share the paths.
func grown(paths []string) []functions.Function {
	all := slices.Clone(functions.All)
	for i := range moreFamilies {
		var own []rest.Route
		for j := i; j < len(paths); j += moreFamilies {
			own = append(own, rest.Route{Method: "GET", Path: paths[j]})
		}
		all = append(all, functions.Function{Name: fmt.Sprintf("anotherfamily%d", i),
			HTTP: func(*app.App) []rest.Route { return own }, Timeout: functions.All[0].Timeout})
	}
	return all
}

func counts(t *testing.T, s *synthesis) map[string]int {
	t.Helper()
	var template struct{ Parameters, Mappings map[string]any }
	if err := json.Unmarshal([]byte(s.text), &template); err != nil {
		t.Fatal(err)
	}
	return map[string]int{
		"resources": len(s.resources), "bytes": len(s.text), "outputs": len(s.outputs),
		"parameters": len(template.Parameters), "mappings": len(template.Mappings),
		"routes":       len(s.all("AWS::ApiGatewayV2::Route")),
		"integrations": len(s.all("AWS::ApiGatewayV2::Integration")),
	}
}

// Limits of policies and variables, in characters of JSON without spaces.
//
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
const (
	mostInline      = 10_240 // of all inline policies of a role
	mostTrust       = 2_048  // of a role's trust policy
	mostResource    = 20_480 // of a function's own policy: who may invoke it
	mostEnvironment = 4_096  // of a function's variables, with their names
	mostTable       = 20_480 // of the table's own policy
	statementFrame  = 100    // what a statement has that its AWS::Lambda::Permission has not: Sid, Effect, an ARN
)

// TestPoliciesAndVariablesFit: a reference counts as written in the template, which
// is longer than most of what it becomes.
func TestPoliciesAndVariablesFit(t *testing.T) {
	t.Parallel()
	s := inProd(t)
	largest := map[string]int{}
	check := func(what, whose string, size, limit int) {
		largest[what] = max(largest[what], size)
		if size > limit {
			t.Errorf("%s: got a %s of %d characters, want at most %d", whose, what, size, limit)
		}
	}
	for id, r := range s.all("AWS::IAM::Role") {
		inline := 0
		for _, policy := range s.all("AWS::IAM::Policy") {
			if strings.Contains(plain(policy.Properties["Roles"]), `"`+id+`"`) {
				inline += len(plain(policy.Properties["PolicyDocument"]))
			}
		}
		check("inline policy", id, inline, mostInline)
		check("trust policy", id, len(plain(r.Properties["AssumeRolePolicyDocument"])), mostTrust)
	}
	for id, r := range s.all(functionKind) {
		allowed := 0
		for _, p := range s.all("AWS::Lambda::Permission") {
			if strings.Contains(plain(p.Properties["FunctionName"]), `"`+id+`"`) {
				allowed += len(plain(p.Properties)) + statementFrame
			}
		}
		check("resource policy", id, allowed, mostResource)
		check("environment", id, len(plain(variables(r))), mostEnvironment)
	}
	for id, r := range s.all(tableKind) {
		check("table policy", id, len(plain(tablePolicy(r))), mostTable)
	}
	for _, what := range []string{"inline policy", "trust policy", "resource policy", "environment", "table policy"} {
		t.Logf("largest %s: %d characters", what, largest[what])
		if largest[what] == 0 {
			t.Errorf("got no %s, want some", what)
		}
	}
}

// nameLimits are AWS's, in characters, by kind and property of what has a name.
var nameLimits = map[string]int{
	"AWS::Lambda::Function FunctionName": 64, "AWS::SQS::Queue QueueName": 80,
	"AWS::DynamoDB::GlobalTable TableName": 255,
	"AWS::SNS::Topic TopicName":            256, "AWS::CloudWatch::Alarm AlarmName": 255,
	"AWS::CloudWatch::Dashboard DashboardName": 255, "AWS::Logs::LogGroup LogGroupName": 512,
	"AWS::KMS::Alias AliasName": 256, "AWS::Scheduler::Schedule Name": 64, "AWS::ApiGatewayV2::Api Name": 128,
	"AWS::Lambda::Function Description": 256, "AWS::IAM::Role Description": 1000, "AWS::IAM::Role RoleName": 64,
}

// TestEveryNameFitsTheLongestStage: each name with dev in it, with the longest name of
// a stage in its place.
func TestEveryNameFitsTheLongestStage(t *testing.T) {
	t.Parallel()
	named := map[string]string{} // kind to its name's property
	for key := range nameLimits {
		if kind, property, _ := strings.Cut(key, " "); strings.HasSuffix(property, "Name") {
			named[kind] = property
		}
	}
	met := map[string]bool{}
	for id, r := range inDev(t).resources {
		for property, value := range r.Properties {
			text, ok := value.(string)
			// All own names begin so, some after a path or "alias/".
			if !ok || !strings.Contains(text, "cashwrap-dev") && property != "Description" {
				continue
			}
			limit, known := nameLimits[r.Type+" "+property]
			if !known && property != "Description" {
				t.Errorf("%s: got %s %s %q, want its limit in nameLimits", id, r.Type, property, text)
			}
			met[r.Type] = met[r.Type] || named[r.Type] == property
			if longest := len(text) - len(dev) + maxStage; known && longest > limit {
				t.Errorf("%s: got %s %s of %d characters in the longest stage, want at most %d: %s", id, r.Type, property,
					longest, limit, text)
			}
		}
	}
	for _, kind := range []string{"AWS::Lambda::Function", "AWS::SQS::Queue", "AWS::CloudWatch::Alarm",
		"AWS::Scheduler::Schedule", "AWS::ApiGatewayV2::Api"} {
		if !met[kind] {
			t.Errorf("got no %s with a name of ours, want some", kind)
		}
	}
}

// TestNoTwoStagesHaveTheSameNames: no name is another one after a hyphen, so that
// cashwrap-<stage>-<name> says which part is the stage.
func TestNoTwoStagesHaveTheSameNames(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range inDev(t).resources {
		for _, property := range []string{"FunctionName", "QueueName"} {
			if name, ok := r.Properties[property].(string); ok {
				names = append(names, strings.TrimPrefix(name, "cashwrap-dev-"))
			}
		}
	}
	for _, one := range names {
		for _, other := range names {
			if strings.HasSuffix(one, "-"+other) {
				t.Errorf("got names %s and %s, want none that ends with another: stage dev-%s would have dev's", one, other,
					strings.TrimSuffix(one, "-"+other))
			}
		}
	}
}
