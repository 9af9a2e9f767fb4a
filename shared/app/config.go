// Package app turns an environment into a running function: configuration,
// AWS clients, the store, and the loop that serves HTTP events, queues,
// streams, schedules or direct invocations.
package app

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Config is a function's environment. Names are the variables'.
type Config struct {
	Table            string    // TABLE
	Region           string    // AWS_REGION
	DynamoDBEndpoint string    // DYNAMODB_ENDPOINT, empty: the AWS service
	SQSEndpoint      string    // SQS_ENDPOINT, empty: the AWS service
	CallbackQueue    string    // CALLBACK_QUEUE_URL
	PayoutQueue      string    // PAYOUT_QUEUE_URL
	BaseURL          string    // BASE_URL of the API, without a trailing slash
	Secret           []byte    // PLATFORM_SECRET, base64 of at least 32 bytes; every key is derived from it
	SecretSince      time.Time // PLATFORM_SECRET_SINCE, RFC 3339: when it came into use
	PayPal           bool      // PAYPAL=on offers PayPal
	ReadableLog      bool      // LOG=text: for a terminal; else JSON

	// For a developer's machine only; no deployment sets them.
	AllowHTTP              bool // ALLOW_HTTP=on
	AllowLoopbackCallbacks bool // ALLOW_LOOPBACK_CALLBACKS=on
}

// minSecret is the least number of random bytes all keys derive from.
const minSecret = 32

// FromEnvironment reads the configuration by lookup (os.Getenv outside
// tests). The error names each variable that is missing or malformed, never
// a value.
func FromEnvironment(lookup func(string) string) (Config, error) {
	var problems []error
	require := func(name string) string {
		value := lookup(name)
		if value == "" {
			problems = append(problems, fmt.Errorf("%s is not set", name))
		}
		return value
	}
	on := func(name string) bool { return strings.EqualFold(lookup(name), "on") }
	c := Config{
		Table:                  require("TABLE"),
		Region:                 require("AWS_REGION"),
		BaseURL:                strings.TrimSuffix(require("BASE_URL"), "/"),
		CallbackQueue:          lookup("CALLBACK_QUEUE_URL"),
		PayoutQueue:            lookup("PAYOUT_QUEUE_URL"),
		DynamoDBEndpoint:       lookup("DYNAMODB_ENDPOINT"),
		SQSEndpoint:            lookup("SQS_ENDPOINT"),
		PayPal:                 on("PAYPAL"),
		ReadableLog:            lookup("LOG") == "text",
		AllowHTTP:              on("ALLOW_HTTP"),
		AllowLoopbackCallbacks: on("ALLOW_LOOPBACK_CALLBACKS"),
	}
	secret, err := base64.StdEncoding.DecodeString(require("PLATFORM_SECRET"))
	if err != nil || (len(secret) < minSecret && len(problems) == 0) {
		problems = append(problems, fmt.Errorf("PLATFORM_SECRET must be base64 of at least %d bytes", minSecret))
	}
	c.Secret = secret
	if c.SecretSince, err = time.Parse(time.RFC3339, require("PLATFORM_SECRET_SINCE")); err != nil {
		problems = append(problems, errors.New("PLATFORM_SECRET_SINCE must be an RFC 3339 time"))
	}
	return c, errors.Join(problems...)
}
