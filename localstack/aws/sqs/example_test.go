package sqs_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
)

// The engine is the transport of an unmodified client, so no socket is opened. The engine uses the test's clock, so a
// message's visibility timeout passes at once.
func Example() {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	engine := sqs.New(sqs.Config{Now: func() time.Time { return now }})
	client := sdk.New(sdk.Options{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
		BaseEndpoint: aws.String("http://sqs.test"), HTTPClient: &http.Client{Transport: engine}})

	ctx := context.Background()
	queue, err := client.CreateQueue(ctx, &sdk.CreateQueueInput{QueueName: aws.String("callbacks"),
		Attributes: map[string]string{"VisibilityTimeout": "30"}})
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.SendMessage(ctx, &sdk.SendMessageInput{QueueUrl: queue.QueueUrl, MessageBody: aws.String("cb_1")})
	if err != nil {
		log.Fatal(err)
	}
	receive := func() {
		out, err := client.ReceiveMessage(ctx, &sdk.ReceiveMessageInput{QueueUrl: queue.QueueUrl})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("messages:", len(out.Messages))
	}
	receive()
	receive() // none, since the message is in flight
	now = now.Add(30 * time.Second)
	receive() // again, since it was not deleted
	// Output:
	// messages: 1
	// messages: 0
	// messages: 1
}
