package books

import (
	"encoding/json"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

// Reconcile runs the platform's own reconciliation.
func Reconcile(w *simulator.World) {
	w.Go(simulator.Clients, func() {
		answer, _, err := simulator.Invoke[any](w, "auditor", "reconcile", "", 0, json.RawMessage("{}"))
		if err != nil {
			w.Find("", "reconcile fails: %v", err)
			return
		}
		var report struct {
			Found  int
			Breaks []struct{ Kind, ID, Text string }
		}
		if err := json.Unmarshal([]byte(simulator.Encoded(answer)), &report); err != nil || report.Found > 0 {
			w.Find("", "reconciliation found breaks: %v %v", report.Breaks, err)
		}
	})
	w.Steer(simulator.Clients)
}
