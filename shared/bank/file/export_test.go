package file_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

func TestExport_SameFileAgain(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "a", "b", "c")
	r := request("f", "b", "a")
	first := w.export(t, r, "b", "a")
	if left, err := w.Waiting(t.Context(), "EUR", 1); err != nil || len(left) != 1 || left[0].ID != "c" {
		t.Errorf("got %+v, %v, want only c waiting", left, err)
	}
	w.Advance(48 * time.Hour)
	w.Bank = w.restart()
	w.mustSettle(t, "a", paid)
	w.mustSettle(t, "b", rejected("AC04"))
	if again := w.export(t, r, "b", "a"); again != first {
		t.Errorf("got %s\nwant the file of before\n%s", again, first)
	}
	var text bytes.Buffer
	if ids, err := w.ExportAgain(t.Context(), &text, "f"); err != nil || !slices.Equal(ids, []string{"b", "a"}) ||
		text.String() != first {
		t.Errorf("got %v, %v, %s\nwant b and a in the file of before\n%s", ids, err, text.String(), first)
	}
	if _, err := w.ExportAgain(t.Context(), &text, "g"); !errors.Is(err, file.ErrUnknownExport) {
		t.Errorf("got error %v, want ErrUnknownExport", err)
	}
}

func TestExport_IDTaken(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "a", "b")
	w.export(t, request("f", "a"), "a")
	day, debtor := request("f", "a"), request("f", "a")
	day.Day, debtor.Debtor.Holder = "2026-11-24", "Somebody Else"
	for _, r := range []file.Request{request("f", "b"), request("f", "a", "b"), day, debtor} {
		var text bytes.Buffer
		if _, err := w.Export(t.Context(), &text, r); !errors.Is(err, file.ErrExportIDTaken) || text.Len() > 0 {
			t.Errorf("%+v: got %v and text %q, want ErrExportIDTaken and none", r, err, text.String())
		}
	}
	if ids := w.waitingIDs(t, "EUR"); !slices.Equal(ids, []string{"b"}) {
		t.Errorf("got %v waiting, want b", ids)
	}
}

func TestExport_TransferInOtherFile(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "a", "b", "cancelled")
	w.mustTransfer(t, transferTo("reais", "BRL"), accepted)
	w.mustSettle(t, "cancelled", rejected("NARR"))
	w.export(t, request("f", "a"), "a")
	w.export(t, request("g", "a", "cancelled", "reais", "unknown", "b"), "b")
	var text bytes.Buffer
	if _, err := w.Export(t.Context(), &text, request("h", "a", "b", "unknown")); !errors.Is(err, file.ErrNothingToDo) ||
		text.Len() > 0 {
		t.Errorf("got %v and text %q, want ErrNothingToDo and none", err, text.String())
	}
	w.accept(t, "unknown")
	w.export(t, request("h", "unknown"), "unknown") // the refused request did not use up its id
	if again := w.export(t, request("g", "a", "cancelled", "reais", "unknown", "b"), "b"); strings.Contains(again,
		"unknown") {
		t.Errorf("got %s, want no transfer named unknown in it", again)
	}
}

var endToEnd = regexp.MustCompile(`<EndToEndId>(.*)</EndToEndId>`)

func idsIn(text string) []string {
	var ids []string
	for _, match := range endToEnd.FindAllStringSubmatch(text, -1) {
		ids = append(ids, match[1])
	}
	return ids
}

// TestExport_ConcurrentFiles lets operators request overlapping files at the same time, each file several times.
func TestExport_ConcurrentFiles(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	var ids []string
	for i := range 130 {
		ids = append(ids, fmt.Sprintf("p%03d", i))
	}
	w.accept(t, ids...)
	var mu sync.Mutex
	files := map[string]map[string]bool{}
	var group sync.WaitGroup
	for i := range 9 {
		r := request(fmt.Sprint("f", i%3), ids...)
		if i%3 == 1 {
			slices.Reverse(r.Transfers)
		}
		r.Transfers = slices.Clone(r.Transfers)
		group.Go(func() {
			for range 20 { // here conflicts are errors with an unknown outcome
				var text bytes.Buffer
				if _, err := w.Export(t.Context(), &text, r); err == nil {
					mu.Lock()
					defer mu.Unlock()
					if files[r.ID] == nil {
						files[r.ID] = map[string]bool{}
					}
					files[r.ID][text.String()] = true
					return
				} else if errors.Is(err, file.ErrNothingToDo) {
					return
				}
			}
		})
	}
	group.Wait()
	seen := map[string]string{}
	for name, texts := range files {
		if len(texts) != 1 {
			t.Errorf("%s: got %d contents, want 1", name, len(texts))
		}
		for text := range maps.Keys(texts) {
			for _, id := range idsIn(text) {
				if seen[id] != "" {
					t.Errorf("got %s in %s and %s, want it in one file", id, seen[id], name)
				}
				seen[id] = name
			}
		}
	}
	if left := w.waitingIDs(t, "EUR"); len(seen)+len(left) != len(ids) {
		t.Errorf("got %d in files and %d left, want %d in all", len(seen), len(left), len(ids))
	}
}

func TestExport_LargeFile(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	var ids []string
	for i := range 250 { // so that the export needs five claims and three reads
		ids = append(ids, fmt.Sprintf("p%03d", i))
	}
	w.accept(t, ids...)
	text := w.export(t, request("f", w.waitingIDs(t, "EUR")...), ids...)
	if !slices.Equal(idsIn(text), ids) || !strings.Contains(text, "<NbOfTxs>250</NbOfTxs>") ||
		!strings.Contains(text, "<CtrlSum>2500.00</CtrlSum>") {
		t.Errorf("got %d transfers, want 250 of 2500.00 in all, in their order, in\n%.2000s", len(idsIn(text)), text)
	}
}

func TestExport_InvalidRequest(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "a")
	for param, change := range map[string]func(*file.Request){
		"id 1": func(r *file.Request) { r.ID = "" }, "id 2": func(r *file.Request) { r.ID = "a/b" },
		"id 3": func(r *file.Request) { r.ID = strings.Repeat("f", 29) },
		"debtor 1": func(r *file.Request) {
			r.Debtor.Holder = " "
		}, "debtor 2": func(r *file.Request) { r.Debtor.IBAN = "DE00" },
		"debtor 3":   func(r *file.Request) { r.Debtor = merchant.BankAccount{Holder: "x", AccountNumber: "1"} },
		"currency 1": func(r *file.Request) { r.Currency = "" }, "currency 2": func(r *file.Request) { r.Currency = "XXX" },
		"day 1": func(r *file.Request) { r.Day = "" }, "day 2": func(r *file.Request) { r.Day = "2026-02-30" },
		"transfers 1": func(r *file.Request) {
			r.Transfers = nil
		}, "transfers 2": func(r *file.Request) { r.Transfers = []string{"a", "a"} },
		"transfers 3": func(r *file.Request) { r.Transfers = strings.Split(strings.Repeat("x,", 1000), ",") },
	} {
		r := request("f", "a")
		change(&r)
		var text bytes.Buffer
		_, err := w.Export(t.Context(), &text, r)
		if !failure.Is(err, failure.KindInvalid) || text.Len() > 0 || failure.Of(err).Param != strings.Fields(param)[0] {
			t.Errorf("%s: got %v, param %s, text %q, want KindInvalid, its first word and none", param, err,
				failure.Of(err).Param, text.String())
		}
	}
	w.export(t, request(strings.Repeat("f", 28), "a"), "a")
}

// TestExport_SameIDConcurrently lets two operators choose the same id at the same time.
func TestExport_SameIDConcurrently(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "a", "b")
	w.Wire.Meanwhile("TransactWriteItems", 1, func() { w.export(t, request("f", "b"), "b") })
	var text bytes.Buffer
	_, err := w.Export(t.Context(), &text, request("f", "a"))
	if !errors.Is(err, file.ErrExportIDTaken) || text.Len() > 0 {
		t.Errorf("got %v and text %q, want ErrExportIDTaken and none", err, text.String())
	}
	w.export(t, request("f", "b"), "b")
	if ids := w.waitingIDs(t, "EUR"); !slices.Equal(ids, []string{"a"}) {
		t.Errorf("got %v waiting, want a", ids)
	}
}

// rewrite changes a stored transfer in the way that another version of the program might write it.
func (w *fixture) rewrite(t *testing.T, id, reference string) {
	t.Helper()
	changed := map[string]any{}
	if err := w.Table.Get("pk", "FILEBANK#TRANSFER#"+id).Range("sk", dynamo.Equal, "TRANSFER").One(
		t.Context(), &changed); err != nil {
		t.Fatal(err)
	}
	changed["reference"] = reference
	if err := w.Table.Put(changed).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestExport_ContentChanged checks that a file is not written again if it would differ from the first file with the
// same message id.
func TestExport_ContentChanged(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "a")
	w.export(t, request("f", "a"), "a")
	w.rewrite(t, "a", "something else")
	var text bytes.Buffer
	if _, err := w.ExportAgain(t.Context(), &text, "f"); err == nil || text.Len() > 0 {
		t.Errorf("got %v and text %q, want an error and none", err, text.String())
	}
}

func TestExport_SealedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "a")
	var sealed string
	w.Wire.Meanwhile("TransactWriteItems", 3, func() { // after the writes that start the export and claim its transfer
		w.rewrite(t, "a", "something else")
		sealed = w.export(t, request("f", "a"), "a")
	})
	var text bytes.Buffer
	if _, err := w.Export(t.Context(), &text, request("f", "a")); err == nil || text.Len() > 0 {
		t.Errorf("got %v and text %q, want an error and none", err, text.String())
	}
	if again := w.export(t, request("f", "a"), "a"); again != sealed || !strings.Contains(sealed, "something else") {
		t.Errorf("got %s\nwant the sealed file, with something else in it\n%s", again, sealed)
	}
}
