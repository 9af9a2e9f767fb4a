package faults

import (
	"net/http"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
)

// Latency is how long calls to AWS take, and a function beside them.
type Latency struct {
	Table       time.Duration // a call to the table, unless it writes a transaction
	Transaction time.Duration // that writes
	Queue       time.Duration // a call to a queue
	Function    time.Duration // what a function computes in one call
}

// Assumed are the latencies that infra/cost computes with, and that the simulations in which time counts sleep.
var Assumed = Latency{Table: 10 * time.Millisecond, Transaction: 15 * time.Millisecond, Queue: 10 * time.Millisecond,
	Function: 5 * time.Millisecond}

// Over returns a network that takes its time, which is virtual in a bubble (testing/synctest).
func (l Latency) Over(next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(r *http.Request) (*http.Response, error) {
		if l == (Latency{}) {
			return next.RoundTrip(r)
		}
		select {
		case <-time.After(l.of(r)):
			return next.RoundTrip(r)
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
}

func (l Latency) of(r *http.Request) time.Duration {
	switch {
	case strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS."):
		return l.Queue
	case sdkcall.Operation(r) == "TransactWriteItems":
		return l.Transaction
	default:
		return l.Table
	}
}
