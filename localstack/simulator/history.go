package simulator

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

type finding struct {
	About string // the checkout with the problem, or ""
	Text  string
}

// Find records a violation of a rule.
func (w *World) Find(about, format string, args ...any) {
	f := finding{about, fmt.Sprintf(format, args...)}
	w.Record(func() { w.findings = append(w.findings, f) })
	w.Notef("FINDING", "%s %s", about, f.Text)
}

// Findings returns the violations. A world in order has none.
func (w *World) Findings() (all []finding) {
	w.Record(func() { all = slices.Clone(w.findings) })
	return all
}

// History returns one line for each event.
func (w *World) History() string { return w.history.String() }

// Trace returns the lines about a checkout, and the lines about items that name the checkout.
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
	return strings.Join(w.history.About(texts...), "\n") + "\n"
}

// Note adds a line about an actor's call and its outcome.
func (w *World) Note(actor string, k kind, what, outcome string) {
	w.Notef(actor, "%-8s %s → %s", k, what, outcome)
}

// Notef adds a line.
func (w *World) Notef(actor, format string, args ...any) {
	w.history.add(fmt.Sprintf("%5d %s %-24s %s", w.sched.steps.Load(), w.Now().Format("02T15:04:05.000000"), actor,
		fmt.Sprintf(format, args...)))
}

// FindLogged reports each error in the functions' log that contains one of the texts.
func (w *World) FindLogged(texts ...string) {
	for _, line := range w.Errors.About(texts...) {
		w.Find("", "log: %s", line)
	}
}

// record is a list of lines, in order.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

// Write adds a line of the functions' log.
func (r *record) Write(line []byte) (int, error) {
	r.add(strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// String returns all lines.
func (r *record) String() string { return strings.Join(r.About(""), "\n") + "\n" }

// About returns the lines that contain any of the texts.
func (r *record) About(texts ...string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.lines), func(line string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) })
	})
}
