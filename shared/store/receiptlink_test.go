package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

func linkTo(hash, event string, s *store.Store) payments.ReceiptLink {
	return payments.ReceiptLink{TokenHash: hash, TransactionID: "transaction", EventID: event,
		ExpiresAt: payments.ReceiptLinkEnd(s.Now())}
}

// readLink reads a link that must exist.
func readLink(t *testing.T, s *store.Store, hash string) payments.ReceiptLink {
	t.Helper()
	of, l, err := s.ReceiptLink(t.Context(), hash)
	if err != nil || of != tenant {
		t.Fatalf("%s: got a link of %s, %v, want one of %s", hash, of, err, tenant)
	}
	return l
}

func TestCreateReceiptLink_Repeated(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, &faults.Wire{Send: enginetest.Do})
	first := linkTo("hash", "event", s)
	if _, err := s.CreateReceiptLink(t.Context(), tenant, first); err != nil {
		t.Fatal(err)
	}
	now.Advance(time.Minute)
	got, err := s.CreateReceiptLink(t.Context(), tenant, linkTo("hash", "event", s))
	if diff := cmp.Diff(first, got); err != nil || diff != "" {
		t.Errorf("again: got %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(first, readLink(t, s, "hash")); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestReceiptLink_UnknownOrExpired(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, &faults.Wire{Send: enginetest.Do})
	l := linkTo("hash", "", s)
	if _, err := s.CreateReceiptLink(t.Context(), tenant, l); err != nil {
		t.Fatal(err)
	}
	now.Advance(l.ExpiresAt.Sub(now.Now()) - time.Nanosecond)
	readLink(t, s, "hash")
	now.Advance(time.Nanosecond)
	for _, hash := range []string{"hash", "none", ""} {
		if _, _, err := s.ReceiptLink(t.Context(), hash); !failure.Is(err, failure.KindNotFound) {
			t.Errorf("%q: got %v, want NotFound", hash, err)
		}
	}
}

// TestMailReceipt_LostCalls checks that a receipt is mailed once, with its link, when calls are lost and the request is
// repeated.
func TestMailReceipt_LostCalls(t *testing.T) {
	t.Parallel()
	operations := []string{"TransactWriteItems", "GetItem"}
	runEachLoss(t, operations, func(t *testing.T, s *store.Store, until untilDone) {
		l, m := linkTo("hash", "", s), mail.NewReceipt("operation", mail.Receipt, "ada@example.com", "10.10 EUR")
		until("mail", func() error { return s.MailReceipt(t.Context(), tenant, l, m) })
		_, written, err := s.Mail(t.Context(), m.ID)
		if err != nil {
			t.Fatal(err)
		}
		begun, err := s.SaveMail(t.Context(), tenant, written.Delivered())
		if err != nil {
			t.Fatal(err)
		}
		until("mail again", func() error { return s.MailReceipt(t.Context(), tenant, l, m) })
		_, after, err := s.Mail(t.Context(), m.ID)
		if diff := cmp.Diff(begun, after); err != nil || diff != "" {
			t.Errorf("the mail that was sent: %v (-want +got):\n%s", err, diff)
		}
		if diff := cmp.Diff(l, readLink(t, s, "hash")); diff != "" {
			t.Errorf("link (-want +got):\n%s", diff)
		}
	})
}

// TestCreateReceiptLink_LostCalls checks that no lost call makes a second link of one token.
func TestCreateReceiptLink_LostCalls(t *testing.T) {
	t.Parallel()
	runEachLoss(t, []string{"PutItem", "GetItem"}, func(t *testing.T, s *store.Store, until untilDone) {
		l := linkTo("hash", "event", s)
		for _, what := range []string{"link", "link again"} {
			until(what, func() error {
				got, err := s.CreateReceiptLink(t.Context(), tenant, l)
				if diff := cmp.Diff(l, got); err == nil && diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
				return err
			})
		}
		readLink(t, s, "hash")
	})
}

// TestMailReceipt_Concurrently checks that many concurrent requests mail one receipt.
func TestMailReceipt_Concurrently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l, m := linkTo("hash", "", s), mail.NewReceipt("operation", mail.Receipt, "ada@example.com", "10.10 EUR")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if err := s.MailReceipt(t.Context(), tenant, l, m); err != nil {
				t.Errorf("got %v, want success", err)
			}
		})
	}
	all.Wait()
	if _, got, err := s.Mail(t.Context(), m.ID); err != nil || got.Version != 1 {
		t.Errorf("got version %d, %v, want 1", got.Version, err)
	}
}
