package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/functions"
)

// platform is the stack with everything in it.
type platform struct {
	settings
	stack awscdk.Stack // not embedded: jsii takes an embedded construct for another one

	key           awskms.Key
	secret        awssecretsmanager.Secret
	lastingSecret awssecretsmanager.Secret
	table         awsdynamodb.Table
	queues        map[string]awssqs.Queue // by their names in functions.Queues
	dead          []deadQueue
	api           awsapigatewayv2.HttpApi
	baseURL       *string
	functions     []function
	alarms        awssns.Topic
}

// function is a deployed one.
type function struct {
	functions.Function
	lambda awslambda.Function
	role   awsiam.Role
}

// short forms for props, which are pointers throughout.
var (
	text   = jsii.String
	yes    = jsii.Bool(true)
	number = func(n int) *float64 { return jsii.Number(float64(n)) }
)

// newPlatform adds the stack to the app. Errors: a setting or the list of
// functions that cannot be deployed.
func newPlatform(app awscdk.App) (*platform, error) {
	s, err := readSettings(app.Node())
	if err != nil {
		return nil, err
	}
	p := &platform{settings: s, queues: map[string]awssqs.Queue{}}
	p.stack = awscdk.NewStack(app, text("Cashwrap"), &awscdk.StackProps{
		StackName:             text(p.name("")),
		Description:           text("Cashwrap, " + s.Stage + ": merchant payments and accounts"),
		TerminationProtection: jsii.Bool(s.Production()),
	})
	awscdk.Tags_Of(p.stack).Add(text("application"), text("cashwrap"), nil)
	awscdk.Tags_Of(p.stack).Add(text("stage"), &s.Stage, nil)
	checkWithNag(p.stack)
	if err := p.build(); err != nil {
		return nil, err
	}
	p.output()
	return p, nil
}

func (p *platform) build() error {
	p.addSecrets()
	p.addTable()
	p.addQueues()
	p.addAPI()
	for _, f := range functions.All {
		if err := p.addFunction(f); err != nil {
			return fmt.Errorf("function %q: %w", f.Name, err)
		}
	}
	if err := p.addRoutes(); err != nil {
		return err
	}
	p.addAlarms()
	p.addDashboard()
	return nil
}

// name is that of a resource an operator meets by name. The stage is in it,
// so that an account may hold both.
func (p *platform) name(of string) string {
	if of == "" {
		return "cashwrap-" + p.Stage
	}
	return "cashwrap-" + p.Stage + "-" + of
}

// lasting is the removal policy of whatever holds data, logs or messages: in
// prod it outlives the stack, except when its own creation is rolled back.
func (p *platform) lasting() awscdk.RemovalPolicy {
	if p.Production() {
		return awscdk.RemovalPolicy_RETAIN_ON_UPDATE_OR_DELETE
	}
	return awscdk.RemovalPolicy_DESTROY
}

// output tells what a person or a script needs next.
func (p *platform) output() {
	p.tell("BaseUrl", p.baseURL, "where clients find the API")
	p.tell("TableName", p.table.TableName(), "everything there is")
	p.tell("SecretArn", p.secret.SecretArn(), "what keys that can be rotated are derived from")
	p.tell("LastingSecretArn", p.lastingSecret.SecretArn(), "what merchants hold on to is derived from")
	p.tell("AlarmTopic", p.alarms.TopicArn(), "subscribe here to hear of alarms")
}

func (p *platform) tell(name string, value *string, what string) {
	awscdk.NewCfnOutput(p.stack, &name, &awscdk.CfnOutputProps{Value: value, Description: &what})
}

func duration(d time.Duration) awscdk.Duration {
	return awscdk.Duration_Seconds(jsii.Number(d.Seconds()))
}
