package main

import (
	"debug/buildinfo"
	"errors"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
)

// addTracing sets the variables of OpenTelemetry, so that functions export spans (specification, "OTLP Exporter",
// "General SDK Configuration").
func (p *platform) addTracing(variables map[string]*string) {
	if p.OTLPEndpoint == "" {
		return
	}
	variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = &p.OTLPEndpoint
	variables["OTEL_TRACES_SAMPLER"] = text("parentbased_traceidratio")
	variables["OTEL_TRACES_SAMPLER_ARG"] = text(strconv.FormatFloat(p.TracedShare, 'f', -1, 64))
	if p.OTLPHeadersSecret != "" {
		if p.otlpHeaders == nil {
			p.otlpHeaders = awssecretsmanager.Secret_FromSecretNameV2(p.stack, text("OTLPHeaders"), &p.OTLPHeadersSecret)
		}
		variables["OTEL_EXPORTER_OTLP_HEADERS"] = p.otlpHeaders.SecretValue().UnsafeUnwrap()
	}
}

var (
	errNotTraced = errors.New("otlpEndpoint is set, but it is built without tracing: give make TRACING=on, too")
	errTraced    = errors.New("it is built with tracing, which slows its start, but no otlpEndpoint is set")
)

// checkTracing returns an error if the program is built with tracing but tracing is not wanted, or the other way round.
// For a file that is not a Go program, as in tests, it returns no error.
func checkTracing(program string, wanted bool) error {
	built, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil //nolint:nilerr // not a Go program
	}
	has := slices.ContainsFunc(built.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-tags" && slices.Contains(strings.Split(s.Value, ","), "otel")
	})
	switch {
	case wanted && !has:
		return errNotTraced
	case has && !wanted:
		return errTraced
	default:
		return nil
	}
}
