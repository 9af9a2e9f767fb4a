package runner

import (
	"encoding/base64"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// Region of all engines.
const Region = "eu-central-1"

// Engines are the endpoints of DynamoDB, SQS, SES and S3.
type Engines struct {
	DynamoDB  string // endpoint
	SQS       string // endpoint
	SES       string // endpoint; "": mails wait
	S3        string // endpoint; "": there is no bucket
	AccessKey string // the engines keep a database for each
}

// Bucket is that of files.
const Bucket = "cashwrap-files"

// Environment is the environment of functions on a developer's machine, over the engines: plain HTTP and callbacks to
// loopback are allowed. secret is the platform's, at least 32 bytes, in use since the given time.
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

// Keys sign calls to the engines, of which only S3 checks them.
func (e Engines) Keys() aws.Credentials {
	return aws.Credentials{AccessKeyID: e.AccessKey, SecretAccessKey: "local"}
}

// Credentials provides the keys.
func (e Engines) Credentials() aws.CredentialsProvider {
	return credentials.StaticCredentialsProvider{Value: e.Keys()}
}
