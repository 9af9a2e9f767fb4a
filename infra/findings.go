package main

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// answer justifies leaving a checker's finding unrepaired.
type answer struct {
	rules  []string // of cdk-nag, checkov (CKV…) or cfn-lint (E, W or I, and a number)
	of     string   // the resources' type
	named  []string // patterns (path.Match) of names in the stack, such as Queue*Dead; nil: all of the type
	only   []string // findings of a cdk-nag rule that has several per resource; /…/ is a regular expression
	reason string
}

// answers lists all answers. addAnswers writes each answer beside its resource. `make synth` fails on a finding without
// an answer and on an answer without a finding.
var answers = []answer{
	{rules: []string{"AwsSolutions-APIG4"}, of: "AWS::ApiGatewayV2::Route",
		reason: "The functions authenticate every request themselves (contract §2): some routes are open, others take a " +
			"merchant's key, a public key or an access token."},
	{rules: []string{"AwsSolutions-SMG4"}, of: "AWS::SecretsManager::Secret", named: []string{"Secret"},
		reason: "An operator rotates it, by a deployment with which all functions change; a timer could not."},
	{rules: []string{"AwsSolutions-SMG4"}, of: "AWS::SecretsManager::Secret", named: []string{"LastingSecret"},
		reason: "Merchants' callback secrets and saved cards' tokens are derived from it, so it is replaced only after a " +
			"leak."},

	{rules: []string{"AwsSolutions-IAM5"}, of: "AWS::IAM::Policy", named: []string{"RoleRelay"},
		only:   []string{`/^Resource::<Table.*\.Arn>\/stream\/\*$/`},
		reason: "ListStreams can only be allowed for all streams of the table together."},
	{rules: []string{"AwsSolutions-IAM5"}, of: "AWS::IAM::Policy", named: []string{"RoleFiles"},
		only:   []string{`/^Resource::<Bucket.*\.Arn>\/files\/\*$/`},
		reason: "Each file has an object of its own there, under a random key. The bucket's policy lets no other role in."},
	{rules: []string{"AwsSolutions-S1", "PCI.DSS.321-S3BucketLoggingEnabled", "CKV_AWS_18"}, of: "AWS::S3::Bucket",
		reason: "Each link that is given out is a request in the log of the function, which alone can sign one, with who " +
			"asked for it. CloudTrail's data events can be recorded as for the table (guide, Files)."},
	{rules: []string{"PCI.DSS.321-S3BucketReplicationEnabled"}, of: "AWS::S3::Bucket",
		reason: "A stage is in one region, with its table. S3 keeps each object in three zones of it."},
	{rules: []string{"PCI.DSS.321-IAMNoInlinePolicy"}, of: "AWS::IAM::Policy",
		reason: "Each policy is for one role and made from what that function's tests do. A managed policy could be " +
			"attached to other roles too."},

	{rules: []string{"PCI.DSS.321-LambdaInsideVPC", "CKV_AWS_117"}, of: "AWS::Lambda::Function",
		reason: "There is nothing private to reach: the functions call AWS and merchants' hosts, which a VPC would only " +
			"put behind a NAT gateway. The guard of callbacks refuses private addresses."},
	{rules: []string{"Serverless-LambdaTracing"}, of: "AWS::Lambda::Function",
		reason: "X-Ray was 44 % of the bill and showed nothing that logs and metrics do not."},
	{rules: []string{"CKV_AWS_173"}, of: "AWS::Lambda::Function",
		named: []string{"Docs", "Payoutopen", "Payoutplan", "Payoutrun", "Payouts", "Prove", "Relay"},
		reason: "These use no secret, so there is none in their environment, and no key that their roles would need for " +
			"it. Lambda encrypts it by itself."},
	{rules: []string{"CKV_AWS_115"}, of: "AWS::Lambda::Function",
		reason: "A reservation takes from what all others may use. What must not take too much is limited where it is " +
			"called: consumers by their event source, requests by API Gateway's and the platform's own limits."},
	{rules: []string{"Serverless-LambdaDLQ", "CKV_AWS_116"}, of: "AWS::Lambda::Function",
		reason: "It would be for asynchronous calls. Those are only ticks, which have no data and of which the next does " +
			"the work. Queues, the stream and schedules have dead-letter queues of their own."},
	{rules: []string{"Serverless-LambdaAsyncFailureDestination"}, of: "AWS::Lambda::EventInvokeConfig",
		reason: "A tick has no data that could be lost: the next one does the work, and alarms count ticks that fail."},
	{rules: []string{"Serverless-LambdaEventSourceMappingDestination"}, of: "AWS::Lambda::EventSourceMapping",
		named:  []string{"Source[^R]*"}, // all sources except relay's, which is the stream
		reason: "Of a queue there is none: what fails too often is moved to the queue's own dead-letter queue."},

	{rules: []string{"AwsSolutions-SQS3"}, of: "AWS::SQS::Queue", // cdk-nag recognizes only queues' dead-letter queues
		named:  []string{"QueueRelayDead", "QueuePayoutplanDead", "QueueSweepDead", "QueueReconcileDead"},
		reason: isDead},
	{rules: []string{"Serverless-SQSRedrivePolicy"}, of: "AWS::SQS::Queue", named: []string{"Queue*Dead"}, reason: isDead},
	{rules: []string{"CKV_AWS_27"}, of: "AWS::SQS::Queue",
		reason: "They are encrypted, by SQS itself, which checkov does not know. Messages hold ids only, for which a key " +
			"of KMS would cost a call for each few of them."},
	{rules: []string{"PCI.DSS.321-SNSEncryptedKMS", "CKV_AWS_26"}, of: "AWS::SNS::Topic",
		reason: "It carries names and states of alarms. With a key of KMS, whoever cannot use it silences all alarms."},
	{rules: []string{"Serverless-SNSRedrivePolicy"}, of: "AWS::SNS::Subscription",
		reason: "A dead-letter queue for e-mails would need an alarm of its own, which goes the same way. Alarms also stay " +
			"on the dashboard."},
	{rules: []string{"PCI.DSS.321-CloudWatchLogGroupEncrypted", "CKV_AWS_158"}, of: "AWS::Logs::LogGroup",
		reason: "CloudWatch encrypts them by itself. They hold no card number, key or secret, which tests search for; and " +
			"a key that is disabled would stop the logs that say so."},
	{rules: []string{"W3005"}, of: "AWS::Lambda::Function", reason: waitsForRole},
	{rules: []string{"W3005"}, of: "AWS::Scheduler::Schedule", reason: waitsForRole},
	{rules: []string{"W3005"}, of: "AWS::ApiGatewayV2::ApiMapping",
		reason: "The CDK has it wait for the domain, which it names anyway."},
}

// Reasons shared by several answers.
const (
	isDead       = "It is itself a dead-letter queue, which nothing consumes."
	waitsForRole = "The CDK has whatever uses a role wait for the role together with its policy."
)

// addAnswers writes the answers into the template, each in the form that its checker reads.
func addAnswers(stack awscdk.Stack) {
	for _, c := range *stack.Node().FindAll(constructs.ConstructOrder_PREORDER) {
		r, ok := c.(awscdk.CfnResource)
		if !ok {
			continue
		}
		of, name := *r.CfnResourceType(), strings.Split(*r.Node().Path(), "/")[1] // the part after the stack's name
		var lint []string                                                         // rules
		var skip []map[string]string                                              // rules with reasons
		for _, a := range answers {
			if !a.isAbout(of, name) {
				continue
			}
			for _, rule := range a.rules {
				switch {
				case strings.HasPrefix(rule, "CKV_"):
					skip = append(skip, map[string]string{"id": rule, "comment": a.reason})
				case lintRule.MatchString(rule):
					lint = append(lint, rule)
				default:
					suppress(r, rule, a)
				}
			}
		}
		if len(skip) > 0 {
			r.AddMetadata(text("checkov"), map[string]any{"skip": skip})
		}
		if len(lint) > 0 {
			r.AddMetadata(text("cfn-lint"), map[string]any{"config": map[string]any{"ignore_checks": lint}})
		}
	}
}

var lintRule = regexp.MustCompile(`^[EWI][0-9]{4}$`)

func (a answer) isAbout(of, name string) bool {
	return of == a.of && (a.named == nil || slices.ContainsFunc(a.named, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	}))
}

func suppress(r awscdk.CfnResource, rule string, a answer) {
	suppression := &cdknag.NagPackSuppression{Id: &rule, Reason: &a.reason}
	if len(a.only) > 0 {
		var only []any
		for _, finding := range a.only {
			if strings.HasPrefix(finding, "/") {
				only = append(only, &cdknag.RegexAppliesTo{Regex: text(finding)})
			} else {
				only = append(only, finding)
			}
		}
		suppression.AppliesTo = &only
	}
	cdknag.NagSuppressions_AddResourceSuppressions(r, &[]*cdknag.NagPackSuppression{suppression}, nil)
}

// checkWithNag runs three rule packs of cdk-nag. `check findings` reads the packs' reports. Synthesis fails on an
// unanswered finding.
func checkWithNag(stack awscdk.Stack) {
	props := &cdknag.NagPackProps{Verbose: yes, Reports: yes,
		ReportFormats: &[]cdknag.NagReportFormat{cdknag.NagReportFormat_JSON}}
	for _, pack := range []awscdk.IAspect{cdknag.NewAwsSolutionsChecks(props), cdknag.NewServerlessChecks(props),
		cdknag.NewPCIDSS321Checks(props)} {
		awscdk.Aspects_Of(stack).Add(pack, nil)
	}
}
