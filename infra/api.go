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
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsroute53"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsroute53targets"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// addAPI adds the HTTP API and its default stage. If the stage had any other name, each path would begin with that
// name.
func (p *platform) addAPI() {
	p.api = awsapigatewayv2.NewHttpApi(p.stack, text("Api"), &awsapigatewayv2.HttpApiProps{
		ApiName:                   text(p.name("")),
		Description:               text("Cashwrap, " + p.Stage),
		CreateDefaultStage:        new(bool),
		DisableExecuteApiEndpoint: jsii.Bool(p.Domain != ""), // with a domain, the API has no other address
	})
	props := &awsapigatewayv2.HttpStageProps{
		HttpApi: p.api, StageName: text("$default"), AutoDeploy: yes, DetailedMetricsEnabled: yes,
		Throttle:          &awsapigatewayv2.ThrottleSettings{RateLimit: &p.Rate, BurstLimit: &p.Burst},
		AccessLogSettings: p.addAccessLog(),
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

// addAccessLog adds a log of all requests, including requests that reach no function. Each line has the request id that
// functions log. The only personal data is the client's address, which is needed to trace attacks (PCI DSS 10.2.2). The
// log has the route instead of the path, because a path or query may contain tokens.
func (p *platform) addAccessLog() awsapigatewayv2.IAccessLogSettings {
	format, err := json.Marshal(map[string]string{
		"requestId": "$context.requestId", "time": "$context.requestTime", "method": "$context.httpMethod",
		"route": "$context.routeKey", "status": "$context.status", "bytes": "$context.responseLength",
		"source": "$context.identity.sourceIp", "latency": "$context.responseLatency",
		"integrationLatency": "$context.integrationLatency",
		"integrationError":   "$context.integrationErrorMessage", "error": "$context.error.message",
	})
	if err != nil { // impossible for a map of strings
		panic(err)
	}
	// API Gateway may write to log groups with this prefix without a policy for each group.
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

func (p *platform) addRoutes() error {
	// The routes depend on no setting, and listing them calls no other system.
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
			p.api.AddRoutes(&awsapigatewayv2.AddRoutesOptions{Path: text(strings.TrimPrefix(key, functions.AnyMethod)),
				Methods: &[]awsapigatewayv2.HttpMethod{awsapigatewayv2.HttpMethod_ANY}, Integration: integration})
		}
		if f.Name == functions.DefaultFamily {
			p.addDefaultRoute(f, integration)
		}
	}
	return nil
}

// parameter matches a path parameter. To API Gateway, routes that differ only in a parameter's name are the same.
var parameter = regexp.MustCompile(`\{[^}]*\}`)

// addDefaultRoute routes all other paths. It adds a separate permission, because in a call for such a path the ARN has
// no method or path.
func (p *platform) addDefaultRoute(f function, integration awsapigatewayv2.HttpRouteIntegration) {
	awsapigatewayv2.NewHttpRoute(p.api, text(functions.DefaultRoute), &awsapigatewayv2.HttpRouteProps{
		HttpApi: p.api, RouteKey: awsapigatewayv2.HttpRouteKey_DEFAULT(), Integration: integration})
	f.lambda.AddPermission(text("DefaultRoute"), &awslambda.Permission{
		Principal: awsiam.NewServicePrincipal(text("apigateway.amazonaws.com"), nil),
		SourceArn: p.stack.FormatArn(&awscdk.ArnComponents{
			Service: text("execute-api"), Resource: p.api.ApiId(), ResourceName: text("*/" + functions.DefaultRoute)}),
	})
}

// integrate lets the API call the function, by a single permission for all routes. One permission per route would
// exceed the 20 KB that a policy may have.
func (p *platform) integrate(f function) awsapigatewayv2.HttpRouteIntegration {
	return awsapigatewayv2integrations.NewHttpLambdaIntegration(text("Integration"+pascal(f.Name)), f.lambda,
		&awsapigatewayv2integrations.HttpLambdaIntegrationProps{
			PayloadFormatVersion:   awsapigatewayv2.PayloadFormatVersion_VERSION_2_0(),
			ScopePermissionToRoute: new(bool),
			Timeout:                duration(f.Timeout),
		})
}

func (p *platform) addDomain() *awsapigatewayv2.DomainMappingOptions {
	domain := awsapigatewayv2.NewDomainName(p.stack, text("Domain"), &awsapigatewayv2.DomainNameProps{
		DomainName:     &p.Domain,
		Certificate:    awscertificatemanager.Certificate_FromCertificateArn(p.stack, text("Certificate"), &p.Certificate),
		SecurityPolicy: awsapigatewayv2.SecurityPolicy_TLS_1_2,
	})
	p.addOutput("DomainTarget", domain.RegionalDomainName(), "what the domain's DNS record must point to")
	if p.ZoneID != "" {
		p.addRecords(domain)
	}
	return &awsapigatewayv2.DomainMappingOptions{DomainName: domain}
}

func (p *platform) addRecords(domain awsapigatewayv2.DomainName) {
	zone := awsroute53.HostedZone_FromHostedZoneAttributes(p.stack, text("Zone"), &awsroute53.HostedZoneAttributes{
		HostedZoneId: &p.ZoneID, ZoneName: &p.ZoneName})
	target := awsroute53.RecordTarget_FromAlias(awsroute53targets.NewApiGatewayv2DomainProperties(
		domain.RegionalDomainName(), domain.RegionalHostedZoneId()))
	awsroute53.NewARecord(p.stack, text("Record"), &awsroute53.ARecordProps{Zone: zone,
		RecordName: &p.Domain, Target: target})
}
