package main

import (
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
)

// TestCheckWithNag_NoFindings checks that cdk-nag has no unsuppressed finding and the CDK no warning.
func TestCheckWithNag_NoFindings(t *testing.T) {
	t.Parallel()
	for stage, s := range map[string]*synthesis{dev: inDev(t), prod: inProd(t)} {
		for _, problem := range []any{
			runAssertion(func() { s.notes.HasNoError(text("*"), assertions.Match_AnyValue()) }),
			runAssertion(func() { s.notes.HasNoWarning(text("*"), assertions.Match_AnyValue()) }),
		} {
			if problem != nil {
				t.Errorf("%s: got %v, want no finding", stage, problem)
			}
		}
	}
}

// TestCheckWithNag_WrongResources checks that cdk-nag finds a queue without TLS and without a dead-letter queue, and an
// unencrypted topic.
func TestCheckWithNag_WrongResources(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"AwsSolutions-SQS3", "AwsSolutions-SQS4", "Serverless-SQSRedrivePolicy",
		"PCI.DSS.321-SNSEncryptedKMS"} {
		problem := runAssertion(func() {
			stack := awscdk.NewStack(awscdk.NewApp(nil), text("Wrong"), nil)
			checkWithNag(stack)
			awssqs.NewQueue(stack, text("Queue"), nil)
			awssns.NewTopic(stack, text("Topic"), nil)
			assertions.Annotations_FromStack(stack).HasError(text("*"), assertions.Match_StringLikeRegexp(text(rule)))
		})
		if problem != nil {
			t.Errorf("got %v, want a finding of %s", problem, rule)
		}
	}
}
