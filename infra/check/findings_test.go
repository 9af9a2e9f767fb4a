package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const answeredTemplate = `{"Resources": {
	"Queue1": {"Type": "AWS::SQS::Queue", "Metadata": {"aws:cdk:path": "Cashwrap/Queue/Resource",
		"cdk_nag": {"rules_to_suppress": [{"id": "AwsSolutions-SQS3", "reason": "why"}]},
		"checkov": {"skip": [{"id": "CKV_AWS_27", "comment": "why"}]},
		"cfn-lint": {"config": {"ignore_checks": ["W3005"]}}}},
	"Topic2": {"Type": "AWS::SNS::Topic", "Metadata": {"aws:cdk:path": "Cashwrap/Topic/Resource"}}}}`

// Reports of the three checkers on that template.
const (
	lintReport = `[{"Id": "4734", "Rule": {"Id": "W3005"}, "Location": {"Path": ["Resources", "Queue1", "DependsOn", 0]}},
		{"Rule": {"Id": "E1001"}, "Location": {"Path": ["Outputs"]}}]`
	checkovReport = `{"summary": {"passed": 3, "failed": 2, "parsing_errors": 0}, "results": {"failed_checks": [
		{"check_id": "CKV_AWS_27", "resource": "AWS::SQS::Queue.Queue1"},
		{"check_id": "CKV_AWS_26", "resource": "AWS::SNS::Topic.Topic2"}]}}`
	nagReport = `{"lines": [
		{"ruleId": "AwsSolutions-SQS3", "resourceId": "Cashwrap/Queue/Resource", "compliance": "Suppressed"},
		{"ruleId": "AwsSolutions-SQS4", "resourceId": "Cashwrap/Queue/Resource", "compliance": "Compliant"},
		{"ruleId": "AwsSolutions-SNS3", "resourceId": "Cashwrap/Topic/Resource", "compliance": "Non-Compliant"},
		{"ruleId": "AwsSolutions-SNS2", "resourceId": "Cashwrap/Topic/Resource", "compliance": "UNKNOWN"}]}`
)

func answeredParts(t *testing.T) synthesizedTemplate {
	t.Helper()
	var parts synthesizedTemplate
	for _, to := range []any{&parts, &parts.whole} {
		if err := json.Unmarshal([]byte(answeredTemplate), to); err != nil {
			t.Fatal(err)
		}
	}
	return parts
}

func TestFindings_Reports(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "AwsSolutions-NagReport.json"), []byte(nagReport), 0o600); err != nil {
		t.Fatal(err)
	}
	lint, err := lintFindings([]byte(lintReport))
	scan, scanErr := checkovFindings([]byte(checkovReport))
	nag, nagErr := nagFindings(folder, answeredParts(t))
	want := []string{"W3005 at Queue1", "E1001 at Outputs", "CKV_AWS_27 at Queue1", "CKV_AWS_26 at Topic2",
		"AwsSolutions-SQS3 at Queue1", "AwsSolutions-SNS3 at Topic2", "AwsSolutions-SNS2 at Topic2"}
	var got []string
	for _, f := range slices.Concat(lint, scan, nag) {
		got = append(got, f.String())
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || scanErr != nil || nagErr != nil {
		t.Errorf("got errors %v, %v and %v, want none (-want +got):\n%s", err, scanErr, nagErr, diff)
	}
	if _, err := nagFindings(t.TempDir(), answeredParts(t)); err == nil {
		t.Error("without a report of cdk-nag: got no error, want one")
	}
	const unread = `{"summary": {"passed": 0, "parsing_errors": 1}}`
	if _, err := checkovFindings([]byte(unread)); err == nil {
		t.Error("a template that checkov cannot read: got no error, want one")
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	parts := answeredParts(t)
	answered := map[finding]bool{{"AwsSolutions-SQS3", "Queue1"}: true, {"CKV_AWS_27", "Queue1"}: true,
		{"W3005", "Queue1"}: true}
	if diff := cmp.Diff(answered, parts.answers(), cmp.AllowUnexported(finding{})); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if err := compare(answered, answered); err != nil {
		t.Errorf("all answered: got error %v, want none", err)
	}
	for what, c := range map[string]struct {
		found, answered map[finding]bool
		want            string
	}{
		"no answer":  {answered, nil, "W3005 at Queue1: neither repaired nor answered"},
		"no finding": {nil, answered, "CKV_AWS_27 at Queue1: answered in infra/findings.go, and nothing finds it"},
		"elsewhere": {map[finding]bool{{"W3005", "Queue1"}: true}, map[finding]bool{{"W3005", "Topic2"}: true},
			"W3005 at Topic2: answered"},
	} {
		if err := compare(c.found, c.answered); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q in it", what, err, c.want)
		}
	}
	bare, err := parts.withoutAnswers()
	if err != nil || strings.Contains(string(bare), "CKV_AWS_27") || strings.Contains(string(bare), "W3005") ||
		!strings.Contains(string(bare), "AWS::SQS::Queue") {
		t.Errorf("got %s and error %v, want the template without answers", bare, err)
	}
}
