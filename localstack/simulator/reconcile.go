package simulator

import "encoding/json"

// reconcile runs the platform's own reconciliation.
func reconcile(w *World) {
	w.run(clients, func() {
		answer, _, err := invoke[any](w, "auditor", "reconcile", "", 0, json.RawMessage("{}"))
		if err != nil {
			w.find("", "reconcile fails: %v", err)
			return
		}
		var report struct {
			Found  int
			Breaks []struct{ Kind, ID, Text string }
		}
		if err := json.Unmarshal([]byte(encoded(answer)), &report); err != nil || report.Found > 0 {
			w.find("", "reconciliation found breaks: %v %v", report.Breaks, err)
		}
	})
	w.steer(clients)
}
