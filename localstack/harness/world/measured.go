package world

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
)

type metricLine struct {
	AWS struct {
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []declaration
		}
	} `json:"_aws"`
}

type declaration struct {
	Name string
	Unit metric.Unit
}

// Measured returns a metric's measurements in a mode, the oldest first. Like CloudWatch, it counts a measurement only
// under the unit and dimensions that the log line declares. For a metric without ByMode it ignores the mode.
func (w *World) Measured(m metric.Metric, mode identity.Mode) []int64 {
	w.Helper()
	wanted := map[string]string{metric.Stage: "test"}
	if m.ByMode {
		wanted[metric.Mode] = mode.Name()
	}
	var all []int64
	for text := range strings.Lines(w.Metrics.String()) {
		if !strings.Contains(text, m.Name) {
			continue
		}
		var line metricLine
		members := map[string]json.RawMessage{}
		if err := errors.Join(json.Unmarshal([]byte(text), &line), json.Unmarshal([]byte(text), &members)); err != nil {
			w.Fatalf("metrics %q: %v", text, err)
		}
		for _, d := range line.AWS.CloudWatchMetrics {
			if !slices.Contains(d.Metrics, declaration{m.Name, m.Unit}) || d.Namespace != metric.Namespace ||
				!hasDimensions(members, d.Dimensions, wanted) {
				continue
			}
			var n int64
			if err := json.Unmarshal(members[m.Name], &n); err != nil {
				w.Fatalf("%s in %s: %v", m.Name, text, err)
			}
			all = append(all, n)
		}
	}
	return all
}

func hasDimensions(members map[string]json.RawMessage, sets [][]string, wanted map[string]string) bool {
	if len(sets) != 1 || len(sets[0]) != len(wanted) {
		return false
	}
	for _, name := range sets[0] {
		var value string
		if json.Unmarshal(members[name], &value) != nil || value != wanted[name] {
			return false
		}
	}
	return true
}
