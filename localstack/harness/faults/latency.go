package faults

import (
	"net/http"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
)

// Latency contains the durations of calls to AWS, and the time that a function spends computing.
type Latency struct {
	Table       time.Duration // a call to the table other than a transaction
	Transaction time.Duration // a write transaction
	Queue       time.Duration // a call to a queue
	Function    time.Duration // a function's computation during one call
}

// Assumed contains the latencies that infra/cost uses. Simulations that measure time sleep for these durations.
var Assumed = Latency{Table: 10 * time.Millisecond, Transaction: 15 * time.Millisecond, Queue: 10 * time.Millisecond,
	Function: 5 * time.Millisecond}

// Over returns a network that delays each call by these latencies. In a bubble (testing/synctest) the delays take
// virtual time.
func (l Latency) Over(next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(r *http.Request) (*http.Response, error) {
		if l == (Latency{}) {
			return next.RoundTrip(r)
		}
		select {
		case <-time.After(l.duration(r)):
			return next.RoundTrip(r)
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
}

func (l Latency) duration(r *http.Request) time.Duration {
	switch {
	case strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS."):
		return l.Queue
	case sdkcall.Operation(r) == "TransactWriteItems":
		return l.Transaction
	default:
		return l.Table
	}
}
