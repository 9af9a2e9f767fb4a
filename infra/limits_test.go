package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// most is the most of something that AWS allows: CloudFormation in a template, API
// Gateway in an API.
//
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
var most = map[string]int{
	"resources": 500, "bytes": 1_000_000, "outputs": 200, "parameters": 200, "mappings": 200,
	"routes": 300, "integrations": 300,
}

// TestTheWholePlatformFitsOneStack: prod with every setting is within every limit, also with a
// tenth more than there is today, so that a change that comes near one is seen before. The log (-v) has what there is.
func TestTheWholePlatformFitsOneStack(t *testing.T) {
	t.Parallel()
	now := counts(t, inProd(t))
	for what, limit := range most {
		t.Logf("%s: %d of %d", what, now[what], limit)
		if now[what]*11/10 > limit {
			t.Errorf("%s: got %d, want at most 10/11 of %d: split the stack before more comes", what, now[what], limit)
		}
	}
	for _, what := range []string{"resources", "bytes", "outputs", "routes", "integrations"} {
		if now[what] == 0 {
			t.Errorf("%s: got none, want some counted", what)
		}
	}
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
