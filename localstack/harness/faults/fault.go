// Package faults lets calls between processes fail: to AWS through the SDK, and to counterparties through a
// counterparty.Network. Steps decide which call fails and how in tests, the seed in the simulation.
package faults

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/reply"
	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
)

// Fault is what happens to one call.
type Fault int

// The faults. Not every kind of call can have all of them.
const (
	None       Fault = iota
	FailBefore       // never leaves; the caller sees a broken connection
	LoseReply        // is done; the caller sees a broken connection
	ArriveLate       // the caller sees a broken connection; it is done later
	Throttle         // refused by the service
	Conflict         // meets a transaction in flight
	Hang             // stays without an answer until the caller's time is up
	DieBefore        // the process dies before it leaves
	DieAfter         // is done, and the process dies
	Duplicate        // a client's request arrives twice
	Count            // how many there are
)

var names = [Count]string{"", "fails", "loses its reply", "arrives late", "is throttled", "conflicts", "hangs",
	"process dies before", "process dies after", "arrives twice"}

// String returns what happens, as in "the call fails".
func (f Fault) String() string { return names[f] }

var (
	// ErrNetwork is what a caller sees of a lost call. The SDK retries it.
	ErrNetwork = errors.New("faults: connection reset by peer")
	// ErrGone is the result of calls of a process that has died.
	ErrGone = errors.New("faults: the process is gone")
)

// Refusal returns how AWS answers a throttled call, or a conflict of transactions: XML of S3, else AWS JSON 1.0.
func Refusal(r *http.Request, f Fault) *http.Response {
	if s3.Calls(r) {
		return s3.Refusal(r, http.StatusServiceUnavailable, "SlowDown")
	}
	// Of all reasons that DynamoDB may name, the one that concerns only some items.
	code, extra := "ThrottlingException",
		`,"throttlingReasons":[{"reason":"TableWriteKeyRangeThroughputExceeded","resource":"table"}]`
	if f == Conflict {
		code, extra = "TransactionConflictException", ""
		if strings.HasPrefix(sdkcall.Operation(r), "Transact") {
			code, extra = "TransactionCanceledException", `,"CancellationReasons":[{"Code":"TransactionConflict"}]`
		}
	}
	return answer(r, code, extra)
}

// AccessDenied returns how AWS answers a call that IAM does not allow.
func AccessDenied(r *http.Request) *http.Response {
	if s3.Calls(r) {
		return s3.Refusal(r, http.StatusForbidden, "AccessDenied")
	}
	return answer(r, "AccessDeniedException", "")
}

// answer returns an error in the AWS JSON 1.0 protocol; extra are further members.
func answer(r *http.Request, code, extra string) *http.Response {
	body := fmt.Appendf(nil, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"injected"%s}`, code, extra)
	return reply.To(r, http.StatusBadRequest, http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, body)
}

// carry lets the fault happen to a call of AWS. Conflict is Throttle where there is no transaction.
func (f Fault) carry(r *http.Request, send func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	switch f {
	case FailBefore:
		return nil, ErrNetwork
	case Throttle:
		return Refusal(r, Throttle), nil
	case Conflict:
		if !strings.HasPrefix(sdkcall.Operation(r), "TransactWrite") {
			return Refusal(r, Throttle), nil
		}
		return Refusal(r, Conflict), nil
	}
	response, err := send(r)
	if err == nil && (f == LoseReply || f == DieAfter) {
		response.Body.Close()
		return nil, ErrNetwork
	}
	return response, err
}
