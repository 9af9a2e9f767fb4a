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

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
)

func TestAFileIsTheSameAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ordered(t, "a", "b", "c")
	r := request("f", "b", "a")
	first := w.export(t, r, "b", "a")
	if ids := w.waiting(t, "EUR"); !slices.Equal(ids, []string{"c"}) {
		t.Errorf("still waiting: %v", ids)
	}
	w.pass(48 * time.Hour)
	w.Bank = w.restarted()
	w.mustSettle(t, "a", paid)
	w.mustSettle(t, "b", rejected("AC04"))
	if again := w.export(t, r, "b", "a"); again != first {
		t.Errorf("%s\nthen\n%s", first, again)
	}
	var text bytes.Buffer
	if ids, err := w.Again(t.Context(), &text, "f"); err != nil || !slices.Equal(ids, []string{"b", "a"}) || text.String() != first {
		t.Errorf("%v, %v, %s", ids, err, text.String())
	}
	if _, err := w.Again(t.Context(), &text, "g"); !errors.Is(err, file.ErrUnknownExport) {
		t.Error(err)
	}
}

func TestOneIDIsOneFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ordered(t, "a", "b")
	w.export(t, request("f", "a"), "a")
	day, debtor := request("f", "a"), request("f", "a")
	day.Day, debtor.Debtor.Holder = "2026-11-24", "Somebody Else"
	for _, r := range []file.Request{request("f", "b"), request("f", "a", "b"), day, debtor} {
		var text bytes.Buffer
		if _, err := w.Export(t.Context(), &text, r); !errors.Is(err, file.ErrOtherExport) || text.Len() > 0 {
			t.Errorf("%+v: %v, %s", r, err, text.String())
		}
	}
	if ids := w.waiting(t, "EUR"); !slices.Equal(ids, []string{"b"}) {
		t.Error(ids)
	}
}

func TestAnOrderIsInOneFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ordered(t, "a", "b", "withdrawn")
	w.mustBe(t, transferTo("reais", "BRL"), accepted)
	w.mustSettle(t, "withdrawn", rejected("NARR"))
	w.export(t, request("f", "a"), "a")
	w.export(t, request("g", "a", "withdrawn", "reais", "unknown", "b"), "b")
	var text bytes.Buffer
	if _, err := w.Export(t.Context(), &text, request("h", "a", "b", "unknown")); !errors.Is(err, file.ErrNothingToDo) || text.Len() > 0 {
		t.Errorf("%v, %s", err, text.String())
	}
	w.ordered(t, "unknown")
	w.export(t, request("h", "unknown"), "unknown") // the id was not used up
	if again := w.export(t, request("g", "a", "withdrawn", "reais", "unknown", "b"), "b"); strings.Contains(again, "unknown") {
		t.Error(again)
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

// Operators who ask for overlapping files at the same time, each several times.
func TestConcurrentFilesShareNoOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []string
	for i := range 130 {
		ids = append(ids, fmt.Sprintf("p%03d", i))
	}
	w.ordered(t, ids...)
	var mu sync.Mutex
	files := map[string]map[string]bool{}
	var group sync.WaitGroup
	for i := range 9 {
		r := request(fmt.Sprint("f", i%3), ids...)
		if i%3 == 1 {
			slices.Reverse(r.Orders)
		}
		r.Orders = slices.Clone(r.Orders)
		group.Go(func() {
			for range 20 { // conflicts are errors here, whose outcome is unknown
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
			t.Errorf("%s has %d contents", name, len(texts))
		}
		for text := range maps.Keys(texts) {
			for _, id := range idsIn(text) {
				if seen[id] != "" {
					t.Errorf("%s is in %s and %s", id, seen[id], name)
				}
				seen[id] = name
			}
		}
	}
	if left := w.waiting(t, "EUR"); len(seen)+len(left) != len(ids) {
		t.Errorf("%d in files, %d left", len(seen), len(left))
	}
}

func TestALargeFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []string
	for i := range 250 { // five claims, three reads
		ids = append(ids, fmt.Sprintf("p%03d", i))
	}
	w.ordered(t, ids...)
	text := w.export(t, request("f", w.waiting(t, "EUR")...), ids...)
	if !slices.Equal(idsIn(text), ids) || !strings.Contains(text, "<NbOfTxs>250</NbOfTxs>") || !strings.Contains(text, "<CtrlSum>2500.00</CtrlSum>") {
		t.Errorf("%d orders in it: %.2000s", len(idsIn(text)), text)
	}
}

func TestRequestsThatMakeNoFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ordered(t, "a")
	for param, change := range map[string]func(*file.Request){
		"id 1": func(r *file.Request) { r.ID = "" }, "id 2": func(r *file.Request) { r.ID = "a/b" },
		"id 3":     func(r *file.Request) { r.ID = strings.Repeat("f", 29) },
		"debtor 1": func(r *file.Request) { r.Debtor.Holder = " " }, "debtor 2": func(r *file.Request) { r.Debtor.IBAN = "DE00" },
		"debtor 3":   func(r *file.Request) { r.Debtor = account.BankAccount{Holder: "x", AccountNumber: "1"} },
		"currency 1": func(r *file.Request) { r.Currency = "" }, "currency 2": func(r *file.Request) { r.Currency = "XXX" },
		"day 1": func(r *file.Request) { r.Day = "" }, "day 2": func(r *file.Request) { r.Day = "2026-02-30" },
		"orders 1": func(r *file.Request) { r.Orders = nil }, "orders 2": func(r *file.Request) { r.Orders = []string{"a", "a"} },
		"orders 3": func(r *file.Request) { r.Orders = strings.Split(strings.Repeat("x,", 1000), ",") },
	} {
		r := request("f", "a")
		change(&r)
		var text bytes.Buffer
		_, err := w.Export(t.Context(), &text, r)
		if !failure.Is(err, failure.Rejected) || text.Len() > 0 || failure.Of(err).Param != strings.Fields(param)[0] {
			t.Errorf("%s: %v", param, err)
		}
	}
	w.export(t, request(strings.Repeat("f", 28), "a"), "a")
}

// A process that dies at any request of an export, whether the request arrived
// or not: the same request finishes it, and meanwhile the bank's word is not
// believed.
func TestAnExportThatIsCutOffIsFinished(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{beforeCommit, afterCommit} {
		for dies := 1; ; dies++ {
			w := newWorld(t)
			var ids []string
			for i := range 52 { // two claims
				ids = append(ids, fmt.Sprintf("p%02d", i))
			}
			w.ordered(t, ids...)
			requests := 0
			w.wire.cut(func(string) fault {
				if requests++; requests >= dies {
					return f
				}
				return none
			})
			var text bytes.Buffer
			_, err := w.Export(t.Context(), &text, request("f", ids...))
			w.wire.cut(nil)
			if err == nil {
				if dies < 6 {
					t.Fatalf("an export in %d requests", dies)
				}
				break
			}
			if text.Len() > 0 {
				t.Fatalf("dying at %d it wrote %d bytes", dies, text.Len())
			}
			w.untilItIsWhole(t, ids)
		}
	}
}

// untilItIsWhole withdraws the first order, then asks for the file again. What
// was withdrawn must not be in it, unless the bank may have had it before.
func (w *world) untilItIsWhole(t *testing.T, ids []string) {
	t.Helper()
	var stored struct {
		Digest string `dynamo:"digest"`
	}
	err := w.table.Get("pk", "FILEBANK#EXPORT#f").Range("sk", dynamo.Equal, "EXPORT").One(t.Context(), &stored)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		t.Fatal(err)
	}
	withdrawn := w.Settle(t.Context(), ids[0], rejected("AC04"))
	if withdrawn != nil && !errors.Is(withdrawn, file.ErrNotExported) {
		t.Fatal(withdrawn)
	}
	var text bytes.Buffer
	in, err := w.Export(t.Context(), &text, request("f", ids...))
	if err != nil || !slices.Equal(in, idsIn(text.String())) {
		t.Fatalf("%v, %v", in, err)
	}
	want := ids
	if withdrawn == nil && stored.Digest == "" {
		want = ids[1:]
	}
	if !slices.Equal(in, want) {
		t.Fatalf("%d of %d orders, sealed %t, withdrawn: %v", len(in), len(ids), stored.Digest != "", withdrawn)
	}
	if again := w.export(t, request("f", ids...), in...); again != text.String() {
		t.Fatal("the file changed")
	}
	if left := w.waiting(t, "EUR"); len(left) != 0 {
		t.Fatalf("left: %v", left)
	}
}

// With a reply lost here and there an export succeeds all the same.
func TestLostRepliesOfAnExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ordered(t, "a", "b")
	w.wire.cut(func(operation string) fault {
		if operation == "TransactWriteItems" {
			return afterCommit
		}
		return none
	})
	w.mustBe(t, transfer("c"), accepted)
	text := w.export(t, request("f", "a", "b", "c"), "a", "b", "c")
	w.mustSettle(t, "a", paid)
	w.mustSettle(t, "b", rejected("AC04"))
	w.wire.cut(nil)
	if again := w.export(t, request("f", "a", "b", "c"), "a", "b", "c"); again != text {
		t.Error("the file changed")
	}
	if lines := w.statement(t); len(lines) != 1 || lines[0].ID != "a" {
		t.Error(lines)
	}
	w.wire.cut(func(operation string) fault {
		if operation == "TransactWriteItems" {
			return beforeCommit
		}
		return none
	})
	if _, err := w.Transfer(t.Context(), transfer("d")); err == nil || errors.Is(err, bank.ErrNotTaken) {
		t.Error(err)
	}
	if err := w.Settle(t.Context(), "c", paid); err == nil {
		t.Error("a word that never arrived was taken")
	}
	w.wire.cut(nil)
	w.mustBe(t, transfer("c"), accepted)
}

// What would be another file under the same message id is not handed over.
func TestAFileThatWouldChangeIsNotWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ordered(t, "a")
	w.export(t, request("f", "a"), "a")
	changed := map[string]any{}
	if err := w.table.Get("pk", "FILEBANK#ORDER#a").Range("sk", "EQ", "ORDER").One(t.Context(), &changed); err != nil {
		t.Fatal(err)
	}
	changed["reference"] = "something else"
	changed["amount"] = money.MustParse("10", "EUR")
	if err := w.table.Put(changed).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := w.Again(t.Context(), &text, "f"); err == nil || text.Len() > 0 {
		t.Errorf("%v, %s", err, text.String())
	}
}
