package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/store"
)

// createReader creates a reader of the terminal with the serial number.
func createReader(ctx context.Context, s *store.Store, id, serial string) (reader.Reader, error) {
	return s.CreateCardReader(ctx, byTest, tenant, id, func() (reader.Reader, error) {
		return reader.New(id, serial, "solo", reader.Given{}, s.Now()), nil
	})
}

// readerStatuses returns the statuses of the tenant's readers, by id.
func readerStatuses(t *testing.T, s *store.Store) map[string]reader.Status {
	t.Helper()
	readers, err := s.CardReaders(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]reader.Status{}
	for _, r := range readers {
		got[r.ID] = r.StatusAt(s.Now())
	}
	return got
}

// TestCreateCardReader_Concurrently creates a reader while the creation of another is in flight.
func TestCreateCardReader_Concurrently(t *testing.T) {
	t.Parallel()
	for _, room := range []int{2, 1} {
		wire := &faults.Wire{Send: enginetest.Do}
		s := openTable(t, clock.New(), wire)
		for i := range reader.MaxReaders - room {
			if _, err := createReader(t.Context(), s, fmt.Sprint("rdr_", i), fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		wire.Meanwhile("TransactWriteItems", 1, func() {
			if _, err := createReader(t.Context(), s, "rdr_first", "first"); err != nil {
				t.Error(err)
			}
		})
		_, err := createReader(t.Context(), s, "rdr_second", "second")
		wire.Inject(nil)
		if full := errors.Is(err, store.ErrTooManyCardReaders); full != (room == 1) || !full && err != nil {
			t.Errorf("room for %d: got error %v, want one for the second if there is room for one", room, err)
		}
		if got := len(readerStatuses(t, s)); got != reader.MaxReaders {
			t.Errorf("room for %d: got %d, want %d", room, got, reader.MaxReaders)
		}
	}
}

// TestCreateCardReader_SameTerminal checks that the creation ends the tenant's other readers of the terminal. This also
// holds for a reader that is changed or created at that moment.
func TestCreateCardReader_SameTerminal(t *testing.T) {
	t.Parallel()
	other := identity.Tenant{Merchant: tenant.Merchant, Mode: identity.Live}
	for name, meanwhile := range map[string]func(context.Context, *store.Store) error{
		"alone": func(context.Context, *store.Store) error { return nil },
		"while it is confirmed": func(ctx context.Context, s *store.Store) error {
			r, err := s.CardReader(ctx, tenant, "rdr_a")
			if err == nil {
				_, err = s.SaveCardReader(ctx, tenant, r.Confirm(s.Now()))
			}
			return err
		},
		"while another is paired": func(ctx context.Context, s *store.Store) error {
			return errOf(createReader(ctx, s, "rdr_c", "1"))
		},
	} {
		wire := &faults.Wire{Send: enginetest.Do}
		s := openTable(t, clock.New(), wire)
		for id, serial := range map[string]string{"rdr_a": "1", "rdr_b": "2"} {
			if _, err := createReader(t.Context(), s, id, serial); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.CreateCardReader(t.Context(), byTest, other, "rdr_live", func() (reader.Reader, error) {
			return reader.New("rdr_live", "1", "solo", reader.Given{}, s.Now()), nil
		}); err != nil {
			t.Fatal(err)
		}
		wire.Meanwhile("TransactWriteItems", 1, func() {
			if err := meanwhile(t.Context(), s); err != nil {
				t.Error(err)
			}
		})
		if _, err := createReader(t.Context(), s, "rdr_d", "1"); err != nil {
			t.Errorf("%s: got error %v", name, err)
		}
		wire.Inject(nil)
		want := map[string]reader.Status{"rdr_a": reader.Expired, "rdr_b": reader.Processing, "rdr_d": reader.Processing}
		if name == "while another is paired" {
			want["rdr_c"] = reader.Expired
		}
		if diff := cmp.Diff(want, readerStatuses(t, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if r, err := s.CardReader(t.Context(), other, "rdr_live"); err != nil || r.StatusAt(s.Now()) != reader.Processing {
			t.Errorf("%s: got %+v, %v of another tenant, want it as before", name, r, err)
		}
	}
}

// stopNothing stops nothing, because the reader has no activity.
func stopNothing(reader.Reader) error { return nil }

// TestSaveCardReader_Stale checks that a reader read before another write is not saved. A deletion stops the reader
// again in its new state.
func TestSaveCardReader_Stale(t *testing.T) {
	t.Parallel()
	s := openTable(t, clock.New(), nil)
	before, err := createReader(t.Context(), s, "rdr_1", "1")
	if err != nil {
		t.Fatal(err)
	}
	after, err := s.SaveCardReader(t.Context(), tenant, before.Confirm(s.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SaveCardReader(t.Context(), tenant, before.End(s.Now())); !errors.Is(err, store.ErrStale) {
		t.Errorf("saved again: got error %v, want ErrStale", err)
	}
	var versions []int
	stop := func(r reader.Reader) error {
		if versions = append(versions, r.Version); len(versions) > 1 {
			return nil
		}
		_, err := s.SaveCardReader(t.Context(), tenant, r.End(s.Now()))
		return err
	}
	if err := s.DeleteCardReader(t.Context(), byTest, tenant, "rdr_1", "deletion", stop); err != nil {
		t.Fatal(err)
	}
	if want := []int{after.Version, after.Version + 1}; !slices.Equal(versions, want) {
		t.Errorf("deleted: stopped versions %v, want %v", versions, want)
	}
	if _, err := s.SaveCardReader(t.Context(), tenant, after.End(s.Now())); !errors.Is(err, store.ErrStale) {
		t.Errorf("saved after it was deleted: got error %v, want ErrStale", err)
	}
	for operation, gone := range map[string]bool{"deletion": false, "another": true} {
		err := s.DeleteCardReader(t.Context(), byTest, tenant, "rdr_1", operation, stop)
		if failure.Is(err, failure.KindNotFound) != gone || !gone && err != nil {
			t.Errorf("%s: got error %v, want one: %t", operation, err, gone)
		}
	}
	if len(versions) != 2 {
		t.Errorf("deleted again: stopped versions %v, want no more", versions)
	}
}
