package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// cloud calls the emulator as an operator would. For some services the module needs an SDK client anyway, and cloud
// uses that client. For all others it uses HTTP.
type cloud struct {
	endpoint string
	config   aws.Config
	dynamodb *dynamodb.Client
	sqs      *sqs.Client
}

func newCloud(endpoint string) *cloud {
	config := aws.Config{Region: region, BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider(accessKey, accessKey, "")}
	return &cloud{endpoint, config, dynamodb.NewFromConfig(config), sqs.NewFromConfig(config)}
}

// call sends a request to a REST service and reads the JSON of the answer. An error contains the answer only if the
// request failed.
func (c *cloud) call(ctx context.Context, service, method, path string, body, into any) (http.Header, error) {
	return c.send(ctx, service, method, path, "", body, into)
}

// callOperation calls a service that takes its operation's name in a header.
func (c *cloud) callOperation(ctx context.Context, service, name string, body, into any) error {
	_, err := c.send(ctx, service, http.MethodPost, "/", name, body, into)
	return err
}

func (c *cloud) send(ctx context.Context, service, method, path, operation string, body,
	into any) (http.Header, error) {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.endpoint+path, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if operation != "" {
		request.Header.Set("Content-Type", "application/x-amz-json-1.1")
		request.Header.Set("X-Amz-Target", operation)
	}
	if err = c.sign(ctx, request, payload, service); err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s %s%s: %s %s", method, path, operation, response.Status, answer)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return nil, fmt.Errorf("%s %s%s: %w", method, path, operation, err)
	}
	return response.Header, nil
}

func (c *cloud) sign(ctx context.Context, request *http.Request, payload []byte, service string) error {
	keys, err := c.config.Credentials.Retrieve(ctx)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(payload)
	return v4.NewSigner().SignHTTP(ctx, keys, request, hex.EncodeToString(hash[:]), service, region, time.Now())
}

// invoke does `aws lambda invoke`. It returns an error if the function fails or refuses the command. If the answer is
// not a refusal, the error does not contain the answer, because an answer may have keys.
func (c *cloud) invoke(ctx context.Context, name string, request, into any) error {
	var answer json.RawMessage
	header, err := c.call(ctx, "lambda", http.MethodPost, functionPath(name)+"/invocations", request, &answer)
	if err != nil {
		return fmt.Errorf("invoke %s: %w", name, err)
	}
	var refused struct {
		Error        json.RawMessage
		ErrorMessage string
	}
	if json.Unmarshal(answer, &refused) == nil && (refused.Error != nil || header.Get("X-Amz-Function-Error") != "") {
		return fmt.Errorf("%s refuses: %s%s", name, refused.Error, refused.ErrorMessage)
	}
	return json.Unmarshal(answer, into)
}

func functionPath(name string) string { return "/2015-03-31/functions/" + stack + "-" + name }

// gateway sends requests for the API to the emulator, because no resolver knows the API's name. It marks them as if
// they came over TLS. Other requests stay unchanged.
type gateway struct{ api, emulator string } // hosts

// RoundTrip implements http.RoundTripper.
func (g gateway) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host == g.api {
		request = request.Clone(request.Context())
		request.Host, request.URL.Scheme, request.URL.Host = g.api, "http", g.emulator
		request.Header.Set("X-Forwarded-Proto", "https")
	}
	return http.DefaultTransport.RoundTrip(request)
}
