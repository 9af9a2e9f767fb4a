package books

import (
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/store"
)

// isSettlement returns true for an imported line of a settlement.
func isSettlement(i calls.Item) bool {
	return i.Kind() == store.KindStatement && i.Text("kind") == "settlement"
}

// grossOf returns what a settlement settles, in minor units: what the bank got, and what the acquirer kept.
func grossOf(settlement calls.Item) int64 {
	return Minor(settlement["amount"]) + Minor(settlement["fee"]) + Minor(settlement["reserve"])
}

// settlementSums has the sums of a tenant's movements that are available on a day, in minor units.
type settlementSums struct{ Gross, Fee int64 }

// CheckSettlements compares the imported settlements with the sandbox's movements. It also reports a settlement that
// the sandbox had booked by the last import and that was not imported. The sandbox makes the movements of a UTC day
// available on the next day, and settles them at the end of that day, less 1 % of each capture.
func (b Snapshot) CheckSettlements() {
	want, got := map[string]settlementSums{}, map[string]settlementSums{}
	for _, charge := range simulator.Sorted(b.moved) {
		for _, m := range b.moved[charge] {
			on := m.Time("moved_at").UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
			sign, fee := int64(-1), int64(0)
			if m.Text("kind") == "capture" {
				sign, fee = 1, percentOf(Minor(m["amount"]))
			}
			name := fmt.Sprint(m.Text("tenant"), " ", currencyOf(m["amount"]), " ", on.Format(time.DateOnly))
			want[name] = settlementSums{want[name].Gross + sign*Minor(m["amount"]), want[name].Fee + fee}
		}
	}
	var imported time.Time
	for _, i := range b.Items {
		if i.Kind() == store.KindProof && i.Text("sk") == "IMPORTS" {
			imported = i.Time("at")
		}
		if isSettlement(i) {
			name := fmt.Sprint(i.Tenant(), " ", currencyOf(i["amount"]), " ", i.Text("available_on"))
			got[name] = settlementSums{got[name].Gross + grossOf(i), got[name].Fee + Minor(i["fee"])}
		}
	}
	for _, name := range simulator.Sorted(got) {
		if got[name] != want[name] {
			b.Find("", "the settlement %s is %+v, the movements are %+v", name, got[name], want[name])
		}
	}
	for _, name := range simulator.Sorted(want) {
		on, err := time.Parse(time.DateOnly, name[len(name)-len(time.DateOnly):])
		booked := err == nil && !on.Add(24*time.Hour).After(imported)
		if _, settled := got[name]; booked && !settled && want[name] != (settlementSums{}) {
			b.Find("", "the settlement %s of %+v was not imported until %s", name, want[name], imported)
		}
	}
	if len(got) == 0 {
		b.Find("", "no settlement was imported until %s of the movements %+v", imported, want)
	}
}

// percentOf returns 1 % of an amount in minor units, rounded half to even.
func percentOf(minor int64) int64 {
	percent, rest := minor/100, minor%100
	if rest > 50 || rest == 50 && percent%2 == 1 {
		percent++
	}
	return percent
}

// acquirerSums returns what the acquirer is to settle, and may withhold as fees, by all imported lines.
func acquirerSums(items []calls.Item) map[string]int {
	sums := map[string]int{}
	for _, i := range items {
		if i.Kind() != store.KindStatement || i.Text("available_on") == "" {
			continue
		}
		available, fees := i.Tenant()+" acquirer_available", i.Tenant()+" acquirer_fees_available"
		amount, fee := int(Minor(i["amount"])), int(Minor(i["fee"]))
		switch {
		case isSettlement(i):
			amount, fee = -int(grossOf(i)), -fee
		case i.Text("kind") != "capture":
			amount = -amount
		}
		sums[available], sums[fees] = sums[available]+amount, sums[fees]+fee
	}
	return sums
}

// checkAcquirerBook compares the closings of what the acquirer is to settle with all lines that were imported.
func checkAcquirerBook(w *simulator.World, items []calls.Item) {
	sums, balances := closedSums(items, store.AcquirerBook)
	want := acquirerSums(items)
	for what, got := range map[string]map[string]int{"sums": sums, "balances": balances} {
		if diff := cmp.Diff(want, got); diff != "" {
			w.Find("", "the %s of what the acquirer is to settle differ from its statement: %s", what, diff)
		}
	}
}
