package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// adjust sets through the API what is in the template but ignored by the emulator, and
// what the test needs but no stack may have. It prints each.
func (d *deployment) adjust(ctx context.Context) error {
	want, err := d.template.tableProperties(d.table)
	if err != nil {
		return err
	}
	if err := d.setTTL(ctx, want); err != nil {
		return err
	}
	if err := d.setRecovery(ctx, want); err != nil {
		return err
	}
	// The test's shop listens on 127.0.0.1, which a deployment refuses to call.
	// checkouts accepts its address, callbacks calls it.
	for _, name := range []string{"checkouts", "callbacks"} {
		if err := d.allowLoopback(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *deployment) setTTL(ctx context.Context, want tableProperties) error {
	ttl := func() (types.TimeToLiveStatus, error) {
		is, err := d.dynamodb.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &d.table})
		if err != nil {
			return "", err
		}
		return is.TimeToLiveDescription.TimeToLiveStatus, nil
	}
	is, err := ttl()
	if err != nil || is == types.TimeToLiveStatusEnabled {
		return err
	}
	d.say("  the emulator ignored the template's TimeToLiveSpecification: set through the API")
	if _, err = d.dynamodb.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &d.table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: &want.TimeToLiveSpecification.AttributeName, Enabled: aws.Bool(true)}}); err != nil {
		return err
	}
	if is, err = ttl(); err != nil {
		return err
	}
	return differs("TTL", is, types.TimeToLiveStatusEnabled)
}

func (d *deployment) setRecovery(ctx context.Context, want tableProperties) error {
	recovery := func() (types.PointInTimeRecoveryStatus, error) {
		is, err := d.dynamodb.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &d.table})
		if err != nil {
			return "", err
		}
		return is.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus, nil
	}
	is, err := recovery()
	if err != nil || is == types.PointInTimeRecoveryStatusEnabled {
		return err
	}
	d.say("  the emulator ignored the template's PointInTimeRecoverySpecification: set through the API")
	if _, err = d.dynamodb.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: &d.table,
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true),
			RecoveryPeriodInDays: &want.Replicas[0].PointInTimeRecoverySpecification.RecoveryPeriodInDays}}); err != nil {
		return err
	}
	if is, err = recovery(); err != nil {
		return err
	}
	return differs("point-in-time recovery", is, types.PointInTimeRecoveryStatusEnabled)
}

// loopback is the setting with which callbacks may go to a developer's machine.
const loopback = "ALLOW_LOOPBACK_CALLBACKS"

// allowLoopback adds the setting to a function's environment. It prints nothing of that,
// because the platform secret is in it.
func (d *deployment) allowLoopback(ctx context.Context, name string) error {
	type configuration struct {
		Environment struct{ Variables map[string]string }
	}
	var is, set configuration
	path := functionPath(name) + "/configuration"
	if _, err := d.call(ctx, "lambda", http.MethodGet, path, nil, &is); err != nil {
		return err
	}
	if is.Environment.Variables[loopback] != "" {
		return fmt.Errorf("the stack already gives %s the setting %s", name, loopback)
	}
	d.say("  function %s gets %s=on, through the API, for the shop of the test", name, loopback)
	set.Environment.Variables = maps.Clone(is.Environment.Variables)
	set.Environment.Variables[loopback] = "on"
	_, err := d.call(ctx, "lambda", http.MethodPut, path, set, &is)
	return err
}
