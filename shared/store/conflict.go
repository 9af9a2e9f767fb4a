package store

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// DynamoDB refuses a write that meets another write in flight on the same item, although that write may fail. The
// conflict is over within milliseconds. So the call is repeated sooner than the SDK would repeat it, and without using
// the SDK's quota of retries, which is for other failures. After that the operation reads and decides again (see
// Retry).
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling

const (
	// leastConflictWait is the least time that another write takes.
	leastConflictWait = time.Millisecond
	// firstConflictWait bounds the random time added to the first wait. Each further bound is twice as long.
	firstConflictWait = 20 * time.Millisecond
	maxConflictWait   = 200 * time.Millisecond
)

// conflictError reports that a call met other writes in flight at each try, and wrote nothing.
type conflictError struct {
	error
	wait func(tries int) error
}

func (e *conflictError) Unwrap() error { return e.error }

// conflicts repeats calls that conflict.
type conflicts struct {
	tries   int           // of a call
	maxWait time.Duration // between tries
}

func newConflicts(c Config) conflicts {
	return conflicts{cmp.Or(c.MaxAttempts, retry.DefaultMaxAttempts), min(cmp.Or(c.MaxBackoff, maxConflictWait),
		maxConflictWait)}
}

// attach adds the repetition to a client's calls, around the SDK's own retries.
func (c conflicts) attach(stack *middleware.Stack) error {
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("Conflicts", c.handle), "Retry", middleware.Before)
}

// handle makes a call and repeats it while it conflicts. Each try is the same transaction with the same token. So a try
// succeeds if an earlier try was applied and its reply was lost. Error: conflictError only if it is certain that no try
// was applied.
func (c conflicts) handle(ctx context.Context, in middleware.FinalizeInput,
	next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	refused := true // every try was refused
	for tries := 1; ; tries++ {
		out, metadata, err := next.HandleFinalize(ctx, in)
		if !isConflict(err) {
			return out, metadata, err
		}
		refused = refused && isRefused(metadata)
		if tries >= c.tries && refused {
			return out, metadata, &conflictError{err, func(tries int) error { return c.wait(ctx, tries) }}
		}
		if tries >= c.tries || c.wait(ctx, tries) != nil || rewind(in) != nil {
			return out, metadata, err
		}
	}
}

// wait waits for a random time after the given number of tries, from 1. Error: the context's, when the context is done.
func (c conflicts) wait(ctx context.Context, tries int) error {
	random := rand.N(firstConflictWait << min(tries-1, 10))
	timer := time.NewTimer(min(leastConflictWait+random, c.maxWait))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func rewind(in middleware.FinalizeInput) error {
	if r, ok := in.Request.(*smithyhttp.Request); ok {
		return r.RewindStream()
	}
	return nil
}

// isConflict returns true if a write was refused only because of other writes in flight.
func isConflict(err error) bool {
	var conflict *types.TransactionConflictException
	return errors.As(err, &conflict) || isCancelledFor(err, "TransactionConflict")
}

// isThrottled returns true if a transaction was refused because it was throttled, alone or together with conflicts.
// DynamoDB may have throttled only some of its items.
func isThrottled(err error) aws.Ternary {
	if isCancelledFor(err, "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded") && !isConflict(err) {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

// isCancelledFor returns true if a transaction was cancelled for some of the reasons and for no others.
func isCancelledFor(err error, reasons ...string) bool {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return false
	}
	found := false
	for _, reason := range cancelled.CancellationReasons {
		switch code := aws.ToString(reason.Code); {
		case slices.Contains(reasons, code):
			found = true
		case code != "" && code != "None":
			return false
		}
	}
	return found
}

// isRefused returns true if DynamoDB refused each attempt of a call. Then no attempt was applied, and none can still be
// applied.
func isRefused(metadata middleware.Metadata) bool {
	attempts, ok := retry.GetAttemptResults(metadata)
	return ok && !slices.ContainsFunc(attempts.Results, func(r retry.AttemptResult) bool {
		var answer *smithyhttp.ResponseError
		return !errors.As(r.Err, &answer) || answer.HTTPStatusCode()/100 != http.StatusBadRequest/100
	})
}
