package virtual

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/table"
)

// TestRecords_EachFieldReadBack checks that each stored attribute is read back and that no field is left unstored.
func TestRecords_EachFieldReadBack(t *testing.T) {
	t.Parallel()
	f := &storedtest.Filler{}
	roundTrip(t, "PAIRING", storedtest.Fill[item[pairing]](t, f))
	roundTrip(t, "DEVICE", storedtest.Fill[item[device]](t, f))
	roundTrip(t, "SALE", storedtest.Fill[item[sale]](t, f))
}

func roundTrip[T any](t *testing.T, entity string, written item[T]) {
	t.Helper()
	s := storedtest.Open(t, clock.New().Now, nil)
	db, items := s.Raw()
	r := table.Client{DB: db, Table: items, Now: clock.New().Now}
	written.Key, written.Version = keyOf(entity, "id"), 1
	if err := write(t.Context(), r, written, newPut(r, written).Run); err != nil {
		t.Fatal(err)
	}
	storedtest.RoundTrip(t, s, []storedtest.Read{storedtest.Expect(entity, written,
		func(ctx context.Context) (item[T], error) { return read[T](ctx, r, written.Key) })}, nil,
		cmp.AllowUnexported(written))
}
