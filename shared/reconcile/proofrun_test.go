package reconcile_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

func (h *history) config() reconcile.Config {
	return reconcile.Config{Store: h.store, Banks: h.banks(),
		Acquirers: map[identity.Mode]acquirer.Acquirer{identity.Live: statement{h: h}, identity.Test: statement{h: h}}}
}

// proveAll proves the whole table in segments. Each part has time for one chunk only, and runs twice at the same time.
// It returns the report and the number of parts.
func (h *history) proveAll(id string, segments int) (reconcile.Report, int) {
	h.Helper()
	parts := 0
	_, err := reconcile.Begin(h.Context(), h.config(), id, segments)
	h.must(err)
	for segment := range segments {
		for whole := false; !whole; parts++ {
			if _, proven, openErr := reconcile.ReportOf(h.Context(), h.store.View, id); openErr != nil || proven {
				h.Errorf("before part %d: got proven %t, error %v; want it open", parts, proven, openErr)
			}
			whole = h.provePart(id, segment)
		}
	}
	report, proven, err := reconcile.ReportOf(h.Context(), h.store.View, id)
	if err != nil || !proven {
		h.Errorf("got proven %t, error %v; want it proven", proven, err)
	}
	return report, parts
}

// provePart proves the next part of a segment, twice at the same time. It returns true if the segment is proven.
func (h *history) provePart(id string, segment int) bool {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), 19*time.Second) // less than the time to finish a chunk
	defer cancel()
	var both sync.WaitGroup
	var errs [2]error
	for i := range errs {
		both.Go(func() { _, errs[i] = reconcile.Segment(ctx, h.config(), id, segment) })
	}
	both.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, store.ErrStale) {
			h.Fatal(err)
		}
	}
	progress, err := h.store.ProofSegment(h.Context(), id, segment)
	h.must(err)
	return progress.Whole
}

// TestSegment_SameAsRun checks that a proof in segments has the report of a run in one process, with and without
// breaks, if each part has time for little and runs twice at the same time.
func TestSegment_SameAsRun(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 3)
	for range 200 {
		h.act()
	}
	h.clock.Advance(time.Second)
	compare := func(id string, breaks bool) {
		t.Helper()
		want := h.reconcile()
		got, parts := h.proveAll(id, 2)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(reconcile.Report{}, "At", "Tenants", "Suspects")); diff != "" {
			t.Errorf("%s (-run +segments):\n%s", id, diff)
		}
		if parts < 4 || (got.Found > 0) != breaks {
			t.Errorf("%s: got %d parts, %d breaks; want 4 parts or more, breaks: %t", id, parts, got.Found, breaks)
		}
	}
	compare("right", false)
	_, table := h.store.Raw()
	for _, kind := range []string{"TRANSACTION#", "JOURNAL#", "PAYABLE#", "PAYOUTS#"} {
		var items []map[string]types.AttributeValue
		h.must(table.Scan().Filter("begins_with(pk, ?)", kind).All(t.Context(), &items))
		for _, item := range items {
			if !movedNothing(item) {
				h.must(table.Delete("pk", text(item["pk"])).Range("sk", text(item["sk"])).Run(t.Context()))
				break
			}
		}
	}
	compare("broken", true)
}

// TestSegment_UnknownRun checks that no segment of an unknown run is proven.
func TestSegment_UnknownRun(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 1)
	if whole, err := reconcile.Segment(t.Context(), h.config(), "unknown", 0); err == nil || whole {
		t.Errorf("got whole %t, error %v; want an error", whole, err)
	}
}
