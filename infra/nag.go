package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// checkWithNag lets cdk-nag check each synthesis by three of its packs. A finding without an answer (findings.go) is an
// error, and nothing is deployed. Its reports, beside the template, are for `check findings`.
func checkWithNag(stack awscdk.Stack) {
	props := &cdknag.NagPackProps{Verbose: yes, Reports: yes,
		ReportFormats: &[]cdknag.NagReportFormat{cdknag.NagReportFormat_JSON}}
	for _, pack := range []awscdk.IAspect{cdknag.NewAwsSolutionsChecks(props), cdknag.NewServerlessChecks(props),
		cdknag.NewPCIDSS321Checks(props)} {
		awscdk.Aspects_Of(stack).Add(pack, nil)
	}
}
