package file_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/banktest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/bank/file"
)

// TestExport_Interrupted interrupts the process at each request of an export, before or after the request arrives. When
// the same export is requested again, it finishes the file. Until then no outcome can be recorded.
func TestExport_Interrupted(t *testing.T) {
	t.Parallel()
	for _, f := range []faults.Fault{faults.FailBefore, faults.LoseReply} {
		for dies := 1; ; dies++ {
			w := newFixture(t)
			var ids []string
			for i := range 52 { // so that the export needs two claims
				ids = append(ids, fmt.Sprintf("p%02d", i))
			}
			w.accept(t, ids...)
			requests := 0
			w.Wire.Inject(func(string) faults.Fault {
				if requests++; requests >= dies {
					return f
				}
				return faults.None
			})
			var text bytes.Buffer
			_, err := w.Export(t.Context(), &text, request("f", ids...))
			w.Wire.Inject(nil)
			if err == nil {
				if dies < 6 {
					t.Fatalf("got an export in %d requests, want at least 6", dies)
				}
				break
			}
			if text.Len() > 0 {
				t.Fatalf("dying at %d: got %d bytes, want none", dies, text.Len())
			}
			w.finishExport(t, ids)
		}
	}
}

// finishExport cancels the first transfer, and then exports again. If the cancellation succeeds and the file was not
// sealed before, the file must not have the first transfer. Otherwise the file must have all transfers.
func (w *fixture) finishExport(t *testing.T, ids []string) {
	t.Helper()
	var stored struct {
		Digest string `dynamo:"digest"`
	}
	err := w.Table.Get("pk", "FILEBANK#EXPORT#f").Range("sk", dynamo.Equal, "EXPORT").One(t.Context(), &stored)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		t.Fatal(err)
	}
	cancelled := w.Settle(t.Context(), ids[0], rejected("AC04"))
	if cancelled != nil && !errors.Is(cancelled, file.ErrNotExported) {
		t.Fatalf("got error %v, want none or ErrNotExported", cancelled)
	}
	var text bytes.Buffer
	in, err := w.Export(t.Context(), &text, request("f", ids...))
	if err != nil || !slices.Equal(in, idsIn(text.String())) {
		t.Fatalf("got %v, %v, want what is in the file, %v", in, err, idsIn(text.String()))
	}
	want := ids
	if cancelled == nil && stored.Digest == "" {
		want = ids[1:]
	}
	if !slices.Equal(in, want) {
		t.Fatalf("got %v, want %v (sealed %t, cancelled: %v)", in, want, stored.Digest != "", cancelled)
	}
	if again := w.export(t, request("f", ids...), in...); again != text.String() {
		t.Fatalf("got %s\nwant the file of before\n%s", again, text.String())
	}
	if left := w.waitingIDs(t, "EUR"); len(left) != 0 {
		t.Fatalf("got %v left, want none", left)
	}
}

// TestExport_LostReplies checks that an export succeeds even if the table's replies are lost.
func TestExport_LostReplies(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "a", "b")
	w.Wire.Inject(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			return faults.LoseReply
		}
		return faults.None
	})
	w.mustTransfer(t, transfer("c"), accepted)
	text := w.export(t, request("f", "a", "b", "c"), "a", "b", "c")
	w.mustSettle(t, "a", paid)
	w.mustSettle(t, "b", rejected("AC04"))
	w.Wire.Inject(nil)
	if again := w.export(t, request("f", "a", "b", "c"), "a", "b", "c"); again != text {
		t.Errorf("got %s\nwant the file of before\n%s", again, text)
	}
	if lines := w.readStatement(t, time.Time{}); len(lines) != 1 || lines[0].ID != "a" {
		t.Errorf("got lines %v, want one, of a", lines)
	}
	w.Wire.Inject(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			return faults.FailBefore
		}
		return faults.None
	})
	banktest.Unknown(t)(w.Transfer(t.Context(), transfer("d")))
	if err := w.Settle(t.Context(), "c", paid); err == nil {
		t.Error("got no error, want one: the outcome never arrived")
	}
	w.Wire.Inject(nil)
	w.mustTransfer(t, transfer("c"), accepted)
}
