package main

import (
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
)

// TestNagFindsNothing that is not suppressed, and the CDK itself has no warning.
func TestNagFindsNothing(t *testing.T) {
	t.Parallel()
	for stage, s := range map[string]*synthesis{dev: inDev(t), prod: inProd(t)} {
		for _, problem := range []any{
			refused(func() { s.notes.HasNoError(text("*"), assertions.Match_AnyValue()) }),
			refused(func() { s.notes.HasNoWarning(text("*"), assertions.Match_AnyValue()) }),
		} {
			if problem != nil {
				t.Errorf("%s: got %v, want no finding", stage, problem)
			}
		}
	}
}

// TestNagFindsWhatIsWrong: a queue without TLS and a dead-letter queue does not pass.
func TestNagFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"AwsSolutions-SQS3", "AwsSolutions-SQS4"} {
		problem := refused(func() {
			stack := awscdk.NewStack(awscdk.NewApp(nil), text("Wrong"), nil)
			checkWithNag(stack)
			awssqs.NewQueue(stack, text("Queue"), nil)
			assertions.Annotations_FromStack(stack).HasError(text("*"), assertions.Match_StringLikeRegexp(text(rule)))
		})
		if problem != nil {
			t.Errorf("got %v, want a finding of %s", problem, rule)
		}
	}
}

// leastReason is how many characters the reason of a suppression needs.
const leastReason = 40

func TestEachNagSuppressionHasAReason(t *testing.T) {
	t.Parallel()
	answers := 0
	for id, r := range inProd(t).resources {
		nag, _ := r.Metadata["cdk_nag"].(map[string]any)
		rules, _ := nag["rules_to_suppress"].([]any)
		for _, rule := range rules {
			answer := rule.(map[string]any)
			answers++
			if reason, _ := answer["reason"].(string); len(reason) < leastReason {
				t.Errorf("%s: got answer %v, want a reason of at least %d characters", id, answer, leastReason)
			}
			if answer["id"] == "AwsSolutions-IAM5" && answer["applies_to"] == nil {
				t.Errorf("%s: got answer %v, want it to name its wildcards", id, answer)
			}
		}
	}
	if answers == 0 {
		t.Error("got no answers in the template, want some")
	}
}
