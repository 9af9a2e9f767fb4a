package simulator

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

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

// String is the whole history.
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
