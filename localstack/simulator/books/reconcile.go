package books

import (
	"encoding/json"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// Reconcile runs the platform's own reconciliation, in one call and then in segments over the queue. Both must find the
// same, and no breaks.
func Reconcile(w *simulator.World) {
	var whole reconcile.Report
	invokeReconcile(w, "{}", &whole)
	if whole.Found > 0 {
		w.Find("", "reconciliation found breaks: %v", whole.Breaks)
	}
	var begun, proven struct {
		Proof  string
		Proven bool
		Report reconcile.Report
	}
	invokeReconcile(w, `{"segments":2}`, &begun)
	for w.Poll("prove", 1) {
		w.Steer(simulator.Sources)
	}
	invokeReconcile(w, `{"proof":"`+begun.Proof+`"}`, &proven)
	same := cmpopts.IgnoreFields(reconcile.Report{}, "At", "Tenants", "Suspects")
	if diff := cmp.Diff(whole, proven.Report, same); !proven.Proven || diff != "" {
		w.Find("", "the proof in segments ended: %t, and differs from that in one call: %s", proven.Proven, diff)
	}
}

// invokeReconcile sends an operator's request to reconcile, and decodes the answer.
func invokeReconcile(w *simulator.World, request string, into any) {
	w.Go(simulator.Clients, func() {
		answer, _, err := simulator.Invoke[any](w, "auditor", "reconcile", "", 0, json.RawMessage(request))
		if err == nil {
			err = json.Unmarshal([]byte(simulator.Encoded(answer)), into)
		}
		if err != nil {
			w.Find("", "reconcile fails: %v", err)
		}
	})
	w.Steer(simulator.Clients)
}
