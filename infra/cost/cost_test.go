package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/golden"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

const (
	measuredFile = "../../functions/capacity.json"
	costFile     = "../COST.md"
)

// pageHead is the text of COST.md before the printed report.
const pageHead = `# What a million payments cost

Printed by ` + "`make cost`" +
	` from [what was measured](../functions/CAPACITY.md) and list prices as known in 2025, without free tiers and
taxes, and written here by ` + "`make golden`" +
	`. *units of one* is the formula for one payment: it is created, paid by card and read
once, its callback is delivered, and it is paid out with 31 others. Other prices or assumptions: ` +
	"`go run ./infra/cost -price\ndynamodb.write=0.0000005 -assume acquirer=400`" +
	`. The acquirer's own fee is not in it. The tables *at Stripe* have what
live payments there take in addition. Their calls, items and requests were measured at a stand-in for Stripe. Stripe's
times are the assumptions *acquirer* and *acquirer.request*, which nothing has tested. What to read in it: chapter
*Cost* of the [operating guide](README.md#cost).

`

func runReport(t *testing.T, arguments ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(append([]string{"-capacity", measuredFile}, arguments...), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestReport_Page checks that COST.md has the current report, so that its numbers follow the code.
func TestReport_Page(t *testing.T) {
	t.Parallel()
	golden.Check(t, costFile, pageHead+runReport(t))
}

// measured returns a measurement with small numbers, so that costs can be computed by hand. Each request writes 1 unit,
// reads 2 and makes 3 calls. Each request about a payment at Stripe also makes 3 requests to Stripe.
func measured() string {
	var uses, remain []string
	for _, name := range needed {
		asked := 0
		if strings.HasPrefix(name, "at Stripe: ") {
			asked = 3
		}
		uses = append(uses, `{"Name":"`+name+`","Calls":{"GetItem":1,"Query":1,"PutItem":1},`+
			`"Read":2,"Write":1,"Indexes":{"list":1,"due":1,"history":1},"Acquirer":`+strconv.Itoa(asked)+`}`)
	}
	for _, name := range neededLeft {
		remain = append(remain, `{"Name":"`+name+`","Items":1,"Bytes":3200,"InIndexes":320}`)
	}
	return `{"Uses":[` + strings.Join(uses, ",") + `],"Left":[` + strings.Join(remain, ",") + `]}`
}

func newBasis(t *testing.T, text string) basis {
	t.Helper()
	found, err := readCapacity([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return basis{prices(), assumptions(), found}
}

func TestReport_ByHand(t *testing.T) {
	t.Parallel()
	b := newBasis(t, measured())
	// Three requests and the callback write 1 unit each, the payout and two nights add a 32nd of a unit each, and three
	// leases take 0.02 units each. A million units cost 0.625 dollars.
	want := (4 + 3.0/32 + 0.06) * 0.625
	if got := b.running()[0]; got.what != "DynamoDB writes" || differs(got.dollars[0], want) {
		t.Errorf("got %s %v, want DynamoDB writes %v", got.what, got.dollars, want)
	}
	// After a payment 3,200 + 2 × 3,200/32 + 320 + 2 × 320/32 bytes stay stored, so after a million payments 3.74 GB.
	if got := b.kept()[0]; differs(got.dollars[0], 3.74*0.25) {
		t.Errorf("%s: got %v, want %v", got.what, got.dollars, 3.74*0.25)
	}
	limits, err := b.limits()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, l := range limits {
		if i > 0 && int(l.perSecond) < int(limits[i-1].perSecond) {
			t.Errorf("%s: got %v after %v, want rising limits", l.what, l.perSecond, limits[i-1].perSecond)
		}
		switch l.what {
		case "the table's quota": // created, charged, callback delivered: 3 units
			found++
			if differs(l.perSecond, 40000.0/3) {
				t.Errorf("%s: got %v, want %v", l.what, l.perSecond, 40000.0/3)
			}
		case "one shard of a merchant's list":
			found++
			if differs(l.perSecond, 1000.0/3) {
				t.Errorf("%s: got %v, want %v", l.what, l.perSecond, 1000.0/3)
			}
		}
	}
	if found != 2 {
		t.Errorf("got %d limits, want 2", found)
	}
}

// TestLimits_Guide checks that the guide has the printed limits, in the same order.
func TestLimits_Guide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(guide), "\n## Limits, and growth ")
	chapter, _, _ = strings.Cut(chapter, "\nWhat is not in the table, ")
	var got []string
	for _, heading := range regexp.MustCompile(`(?m)^\d+\. \*\*([^*]+)\*\*`).FindAllStringSubmatch(chapter, -1) {
		got = append(got, regexp.MustCompile(`[\d,]*\d`).FindAllString(heading[1], -1)...)
	}
	text, err := os.ReadFile(measuredFile)
	if err != nil {
		t.Fatal(err)
	}
	limits, err := newBasis(t, string(text)).limits()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, l := range limits {
		want = append(want, regexp.MustCompile(`(\d)(\d{3})$`).ReplaceAllString(fmt.Sprintf("%.0f", l.perSecond), "$1,$2"))
	}
	want = slices.Compact(want)
	want = want[:len(want)-1] // without the last: the merchant's own item is a lower limit than all shards
	if !slices.Equal(got, want) {
		t.Errorf("got the limits %v in the guide, want %v", got, want)
	}
}

func differs(got, want float64) (not bool) { return got < want*0.999999 || got > want*1.000001 }

func TestBasis_Calls(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(measured(), `"GetItem":1,"Query":1,"PutItem":1}`,
		`"BatchGetItem":2,"TransactGetItems":1,"Query":14,"TransactWriteItems":8,"UpdateItem":2},"Relayed":3`)
	b := newBasis(t, text)
	if u := b.measured.uses[create]; u.calls != 27 || u.relayed != 3 {
		t.Errorf("got %v calls and %v records for relay; want 27 and 3", u.calls, u.relayed)
	}
	// Three requests and the callback are 4 calls. Each of the 4 writes 3 records for relay, and the payout and two
	// nights add a 32nd of their 3 records each. Each record is one more call.
	if calls, _, _ := b.lambda(); differs(calls, 4+3*(4+3.0/32)) {
		t.Errorf("got %v calls of functions, want %v", calls, 4+3*(4+3.0/32))
	}
}

// maxDollars is the goal for a million payments in us-east-1, without edge and fixed costs.
const maxDollars = 35

func TestBasis_Goal(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(measuredFile)
	if err != nil {
		t.Fatal(err)
	}
	got := 0.0
	for _, l := range newBasis(t, string(text)).running() {
		got += l.dollars[0]
	}
	if got > maxDollars {
		t.Errorf("got $%.2f for a million payments, want at most $%d", got, maxDollars)
	}
}

// TestAssumptions_LogBytes measures the log of a payment that is created, charged and read, with its callback and its
// metrics. Lambda's own lines are switched off, by infra/functions.go.
func TestAssumptions_LogBytes(t *testing.T) {
	t.Parallel()
	got := measureLog(world.NewShop(t).WithCallbacks(), func(string) {})
	checkAssumption(t, got, "log.payment")
}

// measureLog returns the bytes that a payment logs. It calls after with each checkout that is paid.
func measureLog(shop world.Shop, after func(checkout string)) float64 {
	shop.Helper()
	before := countLogged(shop)
	for range loggedPayments {
		id := shop.Create("10", nil)
		shop.Pay(id, shop.Card(world.Frictionless))
		shop.Do(world.Request{Method: "GET", Path: "/v0.1/checkouts/" + id})
		after(id)
		for shop.Relay() > 0 { // in one batch, callbacks of one merchant would wait for each other
		}
	}
	if got := len(shop.Receiver.Deliveries()); got != loggedPayments {
		shop.Fatalf("got %d callbacks, want %d", got, loggedPayments)
	}
	return float64(countLogged(shop)-before) / loggedPayments
}

// loggedPayments is the number of payments that measureLog makes.
const loggedPayments = 10

// countLogged returns the bytes of all lines, each with its commit as in a deployment.
func countLogged(shop world.Shop) int {
	return len(shop.Logs.String()) + len(shop.Metrics.String()) +
		strings.Count(shop.Logs.String(), "\n")*len(`,"commit":"0123456789ab"`)
}

// checkAssumption checks that a measured number of bytes is the sum of the assumptions or a little less.
func checkAssumption(t *testing.T, got float64, names ...string) {
	t.Helper()
	assumed := 0.0
	for _, name := range names {
		assumed += assumptions().value(name)
	}
	if got > assumed || got < assumed*0.85 {
		t.Errorf("got %.0f bytes, want the assumed %.0f or a little less", got, assumed)
	}
}

func TestReadCapacity_MissingMember(t *testing.T) {
	t.Parallel()
	for _, name := range append(append([]string{}, needed...), neededLeft...) {
		text := strings.Replace(measured(), `"`+name+`"`, `"something else"`, 1)
		if _, err := readCapacity([]byte(text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got error %v, want %q in it", err, name)
		}
	}
	if _, err := readCapacity([]byte(strings.Replace(measured(), `"Read":2`, `"Read":"many"`, 1))); err == nil {
		t.Error("a text instead of a number: got no error, want one")
	}
}

func TestRun_PricesAndAssumptions(t *testing.T) {
	t.Parallel()
	free := runReport(t, "-price", "dynamodb.write=0", "-assume", "acquirer=400")
	for _, want := range []string{" | $0.00 | $0.00 |\n| DynamoDB reads", "+ 710 ms)"} {
		if strings.Contains(runReport(t), want) || !strings.Contains(free, want) {
			t.Errorf("got\n%s\nwant %q in it, and not in\n%s", free, want, runReport(t))
		}
	}
	for _, wrong := range [][]string{
		{"-price", "gold=1"}, {"-price", "dynamodb.write"}, {"-price", "dynamodb.write=-1"}, {"-price", "dynamodb.write=NaN"},
		{"-assume", "luck=1"}, {"-capacity", "nothing"},
	} {
		if err := run(append([]string{"-capacity", measuredFile}, wrong...), io.Discard, io.Discard); err == nil {
			t.Errorf("%v: got no error, want one", wrong)
		}
	}
}

func TestLimits_NothingTaken(t *testing.T) {
	t.Parallel()
	b := newBasis(t, strings.ReplaceAll(measured(), `"due":1`, `"due":0`))
	if _, err := b.report(); err == nil {
		t.Error("a due index that takes nothing: got no error, want one")
	}
}
