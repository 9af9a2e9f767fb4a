package books

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

// proof is what reconcile answers about a proof.
type proof struct {
	Proof  string
	Proven bool
	Report reconcile.Report
}

// Reconcile proves all records in one call, which may find no break, and returns the report.
func Reconcile(w *simulator.World) (r reconcile.Report) {
	invokeReconcile(w, `{"whole":true}`, &r)
	if r.Found > 0 {
		w.Find("", "reconciliation found breaks: %v", r.Breaks)
	}
	return r
}

// Nights proves all records over a queue, and what has changed, in turn. A proof in segments must find what a proof in
// one call finds. No night may find a break, also when days have passed and the acquirer has settled. In the end the
// closings must have each entry of the journal once, and each movement of the acquirer.
func Nights(w *simulator.World) {
	Night(w)
	for range 2 {
		w.Advance(time.Hour) // the indexes then show everything
		whole, segments := Reconcile(w), prove(w, `{"segments":2}`)
		same := cmpopts.IgnoreFields(reconcile.Report{}, "At", "Tenants", "Suspects")
		if diff := cmp.Diff(whole, segments.Report, same); !segments.Proven || diff != "" {
			w.Find("", "the proof in segments ended: %t, and differs from that in one call: %s", segments.Proven, diff)
		}
		Night(w)
	}
	for range 2 {
		w.Advance(36 * time.Hour)
		Night(w)
	}
	Reconcile(w)
	Read(w).CheckSettlements()
	checkClosings(w)
}

// NightsLater lets the time pass within which everything must be settled. Then still no night may find a break.
func NightsLater(w *simulator.World) {
	for _, later := range []time.Duration{16 * 24 * time.Hour, time.Hour} {
		w.Advance(later)
		Night(w)
	}
	Reconcile(w)
	Read(w).CheckSettlements()
	checkClosings(w)
}

// Night lets the run of the schedule prove what has changed. The schedule calls twice at the same time, and then once
// more, so that messages come twice.
func Night(w *simulator.World) {
	for n := range 2 {
		actor := fmt.Sprint("auditor-", n)
		w.Go(simulator.Clients, func() {
			w.Think(actor)
			_, _, err := simulator.Invoke[any](w, actor, "reconcile", "", 0, json.RawMessage("{}"))
			w.Notef(actor, "ended: %v", err) // one may find that the other was faster
		})
	}
	w.Steer(simulator.Clients)
	if p := prove(w, "{}"); !p.Proven || p.Report.Found > 0 {
		w.Find("", "a night ended: %t, and found %v", p.Proven, p.Report.Breaks)
	}
}

// prove begins a proof, and carries it on to its end. Several segments are proven at the same time.
func prove(w *simulator.World, request string) proof {
	var begun, ended proof
	invokeReconcile(w, request, &begun)
	for w.Poll("prove", 1) {
		for range 3 {
			w.Poll("prove", 1)
		}
		w.Steer(simulator.Sources)
	}
	invokeReconcile(w, `{"proof":"`+begun.Proof+`"}`, &ended)
	return ended
}

// checkClosings compares the closings with the journal: the sums of their days, and their last balances. A merchant has
// one currency. Entries of settlements that the last night has imported are left to the next night.
func checkClosings(w *simulator.World) {
	items, booked := w.Scan(), map[string]int{}
	until := lastUntil(items)
	for _, i := range items {
		if i.Kind() != store.KindJournal || !i.Time("at").Before(until) {
			continue
		}
		for _, p := range i.List("postings") {
			booked[i.Tenant()+" "+p.Text("account")] += int(Minor(p["amount"]))
		}
	}
	checkAcquirerBook(w, items)
	closed, balances := closedSums(items, store.JournalBook)
	for what, got := range map[string]map[string]int{"sums": closed, "balances": balances} {
		if diff := cmp.Diff(booked, got); diff != "" {
			w.Find("", "the closings' %s differ from the journal: %s", what, diff)
		}
	}
}

// lastUntil returns the time before which nights have added all entries to closings.
func lastUntil(items []calls.Item) (until time.Time) {
	for _, i := range items {
		if at := i.Time("until"); i.Kind() == store.KindProof && i["night"] == true && at.After(until) {
			until = at
		}
	}
	return until
}

// closedSums returns the sums of a book's closings, and their last balances, by tenant and account.
func closedSums(items []calls.Item, of store.Book) (sums, balances map[string]int) {
	sums, balances = map[string]int{}, map[string]int{}
	last := map[string]string{} // by tenant, the last day
	for _, i := range items {
		if i.Kind() != store.KindClosing || store.Book(i.Text("book")) != of {
			continue
		}
		tenant, day := i.Tenant()+" ", i.Text("day")
		for account := range i.Object("sums") {
			sums[tenant+account] += i.Object("sums").Number(account)
		}
		if day <= last[tenant] {
			continue
		}
		last[tenant] = day
		for account := range i.Object("balances") {
			balances[tenant+account] = i.Object("balances").Number(account)
		}
	}
	return sums, balances
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
