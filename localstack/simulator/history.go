package simulator

import (
	"fmt"
	"strings"
	"sync"
)

// history is what happened, a line each.
type history struct {
	mu    sync.Mutex
	lines []string
}

// note adds a line: who did what, and what became of it.
func (w *World) note(actor string, k kind, what, outcome string) {
	w.history.mu.Lock()
	defer w.history.mu.Unlock()
	w.history.lines = append(w.history.lines,
		fmt.Sprintf("%5d %s %-24s %-8s %s → %s", w.sched.steps.Load(), w.now().Format("02T15:04:05.000000"),
			actor, k, what, outcome))
}

func (w *World) notef(actor, format string, args ...any) {
	w.history.mu.Lock()
	defer w.history.mu.Unlock()
	w.history.lines = append(w.history.lines,
		fmt.Sprintf("%5d %s %-24s %s", w.sched.steps.Load(), w.now().Format("02T15:04:05.000000"), actor,
			fmt.Sprintf(format, args...)))
}

// String is the whole history.
func (h *history) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.lines, "\n") + "\n"
}

// about are the lines that name any of the texts, all when there are none.
func (h *history) about(texts ...string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []string
	for _, line := range h.lines {
		for _, text := range texts {
			if strings.Contains(line, text) {
				found = append(found, line)
				break
			}
		}
	}
	return strings.Join(found, "\n") + "\n"
}
