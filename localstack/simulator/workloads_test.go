package simulator_test

import (
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/files"
	"github.com/cashwrap/cashwrap/localstack/simulator/hanging"
	"github.com/cashwrap/cashwrap/localstack/simulator/month"
	"github.com/cashwrap/cashwrap/localstack/simulator/payments"
	"github.com/cashwrap/cashwrap/localstack/simulator/people"
	"github.com/cashwrap/cashwrap/localstack/simulator/readers"
	"github.com/cashwrap/cashwrap/localstack/simulator/refunds"
	"github.com/cashwrap/cashwrap/localstack/simulator/unknown"
)

// workloads lists all workloads by name.
var workloads = map[string]func(*simulator.World) simulator.Workload{
	"everything": payments.New,
	"files":      files.New,
	"hanging":    hanging.New,
	"month":      month.New,
	"people":     people.New,
	"readers":    readers.New,
	"refunds":    refunds.New,
	"stripe":     payments.NewAtStripe,
	"unknown":    unknown.New,
}
