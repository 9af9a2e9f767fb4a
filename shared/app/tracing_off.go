//go:build !otel

package app

import (
	"log/slog"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/shared/acquirer"
)

// tracing is OpenTelemetry's, which is only in programs that are built with the tag
// otel: it nearly doubles their size, and makes them slower to start.
type tracing struct{}

func newTracing(c Config, log *slog.Logger) *tracing {
	if c.OTLPEndpoint != "" {
		log.Warn("OTEL_EXPORTER_OTLP_ENDPOINT is set, but this program is built without tracing: make build TRACING=on")
	}
	return &tracing{}
}

func (*tracing) handler(h any) any                              { return h }
func (*tracing) calls(c aws.HTTPClient) aws.HTTPClient          { return c }
func (*tracing) acquirer(a acquirer.Acquirer) acquirer.Acquirer { return a }
