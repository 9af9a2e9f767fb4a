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

// adjust sets by API what the template says and the emulator drops, and what
// the play needs and no stack may have. It tells of each.
func (d *deployment) adjust(ctx context.Context) error {
	asked, err := d.template.tableAsked(d.table)
	if err != nil {
		return err
	}
	if err := d.keepTTL(ctx, asked); err != nil {
		return err
	}
	if err := d.keepRecovery(ctx, asked); err != nil {
		return err
	}
	// The play's shop listens on 127.0.0.1, which a deployment rightly refuses to call.
	// checkouts takes its address, callbacks calls it.
	for _, name := range []string{"checkouts", "callbacks"} {
		if err := d.allowLoopback(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *deployment) keepTTL(ctx context.Context, asked tableProperties) error {
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
	d.say("  the emulator dropped the template's TimeToLiveSpecification: set by API")
	if _, err := d.dynamodb.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &d.table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: &asked.TimeToLiveSpecification.AttributeName, Enabled: aws.Bool(true)}}); err != nil {
		return err
	}
	if is, err = ttl(); err != nil {
		return err
	}
	return unlike("TTL", is, types.TimeToLiveStatusEnabled)
}

func (d *deployment) keepRecovery(ctx context.Context, asked tableProperties) error {
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
	d.say("  the emulator dropped the template's PointInTimeRecoverySpecification: set by API")
	if _, err := d.dynamodb.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: &d.table,
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true),
			RecoveryPeriodInDays: &asked.PointInTimeRecoverySpecification.RecoveryPeriodInDays}}); err != nil {
		return err
	}
	if is, err = recovery(); err != nil {
		return err
	}
	return unlike("point-in-time recovery", is, types.PointInTimeRecoveryStatusEnabled)
}

// loopback is the setting of a developer's machine that lets callbacks reach it.
const loopback = "ALLOW_LOOPBACK_CALLBACKS"

// allowLoopback adds the setting to a function's environment, of which it
// prints nothing: the platform secret is in it.
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
		return fmt.Errorf("the stack gives %s the setting %s", name, loopback)
	}
	d.say("  function %s gets %s=on, by API, for the shop of the play", name, loopback)
	set.Environment.Variables = maps.Clone(is.Environment.Variables)
	set.Environment.Variables[loopback] = "on"
	_, err := d.call(ctx, "lambda", http.MethodPut, path, set, &is)
	return err
}
