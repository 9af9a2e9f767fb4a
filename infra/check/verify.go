package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/store"
)

// verify checks that everything in the list of functions was deployed, and sets properties that the emulator ignored.
func (d *deployment) verify(ctx context.Context) error {
	d.say("Check each function, queue, source and schedule")
	for _, f := range functions.All {
		if err := d.verifyFunction(ctx, f); err != nil {
			return fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	for _, q := range functions.Queues {
		if err := d.verifyQueue(ctx, q); err != nil {
			return fmt.Errorf("queue %s: %w", q.Name, err)
		}
	}
	if err := d.verifyTable(ctx); err != nil {
		return fmt.Errorf("table %s: %w", d.table, err)
	}
	return d.adjust(ctx)
}

func checkEqual(what string, is, want any) error {
	if is, want := fmt.Sprint(is), fmt.Sprint(want); is != want {
		return fmt.Errorf("%s is %s, want %s", what, is, want)
	}
	return nil
}

func (d *deployment) verifyFunction(ctx context.Context, f functions.Function) error {
	var is struct {
		FunctionArn, Runtime string
		Timeout              int
		Architectures        []string
	}
	if _, err := d.call(ctx, "lambda", http.MethodGet, functionPath(f.Name)+"/configuration", nil, &is); err != nil {
		return err
	}
	if err := checkEqual("it", fmt.Sprint(is.Runtime, is.Architectures, is.Timeout),
		fmt.Sprint("provided.al2023", []string{"arm64"}, f.Timeout.Seconds())); err != nil {
		return err
	}
	switch {
	case f.Queue != nil:
		return d.verifySource(ctx, f.Name, ":"+stack+"-"+f.Queue.From.Name, f.Queue.Batch)
	case f.Stream != nil:
		return d.verifySource(ctx, f.Name, "/stream/", 0)
	case f.Tick != nil:
		return d.verifySchedule(ctx, f, is.FunctionArn)
	default:
		return nil
	}
}

// verifySource checks that the function reads a source whose ARN contains arn, and that the function reports failed
// messages. Batch 0 means any size.
func (d *deployment) verifySource(ctx context.Context, name, arn string, batch int) error {
	var found struct {
		EventSourceMappings []struct {
			EventSourceArn, State string
			BatchSize             int
			FunctionResponseTypes []string
		}
	}
	if _, err := d.call(ctx, "lambda", http.MethodGet, "/2015-03-31/event-source-mappings/?FunctionName="+stack+"-"+
		name, nil, &found); err != nil {
		return err
	}
	for _, m := range found.EventSourceMappings {
		if strings.Contains(m.EventSourceArn, arn) && m.State == "Enabled" && (batch == 0 || m.BatchSize == batch) &&
			slices.Contains(m.FunctionResponseTypes, "ReportBatchItemFailures") {
			return nil
		}
	}
	return fmt.Errorf("no source %s with batches of %d: %+v", arn, batch, found.EventSourceMappings)
}

func (d *deployment) verifySchedule(ctx context.Context, f functions.Function, function string) error {
	var is struct {
		State, ScheduleExpression string
		Target                    struct {
			Arn              string
			DeadLetterConfig struct{ Arn string }
		}
	}
	if _, err := d.call(ctx, "scheduler", http.MethodGet, "/schedules/"+stack+"-"+f.Name, nil, &is); err != nil {
		return err
	}
	kind, _, _ := strings.Cut(is.ScheduleExpression, "(")
	if kind != "rate" && kind != "cron" ||
		!strings.HasSuffix(is.Target.DeadLetterConfig.Arn, ":"+stack+"-"+f.Name+"-dead") {
		return fmt.Errorf("its schedule is %+v", is)
	}
	return checkEqual("its schedule", is.State+" "+is.Target.Arn, "ENABLED "+function)
}

func (d *deployment) verifyQueue(ctx context.Context, q functions.Queue) error {
	is, err := d.readQueue(ctx, q.Name)
	if err != nil {
		return err
	}
	dead, err := d.readQueue(ctx, q.DeadName())
	if err != nil {
		return err
	}
	var redrive struct {
		DeadLetterTargetArn string
		MaxReceiveCount     json.Number
	}
	if err := json.Unmarshal([]byte(is["RedrivePolicy"]), &redrive); err != nil {
		return fmt.Errorf("its RedrivePolicy %q: %w", is["RedrivePolicy"], err)
	}
	got := fmt.Sprint(is["VisibilityTimeout"], redrive, dead["MessageRetentionPeriod"])
	redrive.DeadLetterTargetArn, redrive.MaxReceiveCount = dead["QueueArn"], json.Number(strconv.Itoa(q.MaxReceives))
	return checkEqual("visibility, redrive, dead letters' retention", got, fmt.Sprint(
		strconv.Itoa(int(q.Visibility.Seconds())), redrive, strconv.Itoa(int(functions.DeadRetention.Seconds()))))
}

func (d *deployment) readQueue(ctx context.Context, name string) (map[string]string, error) {
	found, err := d.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(stack + "-" + name)})
	if err != nil {
		return nil, err
	}
	is, err := d.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: found.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameAll}})
	if err != nil {
		return nil, err
	}
	return is.Attributes, nil
}

func (d *deployment) verifyTable(ctx context.Context) error {
	is, err := d.dynamodb.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &d.table})
	if err != nil {
		return err
	}
	var indexes, wanted []string
	for _, i := range is.Table.GlobalSecondaryIndexes {
		indexes = append(indexes, fmt.Sprint(*i.IndexName, " ", *i.KeySchema[0].AttributeName, " ",
			*i.KeySchema[1].AttributeName))
	}
	for _, i := range store.Indexes {
		wanted = append(wanted, fmt.Sprint(i.Name, " ", i.Partition, " ", i.Sort))
	}
	slices.Sort(indexes)
	slices.Sort(wanted)
	if err := checkEqual("indexes", indexes, wanted); err != nil {
		return err
	}
	if is.Table.StreamSpecification == nil {
		return fmt.Errorf("it has no stream")
	}
	return checkEqual("stream", is.Table.StreamSpecification.StreamViewType, "NEW_AND_OLD_IMAGES")
}

// adjust sets the template's properties that the emulator ignores, and one setting for the test only. It prints each
// change.
func (d *deployment) adjust(ctx context.Context) error {
	want, err := d.template.findTable(d.table)
	if err != nil {
		return err
	}
	if err := d.setTTL(ctx, want); err != nil {
		return err
	}
	if err := d.setRecovery(ctx, want); err != nil {
		return err
	}
	// The test's shop is on loopback, which deployments refuse. The function checkouts must accept the shop's address, and
	// the function callbacks must call it.
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
	return checkEqual("TTL", is, types.TimeToLiveStatusEnabled)
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
	return checkEqual("point-in-time recovery", is, types.PointInTimeRecoveryStatusEnabled)
}

// loopback is the variable that allows callbacks to a developer's machine.
const loopback = "ALLOW_LOOPBACK_CALLBACKS"

// allowLoopback adds the variable to a function. It prints nothing of the function's environment, which has the secret.
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

const templateFile = "Cashwrap.template.json"

const tableKind = "AWS::DynamoDB::GlobalTable"

type template struct {
	Resources map[string]*resource
}

type resource struct {
	Type       string
	Properties json.RawMessage
}

func readTemplate(file string) (t template, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(text, &t)
}

// tableProperties are the properties of the table that the emulator ignores.
type tableProperties struct {
	TableName               string
	TimeToLiveSpecification struct {
		AttributeName string
		Enabled       bool
	}
	Replicas []struct {
		PointInTimeRecoverySpecification struct {
			PointInTimeRecoveryEnabled bool
			RecoveryPeriodInDays       int32
		}
	}
}

// findTable returns the properties of a table in the template. The error names a wrong property.
func (t template) findTable(name string) (tableProperties, error) {
	for id, r := range t.Resources {
		var p tableProperties
		if r.Type != tableKind {
			continue
		}
		if err := json.Unmarshal(r.Properties, &p); err != nil {
			return p, fmt.Errorf("%s: %w", id, err)
		}
		if p.TableName != name {
			continue
		}
		if ttl := p.TimeToLiveSpecification; !ttl.Enabled || ttl.AttributeName != store.TTLAttribute {
			return p, fmt.Errorf("%s: TimeToLiveSpecification is %+v, want it enabled for %s", id, ttl, store.TTLAttribute)
		}
		if len(p.Replicas) != 1 {
			return p, fmt.Errorf("%s: Replicas are %+v, want one", id, p.Replicas)
		}
		pitr := p.Replicas[0].PointInTimeRecoverySpecification
		if !pitr.PointInTimeRecoveryEnabled || pitr.RecoveryPeriodInDays == 0 {
			return p, fmt.Errorf("%s: PointInTimeRecoverySpecification is %+v, want it enabled", id, pitr)
		}
		return p, nil
	}
	return tableProperties{}, fmt.Errorf("the template has no table %s", name)
}
