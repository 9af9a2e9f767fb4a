package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/gateway"
	"github.com/cashwrap/cashwrap/shared/app"
)

const tableLimit = 30 * time.Second

// prepare creates the resources of a deployment in CDK's order: table, queues, functions, event sources.
func (r *Runner) prepare(ctx context.Context) error {
	settings, err := r.settings()
	if err != nil {
		return err
	}
	own := app.Overrides{Now: r.config.Overrides.Now, HTTP: r.config.HTTP, Credentials: r.config.Overrides.Credentials,
		Log: r.config.Log}
	platform := app.New(settings, own)
	if err = platform.Store.CreateTable(ctx); err != nil {
		return fmt.Errorf("create the table: %w", err)
	}
	// No older version has written to a table with this index, because the local platform adds no index to a table.
	if _, err = platform.Store.RecordChangesBirth(ctx, platform.Store.Now()); err != nil {
		return fmt.Errorf("record the birth of the index of changes: %w", err)
	}
	client := sqs.NewFromConfig(r.awsConfig(settings, settings.SQSEndpoint))
	queues, err := createQueues(ctx, client, r.config.QueuePrefix, r.config.Queues)
	if err != nil {
		return err
	}
	for _, q := range r.config.Queues {
		r.environment[q.Variable] = queues[q.Name].url
	}
	if settings, err = r.settings(); err != nil {
		return err
	}
	for _, f := range r.config.Functions {
		if err = r.addFunction(ctx, f, settings, client, queues, platform.Now); err != nil {
			return err
		}
	}
	routes, err := gateway.NewRoutes(r.config.Functions, platform)
	api := &gateway.Gateway{Routes: routes, Now: platform.Now,
		Call: func(ctx context.Context, name string, event events.APIGatewayV2HTTPRequest) (
			events.APIGatewayV2HTTPResponse, error) {
			return send[events.APIGatewayV2HTTPResponse](ctx, r.calls, r.functions[name], event)
		}}
	if r.gateway = api; r.config.WrapAPI != nil {
		r.gateway = r.config.WrapAPI(api)
	}
	return err
}

// settings returns the functions' settings. If a variable is missing, settings fails, and the error names the variable.
func (r *Runner) settings() (app.Config, error) {
	return app.FromEnvironment(func(name string) string { return r.environment[name] }, app.Secrets...)
}

func (r *Runner) addFunction(ctx context.Context, f functions.Function, c app.Config, client *sqs.Client,
	queues map[string]queue, now func() time.Time) error {
	deployed, err := r.newFunction(ctx, f, c)
	if err != nil {
		return err
	}
	r.functions[f.Name] = deployed
	switch {
	case f.Queue != nil:
		q, ok := queues[f.Queue.From.Name]
		if !ok {
			return fmt.Errorf("function %q: no queue %q", f.Name, f.Queue.From.Name)
		}
		maxCalls := pollers
		switch {
		case f.Queue.Prompt && r.config.Programs != "":
			maxCalls = maxProcesses
		case f.Queue.Prompt:
			maxCalls = maxPromptCalls
		}
		r.consumers = append(r.consumers, &consumer{client: client, queue: q, batch: f.Queue.Batch, region: c.Region,
			function: deployed, calls: r.calls, busy: make(chan struct{}, maxCalls), loops: &r.loops, log: r.config.Log})
	case f.Stream != nil:
		if r.stream != nil {
			return fmt.Errorf("function %q: the stream has a reader already", f.Name)
		}
		r.stream, err = r.openStream(ctx, deployed, c)
	case f.Tick != nil:
		r.schedules = append(r.schedules, &schedule{function: deployed, calls: r.calls,
			region: c.Region, now: now})
	}
	return err
}

func (r *Runner) openStream(ctx context.Context, f *function, c app.Config) (*stream, error) {
	settings := r.awsConfig(c, c.DynamoDBEndpoint)
	waiter := dynamodb.NewTableExistsWaiter(dynamodb.NewFromConfig(settings))
	out, err := waiter.WaitForOutput(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(c.Table)}, tableLimit)
	if err != nil {
		return nil, fmt.Errorf("describe the table: %w", err)
	}
	passes, err := filter.New(f.Stream.Filter)
	if err != nil {
		return nil, fmt.Errorf("function %q: %w", f.Name, err)
	}
	s := &stream{client: dynamodbstreams.NewFromConfig(settings), arn: aws.ToString(out.Table.LatestStreamArn),
		region: c.Region, function: f, filter: passes, calls: r.calls, manual: r.config.Manual, log: r.config.Log,
		shards: map[string]*shard{}}
	return s, s.open(ctx, r.config.SkipBacklog)
}

func (r *Runner) awsConfig(c app.Config, endpoint string) aws.Config {
	settings := aws.Config{Region: c.Region, Credentials: r.config.Overrides.Credentials}
	if r.config.HTTP != nil {
		settings.HTTPClient = r.config.HTTP
	}
	if endpoint != "" {
		settings.BaseEndpoint = aws.String(endpoint)
	}
	return settings
}
