package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// shardRef is one of a tenant's shards.
type shardRef struct {
	tenant identity.Tenant
	shard  int
}

// throttleWatch notes the shards that DynamoDB throttles. It sees each attempt of a call, because most throttled calls
// succeed when the SDK repeats them.
type throttleWatch struct {
	now  func() time.Time
	note func(context.Context, identity.Tenant, int) error

	mu    sync.Mutex
	noted map[identity.Tenant]time.Time
}

const (
	// noteEvery is the time between two notes of a tenant by one process.
	noteEvery = time.Minute
	// noteTimeout bounds a note, because a throttled request waits for it.
	noteTimeout = time.Second
	// noteRetryAfter is the time after a failed note of a tenant until the next. Most likely the whole table is throttled,
	// and each note would be another write to wait for.
	noteRetryAfter = 10 * time.Second
	// maxNoted bounds the tenants that a process remembers. Beyond it a tenant may be noted more often.
	maxNoted = 1000
)

type inputKey struct{}

// attach adds the watch to a client's calls. The watch sees a call's input when the call starts, and the error after
// each attempt.
func (w *throttleWatch) attach(stack *middleware.Stack) error {
	keep := middleware.InitializeMiddlewareFunc("ThrottledInput", func(ctx context.Context,
		in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput,
		middleware.Metadata, error) {
		return next.HandleInitialize(middleware.WithStackValue(ctx, inputKey{}, in.Parameters), in)
	})
	watch := middleware.FinalizeMiddlewareFunc("ThrottledShards", func(ctx context.Context,
		in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata,
		error) {
		out, metadata, err := next.HandleFinalize(ctx, in)
		if err != nil {
			w.noteShards(ctx, throttledShards(middleware.GetStackValue(ctx, inputKey{}), err))
		}
		return out, metadata, err
	})
	if err := stack.Initialize.Add(keep, middleware.Before); err != nil {
		return err
	}
	return stack.Finalize.Insert(watch, "Retry", middleware.After)
}

// noteShards notes shards, each tenant's once a minute. A failed note is dropped; a later throttled attempt makes a new
// note.
func (w *throttleWatch) noteShards(ctx context.Context, throttled []shardRef) {
	for _, ref := range throttled {
		if !w.startNote(ref.tenant) {
			continue
		}
		noting, cancel := context.WithTimeout(ctx, noteTimeout)
		if w.note(noting, ref.tenant, ref.shard) != nil {
			w.mu.Lock()
			w.noted[ref.tenant] = w.now().Add(noteRetryAfter - noteEvery)
			w.mu.Unlock()
		}
		cancel()
	}
}

// startNote returns true if the tenant is to be noted now, and remembers the note.
func (w *throttleWatch) startNote(t identity.Tenant) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if last, ok := w.noted[t]; ok && now.Before(last.Add(noteEvery)) {
		return false
	}
	if len(w.noted) >= maxNoted {
		clear(w.noted)
	}
	w.noted[t] = now
	return true
}

// hotKey is the end of the reason that DynamoDB gives when it throttles a write because of a single hot partition, and
// not because of the limits of the table or the account.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ThrottlingReason.html
const hotKey = "WriteKeyRangeThroughputExceeded"

// throttledShards returns the shards that may have been throttled. A cancelled transaction names its items, but does
// not say whether a partition or the whole table was too busy. GrowShards finds that out.
func throttledShards(input any, err error) []shardRef {
	var cancelled *types.TransactionCanceledException
	if call, ok := input.(*dynamodb.TransactWriteItemsInput); ok && errors.As(err, &cancelled) {
		var found []shardRef
		for i, reason := range cancelled.CancellationReasons {
			code := aws.ToString(reason.Code)
			if i < len(call.TransactItems) && (code == "ThrottlingError" || code == "ProvisionedThroughputExceeded") {
				found = append(found, shardsOfWrites(call.TransactItems[i])...)
			}
		}
		return found
	}
	if !isHotKey(err) {
		return nil
	}
	switch call := input.(type) {
	case *dynamodb.TransactWriteItemsInput:
		return shardsOfWrites(call.TransactItems...)
	case *dynamodb.PutItemInput:
		return shardsOfItem(call.Item)
	default:
		return nil
	}
}

// isHotKey returns true if DynamoDB names a hot partition as a reason.
func isHotKey(err error) bool {
	var reasons []types.ThrottlingReason
	if exceeded, ok := errors.AsType[*types.ProvisionedThroughputExceededException](err); ok {
		reasons = exceeded.ThrottlingReasons
	} else if throttled, ok := errors.AsType[*types.ThrottlingException](err); ok {
		reasons = throttled.ThrottlingReasons
	}
	return slices.ContainsFunc(reasons, func(r types.ThrottlingReason) bool {
		return strings.HasSuffix(aws.ToString(r.Reason), hotKey)
	})
}

func shardsOfWrites(writes ...types.TransactWriteItem) []shardRef {
	var found []shardRef
	for _, write := range writes {
		switch {
		case write.Put != nil:
			found = append(found, shardsOfItem(write.Put.Item)...)
		case write.Delete != nil:
			found = append(found, shardsOfItem(write.Delete.Key)...)
		}
	}
	return found
}

// shardsOfItem returns the shards whose partitions the item is in.
func shardsOfItem(item map[string]types.AttributeValue) []shardRef {
	var found []shardRef
	for _, name := range []string{partitionKey, listPartition, historyPartition, changesPartition} {
		value, ok := item[name].(*types.AttributeValueMemberS)
		if !ok {
			continue
		}
		if ref, ok := shardNamed(value.Value); ok {
			found = append(found, ref)
		}
	}
	return found
}

// shardNamed returns the shard of a partition, or false for a kind without shards.
func shardNamed(partition string) (shardRef, bool) {
	p, ok := ParsePartition(partition)
	if !ok {
		return shardRef{}, false
	}
	number := p.Last
	switch p.Kind {
	case KindPayable:
		_, number, _ = strings.Cut(p.Last, "#") // after the currency
	case KindList, KindHistory, KindChanges:
	default:
		return shardRef{}, false
	}
	shard, err := strconv.Atoi(number)
	return shardRef{p.Tenant, shard}, number == "" || err == nil
}
