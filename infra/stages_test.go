package main

import (
	"strings"
	"testing"
)

func TestNewPlatform_Deterministic(t *testing.T) {
	t.Parallel()
	second, err := synth(map[string]any{"stage": dev})
	if err != nil {
		t.Fatal(err)
	}
	if inDev(t).text != second.text {
		t.Error("the second template differs from the first")
	}
}

// retainedKinds lists the kinds that hold data, logs, messages, or keys to them.
var retainedKinds = []string{
	"AWS::DynamoDB::GlobalTable", "AWS::SecretsManager::Secret", "AWS::KMS::Key", "AWS::SQS::Queue", "AWS::Logs::LogGroup",
	bucketKind,
}

func TestRemovalPolicy(t *testing.T) {
	t.Parallel()
	for _, kind := range retainedKinds {
		for id, r := range inProd(t).all(kind) {
			if r.DeletionPolicy != "RetainExceptOnCreate" || r.UpdateReplacePolicy != "Retain" {
				t.Errorf("prod: %s %s: got policies %q and %q, want RetainExceptOnCreate and Retain", kind, id,
					r.DeletionPolicy, r.UpdateReplacePolicy)
			}
		}
		if len(inDev(t).all(kind)) == 0 {
			t.Errorf("dev: got no %s, want one", kind)
		}
		for id, r := range inDev(t).all(kind) {
			if r.DeletionPolicy != "Delete" || r.UpdateReplacePolicy != "Delete" {
				t.Errorf("dev: %s %s: got policies %q and %q, want Delete twice", kind, id, r.DeletionPolicy,
					r.UpdateReplacePolicy)
			}
		}
	}
	if !inProd(t).protected || inDev(t).protected {
		t.Errorf("protected from deletion: got prod %t and dev %t, want true and false", inProd(t).protected,
			inDev(t).protected)
	}
}

// TestName_ContainsStage checks that each fixed name contains the stage.
func TestName_ContainsStage(t *testing.T) {
	t.Parallel()
	names := []string{"FunctionName", "QueueName", "TableName", "TopicName", "AlarmName", "DashboardName",
		"LogGroupName", "AliasName", "Name"}
	found := 0
	for id, r := range inDev(t).resources {
		for _, property := range names {
			name, ok := r.Properties[property].(string)
			if !ok {
				continue // not named, or named after another resource
			}
			found++
			if !strings.Contains(name, "cashwrap-dev") {
				t.Errorf("%s: got %s %q, want cashwrap-dev in it", id, property, name)
			}
		}
	}
	if found < len(names) {
		t.Errorf("got %d names, want at least %d", found, len(names))
	}
}

// TestCheckStage_NamesOfOtherStages checks that checkStage refuses a stage if its resources would get names that dev's
// resources have. Such a conflict needs two resources of the same kind: one that is named only after its stage, and one
// that has an ending after the stage. The guide's resources count, too.
func TestCheckStage_NamesOfOtherStages(t *testing.T) {
	t.Parallel()
	const of = "cashwrap-dev"
	endings := map[string][]string{tableKind: {"-restored"}}
	for _, r := range inDev(t).resources {
		for _, value := range r.Properties {
			if name, ok := value.(string); ok && strings.Contains(name, of) && !strings.Contains(name, " ") {
				_, ending, _ := strings.Cut(name, of)
				endings[r.Type] = append(endings[r.Type], ending)
			}
		}
	}
	met := 0
	for kind, all := range endings {
		for _, ending := range all {
			for _, other := range all {
				more, found := strings.CutSuffix(ending, other)
				if !found || more == "" {
					continue
				}
				met++
				if checkStage(dev+more) == nil {
					t.Errorf("%s: got the stage %s accepted, which has the name %s of dev", kind, dev+more, of+ending)
				}
			}
		}
	}
	if met < 2 {
		t.Errorf("got %d names that another stage could have, want the table's and its key's", met)
	}
}

// taggedKinds lists the kinds whose costs or owners operators look up by tag.
var taggedKinds = []string{
	"AWS::DynamoDB::GlobalTable", "AWS::Lambda::Function", "AWS::SQS::Queue", "AWS::SecretsManager::Secret",
	"AWS::KMS::Key", bucketKind,
	"AWS::Logs::LogGroup", "AWS::IAM::Role", "AWS::SNS::Topic", "AWS::CloudWatch::Alarm", "AWS::ApiGatewayV2::Api",
}

func TestNewPlatform_Tags(t *testing.T) {
	t.Parallel()
	for stage, s := range map[string]*synthesis{dev: inDev(t), prod: inProd(t)} {
		for _, kind := range taggedKinds {
			found := s.all(kind)
			if len(found) == 0 {
				t.Errorf("%s: got no %s, want one", stage, kind)
			}
			for id, r := range found {
				if got := tags(r); got["application"] != "cashwrap" || got["stage"] != stage {
					t.Errorf("%s: %s: got tags %v, want cashwrap and %s", stage, id, got, stage)
				}
			}
		}
	}
}

// tags returns a resource's tags. API Gateway has them as a map, other services as a list of pairs.
func tags(r resource) map[string]any {
	if pairs, ok := r.Properties["Tags"].(map[string]any); ok {
		return pairs
	}
	found := map[string]any{}
	of := r.Properties["Tags"]
	if r.Type == tableKind {
		of = replica(r)["Tags"]
	}
	for _, pair := range asList(of) {
		if pair, ok := pair.(map[string]any); ok {
			found[pair["Key"].(string)] = pair["Value"]
		}
	}
	return found
}
