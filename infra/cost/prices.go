package main

import (
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

var regions = []string{"us-east-1", "eu-central-1"}

type list[V any] []struct {
	name, what string
	value      V
}

// set replaces a value. It returns false for an unknown name.
func (l list[V]) set(name string, value V) bool {
	for i := range l {
		if l[i].name == name {
			l[i].value = value
			return true
		}
	}
	return false
}

func (l list[V]) value(name string) V {
	for _, entry := range l {
		if entry.name == name {
			return entry.value
		}
	}
	panic("cost: there is no " + name)
}

// priceList has AWS's prices for one unit, in US dollars, by region in the order of regions.
type priceList = list[[]float64]

// prices returns AWS's prices in 2025, without free tiers, discounts and taxes. To correct a price, see AWS's pages, or
// use -price.
func prices() priceList {
	const million, tenThousandth = 1e6, 1e-4
	return priceList{
		{"dynamodb.write", "write request unit, on demand", []float64{0.625 / million, 0.7625 / million}},
		{"dynamodb.read", "read request unit, on demand", []float64{0.125 / million, 0.1525 / million}},
		{"dynamodb.storage", "GB-month of table and indexes", []float64{0.25, 0.306}},
		{"dynamodb.recovery", "GB-month of the table, point-in-time recovery", []float64{0.20, 0.2448}},
		{"lambda.call", "call", []float64{0.20 / million, 0.20 / million}},
		{"lambda.gbs", "GB-second, arm64", []float64{0.133334 * tenThousandth, 0.133334 * tenThousandth}},
		{"api.request", "request to an HTTP API", []float64{1.00 / million, 1.20 / million}},
		{"sqs.request", "request to a standard queue", []float64{0.40 / million, 0.40 / million}},
		{"logs.written", "GB written to CloudWatch Logs", []float64{0.50, 0.63}},
		{"logs.kept", "GB-month kept there", []float64{0.03, 0.0324}},
		{"cloudwatch.alarm", "month of an alarm", []float64{0.10, 0.10}},
		{"cloudwatch.metric", "month of a metric", []float64{0.30, 0.30}},
		{"cloudwatch.dashboard", "month of a dashboard", []float64{3, 3}},
		{"kms.key", "month of a key", []float64{1, 1}},
		{"secret", "month of a secret", []float64{0.40, 0.40}},
		{"s3.storage", "GB-month of objects, the first 50 TB", []float64{0.023, 0.0245}},
		{"s3.write", "upload, or list of objects", []float64{5.00 / million, 5.40 / million}},
		{"s3.read", "read of an object", []float64{0.40 / million, 0.43 / million}},
		{"ses.mail", "mail sent", []float64{100 / million, 100 / million}},
		{"out", "GB sent to the internet", []float64{0.09, 0.09}},
	}
}

// stripeRequest is the assumed time, in ms, of a request to Stripe that asks no card issuer, with the network's time.
// Stripe publishes no times, and the tests' stand-in says nothing about them. infra/README.md (Live payments) assumes
// the same time for the nights' requests. To replace the assumption, compare the durations of the log lines "request"
// of the route that processes checkouts, with -assume acquirer and acquirer.request.
const stripeRequest = 500

// assumptionList has numbers that our tests cannot measure.
type assumptionList = list[float64]

// assumptions returns conservative values. They assume sparse traffic, which costs most per payment because payments do
// not share calls. Memory, workers and rates are prod's (functions.go, settings.go). Quotas are those of a new account.
// All quotas but a partition's can be raised.
func assumptions() assumptionList {
	return assumptionList{
		{"own", "ms a function computes for one call", milliseconds(faults.Assumed.Function)},
		{"table", "ms for one call to the table", milliseconds(faults.Assumed.Table)},
		{"send", "ms to send a message", milliseconds(faults.Assumed.Queue)},
		{"acquirer", "ms an acquirer takes to charge", 1000},
		{"acquirer.request", "ms of any other request to Stripe, which publishes no times", stripeRequest},
		{"receiver", "ms a merchant's server takes for a callback", 300},
		{"memory", "GB of a function", 0.25},
		{"memory.tick", "GB of a function that a schedule calls", 0.5},
		{"lease", "writes a request for the rate limit", 0.02},
		{"log.payment", "bytes that functions log for a payment, with its metrics; a test measures them", 1650},
		{"log.notice", "bytes that functions log for a notice of Stripe; a test measures them", 260},
		{"log.request", "bytes a request adds to the access log", 350},
		{"log.months", "months that logs are kept (prod)", 400.0 / 30},
		{"answer", "bytes of an answer, a callback or a request to Stripe, with headers and TLS", 2000},
		{"quota.key", "requests a second of one API key (contract §2.9)", 100},
		{"quota.merchant", "requests a second of one merchant, unless it is allowed more (contract §2.9)",
			merchant.UsualRequests},
		{"quota.partition", "WCU a second of one partition", 1000},
		{"quota.reads", "RCU a second of one partition", 3000},
		{"quota.concurrency", "calls at the same time, of an account", 1000},
		{"quota.table", "WCU a second of one table with its indexes, on demand", 40000},
		{"quota.new", "WCU a second that a new table takes at once", 4000},
		{"quota.stage", "requests a second of the API's stage (prod)", 5000},
		{"quota.stripe", "requests a second of a live account at Stripe (docs.stripe.com/rate-limits)", 100},
		{"quota.stripe.operation", "requests a second of one operation there, such as to create intents", 25},
		{"callbackCalls", "calls of the callbacks' consumer at the same time (prod)", 400},
		{"batch", "callbacks in one call, at most", 10},
		{"alarms", "metrics that alarms of a stage watch (prod); each is billed", 176},
		{"metrics", "metrics that functions write for a stage, at most", 35},
		{"secrets", "secrets of a stage", 2},
		{"shards", "of the due index", store.DefaultDueShards},
		{"planEvery", "minutes between two calls of payoutplan", 15},
		{"mails", "mails a month to merchants' people", 1000},
		{"file", "bytes of a file", 500_000},
		{"inspect", "ms to read and check a file's content", 100},
		{"polled", "queues that are read by Lambda's own pollers (prod)", 6},
		{"pollers", "pollers of each, at least", 5},
		{"longPoll", "s that a poll waits", 20},
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
