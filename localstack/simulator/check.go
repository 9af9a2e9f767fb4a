package simulator

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/iam"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/store"
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

// Findings are all of them; none in a world in order.
func (w *World) Findings() (all []finding) {
	w.Record(func() { all = slices.Clone(w.findings) })
	return all
}

// History is everything that happened, a line each.
func (w *World) History() string { return w.history.String() }

// Trace is what happened around a checkout, with what shares no key with it
// left out.
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

// checkKeys sees that a request touches its own tenant's keys only. What
// belongs to no tenant, and the session tokens that lead to one, are shared.
func (w *World) checkKeys(by *Invocation, operation string, body []byte) {
	if by.Tenant == "" {
		return
	}
	text := string(body)
	_, merchant, _ := strings.Cut(by.Tenant, "#")
	for _, key := range append(calls.ValuesOf(text, "pk"), calls.ValuesOf(text, calls.ListPartition)...) {
		p := calls.Partition(key)
		own := p.Tenant.String() == by.Tenant || key == "MERCHANT#"+merchant || key == "AUDIT#"+merchant
		shared := slices.Contains(iam.Unguessable, p.Kind)
		// Of what changes together with a merchant, the other mode's is read, but never written.
		sibling := p.Kind == store.KindPayoutSchedule && p.Tenant.Merchant == merchant && operation == "BatchGetItem"
		if !own && !shared && !sibling && !w.asksBank(key, by.Tenant) {
			w.Find("", "%s of %s touched %s in %s", by.Actor, by.Tenant, key, operation)
		}
	}
	if len(calls.ValuesOf(text, calls.DuePartition)) > 0 && strings.Contains(text, `"KeyConditions"`) {
		w.Find("", "%s of %s read the due index", by.Actor, by.Tenant)
	}
}

// asksBank says whether a key is of the tenant's question to live mode's bank, about an
// account: those are in one table with the rest.
func (w *World) asksBank(key, tenant string) bool {
	if !strings.HasPrefix(key, "FILEBANK#ACCOUNT#") {
		return key == "FILEBANK#ASKED"
	}
	asked := w.Read(key, "ACCOUNT")
	return len(asked) == 0 || asked.Text("tenant") == tenant
}

// checkRights sees that a function does only what its role allows, and that no
// journal entry is ever changed.
func (w *World) checkRights(by *Invocation, operation string, body []byte) {
	requests, err := iam.Requests(operation, body)
	if err != nil {
		w.Find("", "%s: %v", by.Actor, err)
	}
	for _, r := range requests {
		if err := r.CheckJournal(); err != nil {
			w.Find("", "%s: %v", by.Actor, err)
		}
		if !slices.Contains(functions.Function{Name: by.Name}.Permissions(), r.Permission()) {
			w.Find("", "%s used %s, which functions/access.json does not give it", by.Actor, r.Permission())
		}
	}
}

// checkOwner sees that only the request that holds an idempotency key ends
// its claim.
func (w *World) checkOwner(by *Invocation, operation string, body []byte) {
	keys := calls.ValuesOf(string(body), "pk")
	if len(keys) == 0 || calls.Partition(keys[0]).Kind != store.KindIdempotency {
		return
	}
	if operation == "PutItem" {
		by.claim = calls.ValuesOf(string(body), "owner")[0]
		return
	}
	if operation != "UpdateItem" {
		return
	}
	stored := w.Read(keys[0], "IDEMPOTENCY")
	if stored.Text("owner") != by.claim {
		w.Find("", "%s ended the claim of another request on %s", by.Actor, keys[0])
	}
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
