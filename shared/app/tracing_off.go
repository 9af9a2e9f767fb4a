//go:build !otel

package app

import (
	"log/slog"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/shared/acquirer"
)

// tracing does nothing. OpenTelemetry is only in programs built with the tag otel: it nearly doubles their size, and
// slows their start.
type tracing struct{}

func newTracing(c Config, log *slog.Logger) *tracing {
	if c.OTLPEndpoint != "" {
		log.Warn("OTEL_EXPORTER_OTLP_ENDPOINT is set, but this program is built without tracing: make build TRACING=on")
	}
	return &tracing{}
}

func (*tracing) wrapHandler(h any) any                              { return h }
func (*tracing) wrapClient(c aws.HTTPClient) aws.HTTPClient         { return c }
func (*tracing) wrapAcquirer(a acquirer.Acquirer) acquirer.Acquirer { return a }
