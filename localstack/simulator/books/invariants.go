package books

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// Check checks a world at rest, and returns its records. otherLimits are the buckets that do not limit requests.
func Check(w *simulator.World, otherLimits ...string) Snapshot {
	w.ReadStream()
	b := Read(w)
	for _, id := range simulator.Sorted(b.Charges) {
		b.checkCharge(b.Charges[id])
	}
	for _, id := range simulator.Sorted(b.Transactions) {
		b.checkTransaction(b.Transactions[id])
	}
	for _, id := range simulator.Sorted(b.Checkouts) {
		b.checkCheckout(b.Checkouts[id])
	}
	b.checkStripe()
	b.checkReferences()
	b.checkReplies()
	b.checkBrowsers()
	b.checkCallbacks()
	b.checkMails()
	b.checkBuckets(otherLimits)
	b.checkRecords()
	b.CheckMoney()
	b.checkSteps()
	b.checkRefundReplies()
	b.scheduleViewChecks()
	CheckLog(w)
	return b
}

// checkCharge checks that the acquirer has one capture for each approved charge, none for others, and no open charge.
func (b Snapshot) checkCharge(c calls.Item) {
	id, checkout, decision := c.Text("id"), c.Text("checkout_id"), c.Text("decision")
	want, verification := 0, c["verification"] == true
	if decision == "approved" && !verification {
		want = 1
	}
	if b.captures[id] != want {
		b.Find(checkout, "%s charge %s has %d captures", decision, id, b.captures[id])
	}
	switch decision {
	case "approved", "declined":
		t, ok := b.Transactions[id]
		same := sameAmount(t["amount"], c["amount"])
		if verification { // its transaction has the amount zero (contract §4.6)
			same = Minor(t["amount"]) == 0
		}
		if !ok {
			b.Find(checkout, "%s charge %s has no transaction", decision, id)
		} else if t.Text("checkout_id") != checkout || !same {
			b.Find(checkout, "charge %s of %v and its transaction of %v for %s differ", id, c["amount"], t["amount"],
				t.Text("checkout_id"))
		}
	case "cancelled":
	default:
		b.Find(checkout, "charge %s is left %s", id, decision)
	}
}

// allowedDecisions lists the acquirer's possible decisions, by a transaction's status.
var allowedDecisions = map[string][]string{
	"SUCCESSFUL": {"approved"}, "FAILED": {"declined", "cancelled"}, "CANCELLED": {"cancelled"},
}

// checkTransaction checks that a transaction agrees with the acquirer's records.
func (b Snapshot) checkTransaction(t calls.Item) {
	checkout, status := t.Text("checkout_id"), t.Text("status")
	decision := b.Charges[t.Text("id")].Text("decision")
	live := calls.Partition(t.Text("pk")).Tenant.Mode == identity.Live
	if live && b.Stripe == nil && decision == "" && status == "FAILED" {
		return // no acquirer charges live cards here (contract §12)
	}
	if !slices.Contains(allowedDecisions[status], decision) {
		b.Find(checkout, "transaction %s is %s, its charge %q", t.Text("id"), status, decision)
	}
}

// checkCheckout checks that a PAID checkout has one approved charge, of the checkout's amount, and that any other
// checkout has none. The checkout must show the status of each of its transactions, and have no open attempt.
func (b Snapshot) checkCheckout(c calls.Item) {
	id, status := c.Text("id"), c.Text("status")
	approved := slices.DeleteFunc(filterItems(b.Charges, "checkout_id", id), func(charge calls.Item) bool {
		return charge.Text("decision") != "approved"
	})
	if want := map[bool]int{true: 1}[status == "PAID"]; len(approved) != want {
		b.Find(id, "%s with %d approved charges", status, len(approved))
	}
	for _, charge := range approved {
		if !sameAmount(charge["amount"], c["amount"]) {
			b.Find(id, "charged %v instead of %v", charge["amount"], c["amount"])
		}
	}
	for _, shown := range c.List("transactions") {
		if t := b.Transactions[shown.Text("id")]; t.Text("status") != shown.Text("status") {
			b.Find(id, "shows transaction %s as %s, which is %q", shown.Text("id"), shown.Text("status"), t.Text("status"))
		}
	}
	if state := c.Object("attempt").Text("state"); state != "" && state != "closed" {
		b.Find(id, "an attempt is left %s", state)
	}
}

// sameAmount compares stored amounts. Printing sorts their members.
func sameAmount(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// checkReferences checks that no two checkouts share a reference.
func (b Snapshot) checkReferences() {
	owners := map[string]string{}
	for _, id := range simulator.Sorted(b.Checkouts) {
		if AtReader(b.Checkouts[id]) { // it has no reference
			continue
		}
		name := b.Checkouts[id].Tenant() + " " + b.Checkouts[id].Text("reference")
		if other := owners[name]; other != "" {
			b.Find(id, "has the reference of %s", other)
		}
		owners[name] = id
	}
}

// checkReplies checks that answers to clients stay true, and that replays repeat them.
func (b Snapshot) checkReplies() {
	made, cut := map[string][]string{}, map[string]bool{} // cut: a function died, perhaps after it stored its answer
	for _, r := range b.Replies {
		if !r.Replayed() {
			made[r.Keyed()] = append(made[r.Keyed()], withheld.ReplaceAllString(string(r.Response.Body), ""))
			cut[r.Keyed()] = cut[r.Keyed()] || r.Status >= 500
		}
	}
	replays := map[string]string{}
	for _, r := range b.Replies {
		if v := r.View(); r.Received && v.ID != "" {
			b.checkAnswer(r, v)
		}
		if !r.Replayed() {
			continue
		}
		if id := checkoutOf(r); id != "" && r.Status == 409 && r.View().ErrorCode == "CONFLICT" {
			b.Find(id, "a conflict with what was running then is kept under %q", r.IdempotencyKey)
		}
		body := string(r.Response.Body)
		if first, seen := replays[r.Keyed()]; seen && first != body {
			b.Find(r.View().ID, "two replays under %q differ: %s and %s", r.IdempotencyKey, first, body)
		}
		replays[r.Keyed()] = body
		if !cut[r.Keyed()] && !slices.Contains(made[r.Keyed()], body) {
			b.Find(r.View().ID, "replay under %q of what was never answered: %s", r.IdempotencyKey, body)
		}
	}
	b.checkCreations()
}

// withheld matches the members that a replay leaves out (contract §2.8): a secret, or a link.
var withheld = regexp.MustCompile(`"plaintext":"[^"]*",?|,"plaintext":"[^"]*"|,"upload":\{[^{}]*\{[^{}]*\}[^{}]*\}`)

// checkoutOf returns the id of the checkout that the request is about, or "".
func checkoutOf(r *simulator.Reply) string {
	_, rest, _ := strings.Cut(r.Path, "/v0.1/checkouts/")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// checkAnswer checks that an answered checkout exists, and is in the final state that the answer shows.
func (b Snapshot) checkAnswer(r *simulator.Reply, v simulator.View) {
	if !strings.HasPrefix(r.Path, "/v0.1/checkouts") || strings.Contains(r.Path, "?") {
		return
	}
	c, exists := b.Checkouts[v.ID]
	if !exists {
		b.Find(v.ID, "was answered, but does not exist")
		return
	}
	switch v.Status {
	case "PAID":
		if final := c.Text("status"); final != "PAID" || b.Transactions[v.TransactionID].Text("status") != "SUCCESSFUL" {
			b.Find(v.ID, "was answered as PAID by %s, and is %s", v.TransactionID, final)
		}
	case "EXPIRED":
		// If clocks differ, one process may answer EXPIRED earlier than another process would.
		if c.Text("status") != "EXPIRED" && !b.FaultProfile.Skews {
			b.Find(v.ID, "was answered as EXPIRED, and is %s", c.Text("status"))
		}
	}
}

// checkCreations checks that each Idempotency-Key created one checkout.
func (b Snapshot) checkCreations() {
	ids := map[string]string{}
	for _, r := range b.Replies {
		if r.Status != 201 || r.Method != "POST" || r.Path != "/v0.1/checkouts" || r.IdempotencyKey == "" {
			continue
		}
		key, id := r.Keyed(), r.View().ID
		if first := ids[key]; first != "" && first != id {
			b.Find(id, "was created under the key of %s", first)
		}
		ids[key] = id
	}
}

type outcome struct{ checkout, status string } // a change of status that needs a callback

// checkCallbacks checks that each change of status in the stream has one callback id, and that there are no other
// callbacks.
func (b Snapshot) checkCallbacks() {
	owed := map[outcome]int{}
	before := items{}
	for _, now := range b.images("CHECKOUT") {
		id := now.Text("id")
		if status := outcomeBetween(before[id], now); status != "" && now.Text("return_url") != "" {
			owed[outcome{id, status}]++
		}
		before[id] = now
	}
	b.addChargebacks(owed)
	written, seen := map[outcome]int{}, map[string]bool{}
	for _, c := range b.images("CALLBACK") {
		if !seen[c.Text("id")] {
			seen[c.Text("id")] = true
			written[outcome{c.Text("checkout_id"), c.Text("status")}]++
		}
	}
	all := slices.AppendSeq(slices.Collect(maps.Keys(owed)), maps.Keys(written))
	slices.SortFunc(all, func(a, b outcome) int {
		return cmp.Or(cmp.Compare(a.checkout, b.checkout), cmp.Compare(a.status, b.status))
	})
	for _, o := range slices.Compact(all) {
		if owed[o] != written[o] {
			b.Find(o.checkout, "became %s %d times, with %d callbacks", o.status, owed[o], written[o])
		}
	}
	b.checkDeliveries(seen)
}

func (b Snapshot) checkDeliveries(written map[string]bool) {
	delivered := map[string]bool{}
	for _, d := range b.Received {
		c := b.callbacks[d.ID]
		if d.Transaction != "" {
			d.Checkout = b.checkReaderCallback(d)
		}
		if !written[d.ID] {
			b.Find(d.Checkout, "callback %s was invented", d.ID)
		} else if c != nil && (c.Text("checkout_id") != d.Checkout || c.Text("url") != d.URL) {
			b.Find(d.Checkout, "callback %s went astray", d.ID)
		}
		delivered[d.ID] = true
	}
	for _, id := range simulator.Sorted(written) {
		if !delivered[id] {
			b.Find(b.callbacks[id].Text("checkout_id"), "callback %s never arrived", id)
		}
	}
}

// outcomeBetween returns the status that a change must report by a callback, or "". A FAILED checkout reports each
// failed attempt.
func outcomeBetween(before, now calls.Item) string {
	status := now.Text("status")
	switch {
	case status == "FAILED" && failures(now) > failures(before):
		return status
	case (status == "PAID" || status == "EXPIRED") && before.Text("status") != status:
		return status
	default:
		return ""
	}
}

func failures(c calls.Item) (n int) {
	for _, t := range c.List("transactions") {
		if t.Text("status") == "FAILED" || AtReader(c) && t.Text("status") == "CANCELLED" {
			n++
		}
	}
	return n
}

// checkBuckets checks that a rate bucket is never overdrawn by more than its burst. It also checks that no update moves
// back full_at, the time when the bucket is full again.
func (b Snapshot) checkBuckets(otherLimits []string) {
	limit, tolerance := 500*time.Second/100, 2*simulator.MaxSkew // clocks differ
	if b.FaultProfile.LowLimits {
		limit = time.Duration(simulator.LowLimits.Burst) * time.Second / time.Duration(simulator.LowLimits.Rate)
		tolerance = time.Second // the stream's times are in whole seconds
		if b.FaultProfile.Skews {
			tolerance += simulator.MaxSkew
		}
	}
	full := map[string]int64{}
	for _, c := range b.Changes {
		i := c.Image()
		if i.Text("sk") != "RATE" || slices.Contains(otherLimits, calls.Partition(i.Text("pk")).Last) {
			continue
		}
		pk := i.Text("pk")
		at, err := strconv.ParseInt(i.Text("full_at"), 10, 64)
		if err != nil {
			b.Find("", "rate bucket full at %q", i.Text("full_at"))
		}
		if c.EventName == "MODIFY" && at < full[pk] {
			b.Find("", "bucket %s was given tokens back: full at %v, before at %v", pk, time.UnixMicro(at).UTC(),
				time.UnixMicro(full[pk]).UTC())
		}
		if owed := time.UnixMicro(at).Sub(c.Change.ApproximateCreationDateTime.Time); owed > limit+tolerance {
			b.Find("", "bucket %s is overdrawn by %v, its burst is %v", pk, owed, limit)
		}
		full[pk] = at
	}
}

// CheckLog checks that functions never logged an impossible state.
func CheckLog(w *simulator.World) {
	w.FindLogged("approved charge on a closed attempt", "panic", "malformed message")
}

// AtReader returns true if a checkout is paid at a card reader.
func AtReader(checkout calls.Item) bool { return checkout.Object("reader") != nil }

// checkReaderCallback checks that the callback names the outcome of its transaction. It returns the checkout.
func (b Snapshot) checkReaderCallback(d simulator.Delivery) string {
	t := b.Transactions[d.Transaction]
	checkout := t.Text("checkout_id")
	if want := map[bool]string{true: "successful", false: "failed"}[t.Text("status") == "SUCCESSFUL"]; d.Status != want {
		b.Find(checkout, "callback %s says %q of a transaction that is %s", d.ID, d.Status, t.Text("status"))
	}
	return checkout
}

// images returns all states of all items that have the given sort key, in the order of the changes.
func (b Snapshot) images(sort string) (images []calls.Item) {
	for _, c := range b.Changes {
		if i := c.Image(); i.Text("sk") == sort {
			images = append(images, i)
		}
	}
	return images
}
