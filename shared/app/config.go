// Package app turns an environment into a running function: configuration, AWS clients, the store, and the loop that
// serves HTTP events, queues, streams, schedules or direct invocations. A function's main calls one of the Serve
// functions; tests and the local run call New.
package app

import (
	"errors"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Config is a function's environment. The comments name the variables.
type Config struct {
	Table            string               // TABLE
	Region           string               // AWS_REGION
	DynamoDBEndpoint string               // DYNAMODB_ENDPOINT, empty: the AWS service
	SQSEndpoint      string               // SQS_ENDPOINT, empty: the AWS service
	SESEndpoint      string               // SES_ENDPOINT, empty: the AWS service
	S3Endpoint       string               // S3_ENDPOINT, empty: the AWS service
	CallbackQueue    string               // CALLBACK_QUEUE_URL
	PayoutQueue      string               // PAYOUT_QUEUE_URL
	PayoutShardQueue string               // PAYOUT_SHARD_QUEUE_URL
	PollQueue        string               // POLL_QUEUE_URL
	MailQueue        string               // MAIL_QUEUE_URL
	FileQueue        string               // FILE_QUEUE_URL
	ProofQueue       string               // PROOF_QUEUE_URL
	FileBucket       string               // FILE_BUCKET: holds the content of merchants' files
	MailFrom         string               // MAIL_FROM: sender address; empty: mails wait until it is set
	BaseURL          string               // BASE_URL of the API, without a trailing slash
	SignatureHeader  string               // CALLBACK_SIGNATURE_HEADER of signatures t=…,v1=… (contract §11.2); empty: none
	Refunds          payments.RefundRules // REFUND_RULES: who can refund what (payments.ParseRefundRules); none unless set
	DueShards        int                  // DUE_SHARDS: partitions of the due index; never lower it (store.Config)
	ReadableLog      bool                 // LOG=text: for a terminal; else JSON
	Stage            string               // STAGE of the deployment; none on a developer's machine
	OTLPEndpoint     string               // OTEL_EXPORTER_OTLP_ENDPOINT of a collector, without path; empty: no tracing
	Commit           string               // COMMIT of the code: 12 digits, -dirty if changed since; "unknown" unless set
	Proxies          rest.Proxies         // PROXY_HOPS, PROXY_SECRET_HASHES: none unless set
	Deployed         bool                 // true in a Lambda (AWS_LAMBDA_FUNCTION_NAME) with a stage; it writes metrics

	// ACQUIRER_HOSTS: where live challenges may lead (payments.ParseAcquirerHosts); none unless set. With ALLOW_HTTP, also
	// this machine
	AcquirerHosts payments.AcquirerHosts

	// LIVE_ACQUIRER: name of live mode's acquirer (LinkAcquirer); "": none. Functions whose programs do not link it ask it
	// nothing
	LiveAcquirer   string
	AcquirerSecret AcquirerKeys // ACQUIRER_SECRET; empty: the function does not use it

	// The other secrets are base64 of at least 32 bytes. keys.go lists the keys that are derived from each.
	Secret         []byte    // PLATFORM_SECRET; nil: the function does not use it
	SecretSince    time.Time // PLATFORM_SECRET_SINCE, RFC 3339: when the secret comes into use
	PreviousSecret []byte    // PLATFORM_SECRET_PREVIOUS; nil: no previous secret is in use
	PreviousSince  time.Time // PLATFORM_SECRET_PREVIOUS_SINCE
	LastingSecret  []byte    // LASTING_SECRET, else PLATFORM_SECRET, which then cannot be rotated; nil: not used

	// For a developer's machine only; no deployment sets them.
	AllowHTTP              bool          // ALLOW_HTTP=on
	AllowLoopbackCallbacks bool          // ALLOW_LOOPBACK_CALLBACKS=on
	ClockOffset            time.Duration // CLOCK_OFFSET=168h: how far the platform's time is ahead; refused when deployed
	AcquirerURL            string        // ACQUIRER_URL: address of the live acquirer's API; refused when deployed
}

// FromEnvironment reads the configuration through lookup (os.Getenv except in tests), with the secrets that the
// function uses. The error names each missing or malformed variable. It never contains a value.
func FromEnvironment(lookup func(string) string, uses ...Secret) (Config, error) {
	e := environment{lookup: lookup}
	c := Config{
		Table:                  e.require("TABLE"),
		Region:                 e.require("AWS_REGION"),
		BaseURL:                strings.TrimSuffix(e.require("BASE_URL"), "/"),
		CallbackQueue:          lookup("CALLBACK_QUEUE_URL"),
		PayoutQueue:            lookup("PAYOUT_QUEUE_URL"),
		PayoutShardQueue:       lookup("PAYOUT_SHARD_QUEUE_URL"),
		PollQueue:              lookup("POLL_QUEUE_URL"),
		MailQueue:              lookup("MAIL_QUEUE_URL"),
		FileQueue:              lookup("FILE_QUEUE_URL"),
		ProofQueue:             lookup("PROOF_QUEUE_URL"),
		FileBucket:             lookup("FILE_BUCKET"),
		MailFrom:               e.readAddress("MAIL_FROM"),
		DynamoDBEndpoint:       e.firstSet("DYNAMODB_ENDPOINT", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"),
		SQSEndpoint:            e.firstSet("SQS_ENDPOINT", "AWS_ENDPOINT_URL_SQS", "AWS_ENDPOINT_URL"),
		SESEndpoint:            e.firstSet("SES_ENDPOINT", "AWS_ENDPOINT_URL_SESV2", "AWS_ENDPOINT_URL"),
		S3Endpoint:             e.firstSet("S3_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
		SignatureHeader:        e.readSignatureHeader("CALLBACK_SIGNATURE_HEADER"),
		Refunds:                e.readRefundRules("REFUND_RULES"),
		AcquirerHosts:          e.readAcquirerHosts("ACQUIRER_HOSTS"),
		DueShards:              e.readNumber("DUE_SHARDS", store.DefaultDueShards, store.MaxDueShards),
		ReadableLog:            lookup("LOG") == "text",
		Stage:                  lookup("STAGE"),
		Commit:                 commitOf(lookup),
		OTLPEndpoint:           strings.TrimSuffix(lookup("OTEL_EXPORTER_OTLP_ENDPOINT"), "/"),
		Deployed:               lookup("STAGE") != "" && lookup("AWS_LAMBDA_FUNCTION_NAME") != "",
		Proxies:                e.readProxies("PROXY_HOPS", "PROXY_SECRET_HASHES"),
		LiveAcquirer:           lookup("LIVE_ACQUIRER"),
		AllowHTTP:              e.isOn("ALLOW_HTTP"),
		AllowLoopbackCallbacks: e.isOn("ALLOW_LOOPBACK_CALLBACKS"),
	}
	e.readSecrets(&c, uses)
	c.ClockOffset = e.readClockOffset("CLOCK_OFFSET", c.Deployed)
	c.AcquirerURL = e.readLocal("ACQUIRER_URL", c.Deployed)
	return c, errors.Join(e.problems...)
}
