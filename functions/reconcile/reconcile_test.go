package reconcile_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

func pay(w *world.World) {
	w.Helper()
	w.Shop().Sell("10.10")
	w.Clock.Advance(time.Minute)
}

func TestInvoke_Report(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	pay(w)
	report := w.Reconcile()
	if report.Found != 0 || report.Transactions != 1 || report.Entries != 1 || report.Movements != 1 ||
		len(report.Totals) == 0 {
		t.Errorf("got %+v, want no breaks; 1 transaction, entry and movement; and totals", report)
	}
	if log := w.Logs.String(); !strings.Contains(log, `"msg":"reconciled","breaks":0`) ||
		strings.Contains(log, "break\"") {
		t.Errorf("got log\n%s, want the message that it reconciled with 0 breaks, and no break", log)
	}
}

// deletePayable deletes a tenant's only payable. This makes two breaks.
func deletePayable(w *world.World, tenant string) {
	w.Helper()
	_, table := w.App.Store.Raw()
	partition := "PAYABLE#" + tenant + "#EUR"
	var rows []struct {
		SK string `dynamo:"sk"`
	}
	if err := table.Get("pk", partition).All(w.Context(), &rows); err != nil || len(rows) != 1 {
		w.Fatalf("got rows %v, error %v; want 1", rows, err)
	}
	if err := table.Delete("pk", partition).Range("sk", rows[0].SK).Run(w.Context()); err != nil {
		w.Fatal(err)
	}
}

func TestInvoke_Log(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	pay(w)
	deletePayable(w, "T#"+w.Merchant.Code)
	w.Reconcile()
	for _, want := range []string{`"level":"ERROR","msg":"reconciliation break"`, `"kind":"payable_missing"`,
		`"msg":"reconciled","breaks":2`} {
		if !strings.Contains(w.Logs.String(), want) {
			t.Errorf("got log\n%s, want %s in it", w.Logs.String(), want)
		}
	}
	if report := w.Reconcile(); report.Found != 2 || report.Breaks[0].Kind != "payable_missing" {
		t.Errorf("got %+v, want 2 breaks, the first payable_missing", report)
	}
}

// TestInvoke_Fault checks that a run fails if it cannot read all data.
func TestInvoke_Fault(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	p := w.Process()
	for step := range 4 { // the acquirer's statement, the banks' statements, the table
		p.Steps.Plan(step+1, faults.DieAfter)
		if answer, err := p.Invoke(t.Context(), "reconcile", json.RawMessage(`{"whole":true}`)); err == nil {
			t.Errorf("a crash at step %d: got answer %s, want an error", step+1, answer)
		}
	}
}
