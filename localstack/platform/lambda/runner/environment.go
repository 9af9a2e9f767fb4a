package runner

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/inprocess"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runtime"
	"github.com/cashwrap/cashwrap/shared/app"
)

// Programs are functions as deployed: built programs that run in separate processes.
type Programs struct {
	Folder      string                  // result of runtime.Build
	Environment map[string]string       // variables of all functions; each function gets its own
	Credentials aws.CredentialsProvider // for the engines; may be nil
	Log         *slog.Logger            // nil means slog.Default
}

// Of returns the configuration of a function's program. It fails if the credentials cannot be read.
func (p Programs) Of(ctx context.Context, f functions.Function) (runtime.Config, error) {
	environment := maps.Clone(p.Environment)
	// As in the CDK app, a function gets only the URLs of queues that it sends to. It gets the bucket only if it uses
	// files.
	sends := f.Access().Sends
	if !f.Access().Objects {
		delete(environment, "FILE_BUCKET")
	}
	for _, q := range functions.Queues {
		if !slices.ContainsFunc(sends, func(s functions.Queue) bool { return s.Name == q.Name }) {
			delete(environment, q.Variable)
		}
	}
	for _, s := range app.Secrets {
		if !slices.Contains(f.Access().Secrets, s) {
			delete(environment, string(s))
			delete(environment, string(s)+"_SINCE")
			delete(environment, string(s)+"_PREVIOUS")
			delete(environment, string(s)+"_PREVIOUS_SINCE")
		} else if s == app.LastingSecret && environment[string(s)] == "" { // this machine may have only the platform's
			environment[string(s)] = p.Environment[string(app.PlatformSecret)]
		}
	}
	if p.Credentials != nil {
		keys, err := p.Credentials.Retrieve(ctx)
		if err != nil {
			return runtime.Config{}, fmt.Errorf("function %q: %w", f.Name, err)
		}
		environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"] = keys.AccessKeyID, keys.SecretAccessKey
		environment["AWS_SESSION_TOKEN"] = keys.SessionToken
	}
	instances := 0
	if f.Queue != nil && f.Queue.Prompt {
		instances = maxProcesses
	}
	return runtime.Config{
		Instances: instances, Name: f.Name, Program: runtime.Program(p.Folder, f.Name), Environment: environment,
		ARN: inprocess.ARN(f.Name, environment["AWS_REGION"]), Timeout: f.Timeout, Log: p.Log,
	}, nil
}

// Region is the region of all engines.
const Region = "eu-central-1"

// Engines are the endpoints of DynamoDB, SQS, SES and S3.
type Engines struct {
	DynamoDB  string // endpoint
	SQS       string // endpoint
	SES       string // endpoint; "" makes mails wait
	S3        string // endpoint; "" means no bucket
	AccessKey string // selects the engines' database
}

// Bucket is the bucket of files.
const Bucket = "cashwrap-files"

// Environment returns the functions' variables for these engines. The variables allow plain HTTP, and callbacks to
// loopback addresses. secret is the platform's secret of at least 32 bytes, in use since the given time.
func (e Engines) Environment(secret []byte, since time.Time) map[string]string {
	environment := map[string]string{
		"TABLE":                    "cashwrap",
		"AWS_REGION":               Region,
		"DYNAMODB_ENDPOINT":        e.DynamoDB,
		"SQS_ENDPOINT":             e.SQS,
		"PLATFORM_SECRET":          base64.StdEncoding.EncodeToString(secret),
		"PLATFORM_SECRET_SINCE":    since.UTC().Format(time.RFC3339),
		"ALLOW_HTTP":               "on",
		"ALLOW_LOOPBACK_CALLBACKS": "on",
	}
	if e.SES != "" {
		environment["SES_ENDPOINT"], environment["MAIL_FROM"] = e.SES, "Cashwrap <no-reply@cashwrap.example>"
	}
	if e.S3 != "" {
		environment["S3_ENDPOINT"], environment["FILE_BUCKET"] = e.S3, Bucket
	}
	return environment
}

// Keys returns the keys that sign calls to the engines. Only S3 checks them.
func (e Engines) Keys() aws.Credentials {
	return aws.Credentials{AccessKeyID: e.AccessKey, SecretAccessKey: "local"}
}

// Credentials returns a provider of the keys.
func (e Engines) Credentials() aws.CredentialsProvider {
	return credentials.StaticCredentialsProvider{Value: e.Keys()}
}
