package main

import (
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/functions"
)

type platform struct {
	settings
	commit string       // the commit of the built functions
	stack  awscdk.Stack // not embedded: jsii mistakes an embedded construct for another construct

	key           awskms.Key
	secret        awssecretsmanager.Secret
	lastingSecret awssecretsmanager.Secret
	otlpHeaders   awssecretsmanager.ISecret // nil without tracing headers
	table         awsdynamodb.TableV2
	tableKey      awskms.Key
	bucket        awss3.Bucket // for files
	fileKey       awskms.Key
	queues        map[string]awssqs.Queue // by name in functions.Queues
	dead          []deadQueue
	api           awsapigatewayv2.HttpApi
	baseURL       *string
	functions     []function
	topics        map[severity]awssns.Topic // for alarms
}

type function struct {
	functions.Function
	lambda awslambda.Function
	role   awsiam.Role
}

// Short forms for the CDK's props, whose fields are all pointers.
var (
	text   = jsii.String
	yes    = jsii.Bool(true)
	number = func(n int) *float64 { return jsii.Number(float64(n)) }
)

// newPlatform adds the stack with all functions. It returns an error for a setting or function that cannot be deployed.
func newPlatform(app awscdk.App, all []functions.Function) (*platform, error) {
	s, err := readSettings(app.Node())
	if err != nil {
		return nil, err
	}
	if err = s.checkCredentials(os.Getenv(accountVariable)); err != nil {
		return nil, err
	}
	p := &platform{settings: s, queues: map[string]awssqs.Queue{}, topics: map[severity]awssns.Topic{}}
	if p.commit, err = readCommit(s.Build); err != nil {
		return nil, err
	}
	p.stack = awscdk.NewStack(app, text("Cashwrap"), &awscdk.StackProps{
		StackName:             text(p.name("")),
		Env:                   s.cdkEnvironment(),
		Description:           text("Cashwrap, " + s.Stage + ": merchant payments and accounts"),
		TerminationProtection: jsii.Bool(s.isProd()),
	})
	awscdk.Tags_Of(p.stack).Add(text("application"), text("cashwrap"), nil)
	awscdk.Tags_Of(p.stack).Add(text("stage"), &s.Stage, nil)
	checkWithNag(p.stack)
	if err := p.build(all); err != nil {
		return nil, err
	}
	p.addOutputs()
	addAnswers(p.stack)
	return p, nil
}

func (p *platform) build(all []functions.Function) error {
	p.addSecrets()
	p.addTable()
	p.addBucket()
	p.addQueues()
	p.addAPI()
	for _, f := range all {
		if err := p.addFunction(f); err != nil {
			return fmt.Errorf("function %q: %w", f.Name, err)
		}
	}
	p.protectTable()
	p.protectBucket()
	if err := p.addRoutes(); err != nil {
		return err
	}
	p.addAlarms()
	p.addDashboard()
	return nil
}

// name returns the full name of a resource. It contains the stage, so that an account can have several stages.
func (p *platform) name(of string) string {
	if of == "" {
		return "cashwrap-" + p.Stage
	}
	return "cashwrap-" + p.Stage + "-" + of
}

// removalPolicy returns the policy for data, logs and messages. In prod these resources remain when the stack is
// deleted. They are deleted only if the creation of the stack fails.
func (p *platform) removalPolicy() awscdk.RemovalPolicy {
	if p.isProd() {
		return awscdk.RemovalPolicy_RETAIN_ON_UPDATE_OR_DELETE
	}
	return awscdk.RemovalPolicy_DESTROY
}

func (p *platform) addOutputs() {
	p.addOutput("Commit", &p.commit, "of the code that runs; -dirty if it was changed after it")
	p.addOutput("BaseUrl", p.baseURL, "where clients find the API")
	p.addOutput("TableName", p.table.TableName(), "all of the platform's data")
	p.addOutput("FileBucket", p.bucket.BucketName(), "the content of merchants' files")
	p.addOutput("SecretArn", p.secret.SecretArn(), "keys that can be rotated are derived from this")
	p.addOutput("LastingSecretArn", p.lastingSecret.SecretArn(), "what merchants keep is derived from this")
	p.addOutput("CriticalTopic", p.topics[critical].TopicArn(), "subscribe here to be woken by critical alarms")
	p.addOutput("WarningTopic", p.topics[warning].TopicArn(), "subscribe here to be notified of warnings")
}

func (p *platform) addOutput(name string, value *string, what string) {
	awscdk.NewCfnOutput(p.stack, &name, &awscdk.CfnOutputProps{Value: value, Description: &what})
}

func duration(d time.Duration) awscdk.Duration {
	return awscdk.Duration_Seconds(jsii.Number(d.Seconds()))
}
