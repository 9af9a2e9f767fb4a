package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// CallbackMessage is the body of a message in the callback queue: it only
// names the callback, whose item says everything else.
type CallbackMessage struct {
	ID string `json:"callback"`
}

// callbackQueue opens its client at the first message. Only functions that
// send reach it, so the linker leaves SQS out of all others.
type callbackQueue struct {
	open   sync.Once
	client *sqs.Client
}

var errNoCallbackQueue = errors.New("CALLBACK_QUEUE_URL is not set")

// SendCallback has a callback's next try made after the delay: at most 15
// minutes (an SQS limit), rounded up to whole seconds so that it is never
// early.
func (a *App) SendCallback(ctx context.Context, id string, delay time.Duration) error {
	if a.CallbackQueue == "" {
		return errNoCallbackQueue
	}
	body, err := json.Marshal(CallbackMessage{ID: id})
	if err != nil {
		return err
	}
	a.queue.open.Do(func() { a.queue.client = a.openSQS() })
	_, err = a.queue.client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: aws.String(a.CallbackQueue), MessageBody: aws.String(string(body)),
		DelaySeconds: int32((delay + time.Second - 1) / time.Second),
	})
	return err
}

// openSQS is built by hand, as the store's client is and for the same reasons.
func (a *App) openSQS() *sqs.Client {
	options := sqs.Options{Region: a.Region, Credentials: a.outside.Credentials, HTTPClient: a.outside.HTTP}
	if options.HTTPClient == nil {
		options.HTTPClient = http.DefaultClient
	}
	if a.SQSEndpoint != "" {
		options.BaseEndpoint = aws.String(a.SQSEndpoint)
	}
	options.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		if a.outside.MaxAttempts > 0 {
			o.MaxAttempts = a.outside.MaxAttempts
		}
		if a.outside.MaxBackoff > 0 {
			o.MaxBackoff = a.outside.MaxBackoff
		}
	})
	return sqs.New(options)
}
