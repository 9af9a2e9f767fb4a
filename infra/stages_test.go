package main

import (
	"strings"
	"testing"
)

func TestTwoSynthesesGiveTheSameTemplate(t *testing.T) {
	t.Parallel()
	second, err := synth(map[string]any{"stage": dev})
	if err != nil {
		t.Fatal(err)
	}
	if inDev(t).text != second.text {
		t.Error("the second template differs from the first")
	}
}

// keeping are the kinds that hold data, logs, messages, or what opens them.
var keeping = []string{
	"AWS::DynamoDB::Table", "AWS::SecretsManager::Secret", "AWS::KMS::Key", "AWS::SQS::Queue", "AWS::Logs::LogGroup",
}

func TestProdOutlivesItsStackAndDevDoesNot(t *testing.T) {
	t.Parallel()
	for _, kind := range keeping {
		for id, r := range inProd(t).all(kind) {
			if r.DeletionPolicy != "RetainExceptOnCreate" || r.UpdateReplacePolicy != "Retain" {
				t.Errorf("prod: %s %s is deleted with the stack: %q, %q", kind, id, r.DeletionPolicy, r.UpdateReplacePolicy)
			}
		}
		if len(inDev(t).all(kind)) == 0 {
			t.Errorf("no %s", kind)
		}
		for id, r := range inDev(t).all(kind) {
			if r.DeletionPolicy != "Delete" || r.UpdateReplacePolicy != "Delete" {
				t.Errorf("dev: %s %s is left behind: %q, %q", kind, id, r.DeletionPolicy, r.UpdateReplacePolicy)
			}
		}
	}
	if !inProd(t).protected || inDev(t).protected {
		t.Errorf("protected from deletion: prod %t, dev %t", inProd(t).protected, inDev(t).protected)
	}
}

// TestStagesShareAnAccount: whatever has a name has its stage in it.
func TestStagesShareAnAccount(t *testing.T) {
	t.Parallel()
	names := []string{"FunctionName", "QueueName", "TableName", "TopicName", "AlarmName", "DashboardName", "LogGroupName", "AliasName"}
	found := 0
	for id, r := range inDev(t).resources {
		for _, property := range names {
			name, ok := r.Properties[property].(string)
			if !ok {
				continue // not named, or named after another
			}
			found++
			if !strings.Contains(name, "cashwrap-dev") {
				t.Errorf("%s: %s is %q", id, property, name)
			}
		}
	}
	if found < len(names) {
		t.Errorf("only %d names", found)
	}
}
