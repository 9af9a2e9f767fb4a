package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigateway"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2integrations"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// addAPI makes the HTTP API and its default stage: a named one would be a
// part of every path.
func (p *platform) addAPI() {
	p.api = awsapigatewayv2.NewHttpApi(p.stack, text("Api"), &awsapigatewayv2.HttpApiProps{
		ApiName:                   text(p.name("")),
		Description:               text("Cashwrap, " + p.Stage),
		CreateDefaultStage:        new(bool),
		DisableExecuteApiEndpoint: jsii.Bool(p.Domain != ""), // one name, whose TLS and limits are the operator's
	})
	props := &awsapigatewayv2.HttpStageProps{
		HttpApi: p.api, StageName: text("$default"), AutoDeploy: yes, DetailedMetricsEnabled: yes,
		Throttle:          &awsapigatewayv2.ThrottleSettings{RateLimit: &p.Rate, BurstLimit: &p.Burst},
		AccessLogSettings: p.accessLog(),
	}
	if p.Domain != "" {
		props.DomainMapping = p.addDomain()
		p.baseURL = text("https://" + p.Domain)
	} else {
		p.baseURL = p.api.ApiEndpoint()
	}
	if p.BaseURL != "" {
		p.baseURL = &p.BaseURL
	}
	awsapigatewayv2.NewHttpStage(p.stack, text("Stage"), props)
}

// accessLog says of each request what an operator needs and nothing about a
// person: the route instead of the path and its query, which may hold
// tokens, and no address. The request id is in the functions' log lines too.
func (p *platform) accessLog() awsapigatewayv2.IAccessLogSettings {
	format, err := json.Marshal(map[string]string{
		"requestId": "$context.requestId", "time": "$context.requestTime", "method": "$context.httpMethod",
		"route": "$context.routeKey", "status": "$context.status", "bytes": "$context.responseLength",
		"latency": "$context.responseLatency", "integrationLatency": "$context.integrationLatency",
		"integrationError": "$context.integrationErrorMessage", "error": "$context.error.message",
	})
	if err != nil { // of a map of strings
		panic(err)
	}
	// API Gateway may write to groups of this prefix without a policy for each.
	log := p.addLog("LogApi", "/aws/vendedlogs/"+p.name("api"))
	return &accessLog{awsapigatewayv2.NewLogGroupLogDestination(log),
		awsapigateway.AccessLogFormat_Custom(text(string(format)))}
}

type accessLog struct {
	destination awsapigatewayv2.IAccessLogDestination
	format      awsapigateway.AccessLogFormat
}

func (l *accessLog) Destination() awsapigatewayv2.IAccessLogDestination { return l.destination }
func (l *accessLog) Format() awsapigateway.AccessLogFormat              { return l.format }

// addRoutes gives each path to the family that owns it, every other to the
// default family.
func (p *platform) addRoutes() error {
	// Which routes there are depends on no setting, and making them calls nothing.
	a := app.New(app.Config{}, app.Overrides{})
	owners := map[string]string{}
	for _, f := range p.functions {
		if f.HTTP == nil {
			continue
		}
		integration := p.integrate(f)
		for _, key := range f.RouteKeys(a) {
			shape := parameter.ReplaceAllString(key, "{}")
			if owner, taken := owners[shape]; taken {
				return fmt.Errorf("functions %q and %q both have the route %s", owner, f.Name, shape)
			}
			owners[shape] = f.Name
			p.addRoute(strings.TrimPrefix(key, functions.AnyMethod), integration)
		}
		if f.Name == functions.DefaultFamily {
			p.addDefaultRoute(f, integration)
		}
	}
	suppress(p.api, "AwsSolutions-APIG4", "The functions authenticate every request themselves (contract §2): some "+
		"routes "+
		"are open, others take a merchant's key, a public key or an access token.")
	return nil
}

// parameter of a path. API Gateway cannot tell two routes apart that differ
// in a parameter's name only.
var parameter = regexp.MustCompile(`\{[^}]*\}`)

func (p *platform) addRoute(path string, integration awsapigatewayv2.HttpRouteIntegration) {
	p.api.AddRoutes(&awsapigatewayv2.AddRoutesOptions{
		Path: &path, Methods: &[]awsapigatewayv2.HttpMethod{awsapigatewayv2.HttpMethod_ANY}, Integration: integration})
}

// addDefaultRoute has every other path answered. Its permission is its own:
// the ARN of a call has neither method nor path there.
func (p *platform) addDefaultRoute(f function, integration awsapigatewayv2.HttpRouteIntegration) {
	awsapigatewayv2.NewHttpRoute(p.api, text(functions.DefaultRoute), &awsapigatewayv2.HttpRouteProps{
		HttpApi: p.api, RouteKey: awsapigatewayv2.HttpRouteKey_DEFAULT(), Integration: integration})
	f.lambda.AddPermission(text("DefaultRoute"), &awslambda.Permission{
		Principal: awsiam.NewServicePrincipal(text("apigateway.amazonaws.com"), nil),
		SourceArn: p.stack.FormatArn(&awscdk.ArnComponents{
			Service: text("execute-api"), Resource: p.api.ApiId(), ResourceName: text("*/" + functions.DefaultRoute)}),
	})
}

// integrate has the family called, with one permission for all of its routes:
// one for each would soon outgrow a function's policy of 20 KB.
func (p *platform) integrate(f function) awsapigatewayv2.HttpRouteIntegration {
	return awsapigatewayv2integrations.NewHttpLambdaIntegration(text("Integration"+pascal(f.Name)), f.lambda,
		&awsapigatewayv2integrations.HttpLambdaIntegrationProps{
			PayloadFormatVersion:   awsapigatewayv2.PayloadFormatVersion_VERSION_2_0(),
			ScopePermissionToRoute: new(bool),
			Timeout:                duration(f.Timeout),
		})
}
