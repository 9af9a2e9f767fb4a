package capacity_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

const capacityHead = `# What each endpoint costs at the table

` + "`make golden`" + ` makes this file. It sends each request that openapi.yaml shows, and some more, once in a warm
process. It reads the consumed capacity that the engine reports for the table and its indexes, by DynamoDB's published
rules. A test fails when a line no longer holds.

RCU and WCU are read and write capacity units. The columns list, due, history and changes show the part of the WCU that
the index of this name takes. The column relay counts the records of the table's stream that the filter passes to the
function ` + "`relay`" + `. The rate limit adds at most 0.02 writes a request, and an Idempotency-Key two writes. The
sandbox acquirer's own records belong to a counterparty and are not counted. capacity.json has the same figures for
` + "`make cost`" + `.

| request | calls | RCU | WCU | list | due | history | changes | relay | which |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---|
`

const afterUses = `
## Live payments at Stripe

The same for a live merchant, if the platform charges at Stripe. The column Stripe counts the requests that the platform
sends to Stripe. A stand-in answers these requests at once, so the rows show a course without repetitions, and say
nothing about Stripe's time ([COST.md](../infra/COST.md) assumes one). The calls and units include the platform's
records of Stripe's charges and refunds. A live refund also reads the merchant's balance. Stripe sends the notices: a
*known* payment or refund has its outcome before the notice, an *open* payment gets it by the notice. Requests that do
not ask the acquirer were not measured again. The nights' reading of Stripe's payouts was not measured.

| request | Stripe | calls | RCU | WCU | list | due | history | changes | relay | which |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
`

const afterEvents = `
## What a payment leaves in the table

The sizes are the names and values of all items, plus 100 bytes for each item of the table and of an index, by
DynamoDB's published rules. The callback is deleted 31 days after its delivery; the rest stays.

| after | items | bytes | bytes in indexes |
|---|---:|---:|---:|
`

const afterLeft = `
## The items of a typical payment

The payment has a description of 100 characters. The sizes follow DynamoDB's published rules. A write costs a unit for
each 1,024 bytes, and twice that in a transaction. The rows STRIPE are charges as the platform records them.

| item | bytes |
|---|---:|
`

// capacity collects all measurements in the form of capacity.json.
type capacity struct {
	Uses  []row
	Left  []remains
	items []itemSize // only on the page
}

// row is the use of one request or event.
type row struct {
	Name        string
	Calls       map[string]int     // to the table, by operation
	Read, Write float64            // units
	Indexes     map[string]float64 `json:",omitempty"` // of Write, by index
	Relayed     int                `json:",omitempty"` // records for relay; not counted for payouts
	Acquirer    int                `json:",omitempty"` // requests to Stripe
	inOrder     []string           // the calls in order, which may differ in another run
}

// remains are the items that an event leaves in the table.
type remains struct {
	Name                    string
	Items, Bytes, InIndexes int
}

// itemSize is the size of an item in a state.
type itemSize struct {
	Name  string
	Bytes int
}

func (c *capacity) addUse(name string, u world.Use) {
	r := row{name, map[string]int{}, u.Read, u.Write, u.Indexes, u.Relayed, u.Acquirer, u.Calls}
	for _, call := range u.Calls {
		r.Calls[call]++
	}
	c.Uses = append(c.Uses, r)
}

func (c *capacity) addRemains(name string, s size) {
	c.Left = append(c.Left, remains{name, s.items, s.bytes, s.inIndexes})
}

// addItem adds the size of an item. It fails the test if the item is larger than a write unit.
func (c *capacity) addItem(t *testing.T, name string, bytes int) {
	t.Helper()
	c.items = append(c.items, itemSize{name, bytes})
	if bytes > unitBytes {
		t.Errorf("%s: got %d bytes, want %d at most: each write of it costs twice as much", name, bytes, unitBytes)
	}
}

// renderPage returns the capacity as a page for people.
func (c *capacity) renderPage() string {
	var b strings.Builder
	b.WriteString(capacityHead)
	var live strings.Builder
	for _, u := range c.Uses {
		if name, ok := strings.CutPrefix(u.Name, atStripe); ok {
			fmt.Fprintf(&live, "| %s | %d %s |\n", name, u.Acquirer, u.columns())
		} else {
			fmt.Fprintf(&b, "| %s %s |\n", u.Name, u.columns())
		}
	}
	b.WriteString(afterUses + live.String() + afterEvents)
	for _, l := range c.Left {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", l.Name, l.Items, l.Bytes, l.InIndexes)
	}
	b.WriteString(afterLeft)
	for _, i := range c.items {
		fmt.Fprintf(&b, "| %s | %d |\n", i.Name, i.Bytes)
	}
	return b.String()
}

// columns returns the columns that each row has after its name.
func (r row) columns() string {
	return fmt.Sprintf("| %d | %g | %g | %g | %g | %g | %g | %d | %s", len(r.inOrder), r.Read, r.Write, r.Indexes["list"],
		r.Indexes["due"], r.Indexes["history"], r.Indexes["changes"], r.Relayed, r.summary())
}

// renderData returns the capacity as JSON for programs, one entry per line.
func (c *capacity) renderData(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	lines := func(name string, n int, each func(int) any) {
		fmt.Fprintf(&b, "  %q: [", name)
		for i := range n {
			text, err := json.Marshal(each(i))
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "\n    %s", text)
		}
		b.WriteString("\n  ]")
	}
	b.WriteString("{\n")
	lines("Uses", len(c.Uses), func(i int) any { return c.Uses[i] })
	b.WriteString(",\n")
	lines("Left", len(c.Left), func(i int) any { return c.Left[i] })
	b.WriteString("\n}\n")
	return b.String()
}

// summary returns the calls. If there are more than five, it returns the count of each operation, in the order of first
// occurrence.
func (r row) summary() string {
	const few = 5
	if len(r.inOrder) <= few {
		return strings.Join(r.inOrder, ", ")
	}
	var counted []string
	for i, call := range r.inOrder {
		if slices.Index(r.inOrder, call) == i {
			counted = append(counted, fmt.Sprintf("%d %s", r.Calls[call], call))
		}
	}
	return strings.Join(counted, ", ")
}
