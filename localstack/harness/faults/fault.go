// Package faults makes calls between processes fail: to AWS through the SDK, and to counterparties through a
// counterparty.Network. Tests choose the failing call and its fault with Steps. In the simulation the seed chooses.
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

// Fault is a kind of failure of one call.
type Fault int

// The faults. Some kinds of call can have only some of the faults.
const (
	None       Fault = iota
	FailBefore       // the call never leaves; the caller sees a broken connection
	LoseReply        // the call is carried out; the caller sees a broken connection
	ArriveLate       // the caller sees a broken connection; the call is carried out later
	Throttle         // the service refuses the call
	Conflict         // another transaction on the same item is in progress, so the call fails
	Hang             // no answer comes until the caller's time is up
	DieBefore        // the process dies before the call leaves the process
	DieAfter         // the call is carried out, and the process dies
	Duplicate        // a client's request arrives twice
	Count            // number of faults
)

var names = [Count]string{"", "fails", "loses its reply", "arrives late", "is throttled", "conflicts", "hangs",
	"process dies before", "process dies after", "arrives twice"}

// String returns the fault as the verb of a sentence about a call, as in "the call fails".
func (f Fault) String() string { return names[f] }

var (
	// ErrNetwork is the error of a lost call. The SDK retries the call.
	ErrNetwork = errors.New("faults: connection reset by peer")
	// ErrGone is the error of calls by a process that has died.
	ErrGone = errors.New("faults: the process is gone")
)

// Refusal returns AWS's answer to a throttled call, or to a conflict of transactions. The answer is XML for S3, and
// otherwise AWS JSON 1.0.
func Refusal(r *http.Request, f Fault) *http.Response {
	if s3.Calls(r) {
		return s3.Refusal(r, http.StatusServiceUnavailable, "SlowDown")
	}
	// DynamoDB may give several reasons for throttling. The reason below can apply to only some of the items.
	code, extra := "ThrottlingException",
		`,"throttlingReasons":[{"reason":"TableWriteKeyRangeThroughputExceeded","resource":"table"}]`
	if f == Conflict {
		code, extra = "TransactionConflictException", ""
		if strings.HasPrefix(sdkcall.Operation(r), "Transact") {
			code, extra = "TransactionCanceledException", `,"CancellationReasons":[{"Code":"TransactionConflict"}]`
		}
	}
	return errorAnswer(r, code, extra)
}

// AccessDenied returns AWS's answer to a call that IAM does not allow.
func AccessDenied(r *http.Request) *http.Response {
	if s3.Calls(r) {
		return s3.Refusal(r, http.StatusForbidden, "AccessDenied")
	}
	return errorAnswer(r, "AccessDeniedException", "")
}

// errorAnswer returns an error in the AWS JSON 1.0 protocol. extra contains further members.
func errorAnswer(r *http.Request, code, extra string) *http.Response {
	body := fmt.Appendf(nil, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"injected"%s}`, code, extra)
	return reply.To(r, http.StatusBadRequest, http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, body)
}

// carry makes the call to AWS with the fault. For a call that is not a write transaction, Conflict has the effect of
// Throttle.
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
