package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// stackLimits are AWS's limits: CloudFormation's for a template, API Gateway's for an API.
//
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
var stackLimits = map[string]int{
	"resources": 500, "bytes": 1_000_000, "outputs": 200, "parameters": 200, "mappings": 200,
	"routes": 300, "integrations": 300,
}

// TestStack_WithinLimits checks that prod's stack with all settings could grow by a tenth without exceeding a limit. So
// we notice early when a change comes close to a limit. With -v the test logs the counts.
func TestStack_WithinLimits(t *testing.T) {
	t.Parallel()
	now := countResources(t, inProd(t))
	for what, limit := range stackLimits {
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

func countResources(t *testing.T, s *synthesis) map[string]int {
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
	maxInline      = 10_240 // all inline policies of a role
	maxTrust       = 2_048  // a role's trust policy
	maxResource    = 20_480 // a function's resource policy, which allows invocations
	maxEnvironment = 4_096  // a function's variables with their names
	maxTable       = 20_480 // the table's resource policy
	statementFrame = 100    // parts of a policy statement that AWS::Lambda::Permission lacks: Sid, Effect, an ARN
)

// TestPoliciesAndVariables_WithinLimits checks sizes against AWS's limits. References count with their length in the
// template, which is mostly longer than the resolved value.
func TestPoliciesAndVariables_WithinLimits(t *testing.T) {
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
			if strings.Contains(toJSON(policy.Properties["Roles"]), `"`+id+`"`) {
				inline += len(toJSON(policy.Properties["PolicyDocument"]))
			}
		}
		check("inline policy", id, inline, maxInline)
		check("trust policy", id, len(toJSON(r.Properties["AssumeRolePolicyDocument"])), maxTrust)
	}
	for id, r := range s.all(functionKind) {
		allowed := 0
		for _, p := range s.all("AWS::Lambda::Permission") {
			if strings.Contains(toJSON(p.Properties["FunctionName"]), `"`+id+`"`) {
				allowed += len(toJSON(p.Properties)) + statementFrame
			}
		}
		check("resource policy", id, allowed, maxResource)
		check("environment", id, len(toJSON(variables(r))), maxEnvironment)
	}
	for id, r := range s.all(tableKind) {
		check("table policy", id, len(toJSON(tablePolicy(r))), maxTable)
	}
	for _, what := range []string{"inline policy", "trust policy", "resource policy", "environment", "table policy"} {
		t.Logf("largest %s: %d characters", what, largest[what])
		if largest[what] == 0 {
			t.Errorf("got no %s, want some", what)
		}
	}
}

// nameLimits are AWS's limits for names in characters, by kind and property.
var nameLimits = map[string]int{
	"AWS::Lambda::Function FunctionName": 64, "AWS::SQS::Queue QueueName": 80,
	"AWS::DynamoDB::GlobalTable TableName": 255,
	"AWS::SNS::Topic TopicName":            256, "AWS::CloudWatch::Alarm AlarmName": 255,
	"AWS::CloudWatch::Dashboard DashboardName": 255, "AWS::Logs::LogGroup LogGroupName": 512,
	"AWS::KMS::Alias AliasName": 256, "AWS::Scheduler::Schedule Name": 64, "AWS::ApiGatewayV2::Api Name": 128,
	"AWS::Lambda::Function Description": 256, "AWS::IAM::Role Description": 1000, "AWS::IAM::Role RoleName": 64,
}

// TestNames_FitLongestStage checks each name with the longest stage name in place of dev.
func TestNames_FitLongestStage(t *testing.T) {
	t.Parallel()
	named := map[string]string{} // kind to the property that has the name
	for key := range nameLimits {
		if kind, property, _ := strings.Cut(key, " "); strings.HasSuffix(property, "Name") {
			named[kind] = property
		}
	}
	met := map[string]bool{}
	for id, r := range inDev(t).resources {
		for property, value := range r.Properties {
			text, ok := value.(string)
			// All our names contain this text, some after a path or "alias/".
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

// TestNames_NoneEndsWithAnother checks that no name ends with a hyphen and another name. Otherwise it would be
// unclear which part of cashwrap-<stage>-<name> is the stage.
func TestNames_NoneEndsWithAnother(t *testing.T) {
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
