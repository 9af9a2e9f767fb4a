package books

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/localstack/simulator"
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
// one call finds. No night may find a break. In the end the closings must have each entry of the journal once.
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
	checkClosings(w)
}

// Night lets the run of the schedule prove what has changed. The schedule calls twice at the same time, and then once
// more, so that messages come twice.
func Night(w *simulator.World) {
	for n := range 2 {
		actor := fmt.Sprint("auditor-", n)
		w.Go(simulator.Clients, func() {
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
// one currency.
func checkClosings(w *simulator.World) {
	booked, closed, balances := map[string]int{}, map[string]int{}, map[string]int{}
	last := map[string]string{} // by tenant, the last day
	for _, i := range w.Scan() {
		of := i.Tenant() + " "
		switch i.Kind() {
		case store.KindJournal:
			for _, p := range i.List("postings") {
				booked[of+p.Text("account")] += int(Minor(p["amount"]))
			}
		case store.KindClosing:
			for account := range i.Object("sums") {
				closed[of+account] += i.Object("sums").Number(account)
			}
			if day := i.Text("day"); day > last[of] {
				last[of] = day
				for account := range i.Object("balances") {
					balances[of+account] = i.Object("balances").Number(account)
				}
			}
		}
	}
	for what, got := range map[string]map[string]int{"sums": closed, "balances": balances} {
		if diff := cmp.Diff(booked, got); diff != "" {
			w.Find("", "the closings' %s differ from the journal: %s", what, diff)
		}
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
