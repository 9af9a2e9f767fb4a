package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsroute53"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsroute53targets"
)

// addDomain serves the API under the operator's domain.
func (p *platform) addDomain() *awsapigatewayv2.DomainMappingOptions {
	domain := awsapigatewayv2.NewDomainName(p.stack, text("Domain"), &awsapigatewayv2.DomainNameProps{
		DomainName:     &p.Domain,
		Certificate:    awscertificatemanager.Certificate_FromCertificateArn(p.stack, text("Certificate"), &p.Certificate),
		SecurityPolicy: awsapigatewayv2.SecurityPolicy_TLS_1_2,
	})
	p.output("DomainTarget", domain.RegionalDomainName(), "what the domain's DNS record must point to")
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
