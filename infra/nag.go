package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// checkWithNag has each synthesis checked by cdk-nag: a finding that nothing
// suppresses is an error, and nothing is deployed.
func checkWithNag(stack awscdk.Stack) {
	props := &cdknag.NagPackProps{Verbose: yes, Reports: new(bool)}
	awscdk.Aspects_Of(stack).Add(cdknag.NewAwsSolutionsChecks(props), nil)
}

// suppress answers a finding where the resource is made. appliesTo names the
// exact findings of a rule that has several; the template carries the reason.
func suppress(at constructs.IConstruct, rule, reason string, appliesTo ...string) {
	suppression := &cdknag.NagPackSuppression{Id: &rule, Reason: &reason}
	if len(appliesTo) > 0 {
		var exact []any
		for _, finding := range appliesTo {
			exact = append(exact, finding)
		}
		suppression.AppliesTo = &exact
	}
	cdknag.NagSuppressions_AddResourceSuppressions(at, &[]*cdknag.NagPackSuppression{suppression}, yes)
}
