package simulator

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// finding is something that must not be.
type finding struct {
	About string // checkout it is about, or ""
	Text  string
}

// Find notes what must not be.
func (w *World) Find(about, format string, args ...any) {
	f := finding{about, fmt.Sprintf(format, args...)}
	w.Record(func() { w.findings = append(w.findings, f) })
	w.Notef("FINDING", "%s %s", about, f.Text)
}

// Findings returns all of them; none in a world in order.
func (w *World) Findings() (all []finding) {
	w.Record(func() { all = slices.Clone(w.findings) })
	return all
}

// History is everything that happened, a line each.
func (w *World) History() string { return w.history.String() }

// Trace is what happened around a checkout, with what shares no key with it left out.
func (w *World) Trace(checkout string) string {
	if checkout == "" {
		return w.History()
	}
	texts := []string{checkout, "clocks", "faults", "FINDING"}
	for _, i := range w.Scan() {
		if id := i.Text("id"); id != "" && i.Text("checkout_id") == checkout {
			texts = append(texts, id)
		}
	}
	return w.history.about(texts...)
}

// history is what happened, a line each.
type history struct {
	mu    sync.Mutex
	lines []string
}

// Note adds a line: who did what, and what became of it.
func (w *World) Note(actor string, k kind, what, outcome string) {
	w.Notef(actor, "%-8s %s → %s", k, what, outcome)
}

// Notef adds a line.
func (w *World) Notef(actor, format string, args ...any) {
	w.history.mu.Lock()
	defer w.history.mu.Unlock()
	w.history.lines = append(w.history.lines,
		fmt.Sprintf("%5d %s %-24s %s", w.sched.steps.Load(), w.Now().Format("02T15:04:05.000000"), actor,
			fmt.Sprintf(format, args...)))
}

// String returns the whole history.
func (h *history) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.lines, "\n") + "\n"
}

// about returns the lines that contain any of the texts.
func (h *history) about(texts ...string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines := slices.DeleteFunc(slices.Clone(h.lines), func(line string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) })
	})
	return strings.Join(lines, "\n") + "\n"
}
