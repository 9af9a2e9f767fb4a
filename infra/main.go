// Package main is the CDK app: the platform in an AWS account, generated from
// functions.All, functions.Queues and store.Indexes, so that a new family,
// queue, schedule or index needs no change here.
//
// What an operator may set is in settings.go.
package main

import (
	"fmt"
	"os"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/functions"
)

func main() {
	if err := synthesize(); err != nil {
		fmt.Fprintln(os.Stderr, "infra:", err)
		os.Exit(1)
	}
}

// synthesize writes the cloud assembly for the CDK CLI.
func synthesize() error {
	if err := checkNode(os.Stderr); err != nil {
		return err
	}
	defer jsii.Close()
	app := awscdk.NewApp(nil)
	if _, err := newPlatform(app, functions.All); err != nil {
		return err
	}
	app.Synth(nil)
	return nil
}
