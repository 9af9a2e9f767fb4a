package simulator

import (
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// awsConfig reaches S3 past the scheduler.
func awsConfig(f *files) aws.Config {
	return aws.Config{Region: f.config.Region, Credentials: credentials, HTTPClient: plainClient(f.objects),
		BaseEndpoint: &f.config.S3Endpoint}
}

// reconcile runs the platform's own reconciliation, of files too, which the function files does by messages. What it
// finds it logs.
func (f *files) reconcile() {
	f.run(clients, func() {
		if _, _, err := invoke[any](f.World, "auditor", "reconcile", "", 0, json.RawMessage("{}")); err != nil {
			f.find("", "reconcile fails: %v", err)
		}
	})
	f.steer(clients)
	f.drain()
}
