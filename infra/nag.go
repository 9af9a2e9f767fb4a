package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// checkWithNag lets cdk-nag check each synthesis. A finding that is not suppressed is
// an error, and nothing is deployed.
func checkWithNag(stack awscdk.Stack) {
	props := &cdknag.NagPackProps{Verbose: yes, Reports: new(bool)}
	awscdk.Aspects_Of(stack).Add(cdknag.NewAwsSolutionsChecks(props), nil)
}

// suppress suppresses a finding where the resource is made. appliesTo names the
// findings of a rule that has several. The reason is in the template.
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
