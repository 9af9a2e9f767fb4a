package store_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/store"
)

// deleteForGood records that the object of "f" was deleted after the last possible upload.
func deleteForGood(t *testing.T, s *store.Store) error {
	return s.ObjectDeleted(t.Context(), newPendingFile(s, "f", "").Object, s.Now().Add(75*time.Minute))
}

// TestRetry_TransactionConflict checks that changes succeed in the end. If each try conflicts, nothing is written.
func TestRetry_TransactionConflict(t *testing.T) {
	t.Parallel()
	for name, apply := range fileChanges {
		for _, many := range []int{1, 3, 10, -1} {
			s, wire := fileTable(t)
			before := readState(t, s)
			wire.Inject(faults.Times(many, "TransactWriteItems", faults.Conflict))
			err := apply(t.Context(), s)
			wire.Inject(nil)
			if want := map[bool]error{true: store.ErrContended}[many < 0]; !errors.Is(err, want) {
				t.Errorf("%s, %d conflicts: got error %v, want %v", name, many, err, want)
			}
			if changed := !cmp.Equal(before, readState(t, s)); changed != (many > 0) {
				t.Errorf("%s, %d conflicts: got it changed %t", name, many, changed)
			}
		}
	}
}

// refusedPuts answers the given number of puts as if a transaction were in flight on their item.
type refusedPuts struct {
	aws.HTTPClient
	many int
}

func (p *refusedPuts) Do(r *http.Request) (*http.Response, error) {
	if p.many == 0 || sdkcall.Operation(r) != "PutItem" {
		return p.HTTPClient.Do(r)
	}
	p.many--
	return faults.Refusal(r, faults.Conflict), nil
}

// TestRetry_PutConflict checks that puts succeed in the end, too.
func TestRetry_PutConflict(t *testing.T) {
	t.Parallel()
	for _, many := range []int{2, 10, -1} {
		wire := &refusedPuts{}
		s := storedtest.Open(t, clock.New().Now, func(c aws.HTTPClient) aws.HTTPClient {
			wire.HTTPClient = c
			return wire
		})
		if err := createFile(t.Context(), s, "f", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DeleteFile(t.Context(), byTest, tenant, "f", "deletion"); err != nil {
			t.Fatal(err)
		}
		wire.many = many
		err := s.ObjectDeleted(t.Context(), newPendingFile(s, "f", "").Object, s.Now())
		if want := map[bool]error{true: store.ErrContended}[many < 0]; !errors.Is(err, want) {
			t.Errorf("%d conflicts: got error %v, want %v", many, err, want)
		}
	}
}

// TestRetry_ConflictAfterLostReply checks that a conflict proves nothing about the try before. If that try was applied,
// its write is found. If that try may still arrive, the write is not made a second time.
func TestRetry_ConflictAfterLostReply(t *testing.T) {
	t.Parallel()
	for _, first := range []faults.Fault{faults.LoseReply, faults.FailBefore} {
		s, wire := fileTable(t)
		n := 0
		wire.Inject(func(operation string) faults.Fault {
			if operation != "TransactWriteItems" {
				return faults.None
			}
			if n++; n == 1 {
				return first
			}
			return faults.Conflict
		})
		err := createFile(t.Context(), s, "g", "a")
		wire.Inject(nil)
		if first == faults.LoseReply && err != nil {
			t.Errorf("it %s: got error %v, want none", first, err)
		}
		var cancelled *types.TransactionCanceledException
		if first == faults.FailBefore && !errors.As(err, &cancelled) || errors.Is(err, store.ErrContended) {
			t.Errorf("it %s: got error %v, want DynamoDB's", first, err)
		}
		readState(t, s)
	}
}

// TestObjectDeleted_OnceDespiteFaults checks that an object leaves the table once, with its place in the count.
func TestObjectDeleted_OnceDespiteFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{faults.FailBefore, faults.LoseReply, faults.Throttle, faults.Conflict} {
		for many := range 5 {
			s, wire := fileTable(t)
			if _, err := s.DeleteFile(t.Context(), byTest, tenant, "f", "deletion"); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%d times it %s", many, fault)
			wire.Inject(faults.Times(many, "TransactWriteItems", fault))
			fails := many > 2 && (fault == faults.FailBefore || fault == faults.Throttle) // more often than the SDK tries
			if err := deleteForGood(t, s); (err != nil) != fails {
				t.Errorf("%s: got error %v", what, err)
			}
			wire.Inject(nil)
			for range 2 {
				if err := deleteForGood(t, s); err != nil {
					t.Errorf("%s: again: got error %v", what, err)
				}
			}
			want := gone("open 0", "open 0")
			want.Objects = nil
			wantFiles(t, what, s, want)
		}
	}
}
