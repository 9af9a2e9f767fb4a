package simulator

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// checkBooks checks a world at rest, and returns its records. otherLimits are the buckets that limit something else than
// requests.
func checkBooks(w *World, otherLimits ...string) snapshot {
	w.readStream()
	b := readBooks(w)
	for _, id := range sorted(b.charges) {
		b.checkCharge(b.charges[id])
	}
	for _, id := range sorted(b.transactions) {
		b.checkTransaction(b.transactions[id])
	}
	for _, id := range sorted(b.checkouts) {
		b.checkCheckout(b.checkouts[id])
	}
	b.checkReferences()
	b.checkReplies()
	b.checkBrowsers()
	b.checkCallbacks()
	b.checkMails()
	b.checkBuckets(otherLimits)
	b.checkRecords()
	b.checkMoney()
	b.checkSteps()
	b.checkRefundReplies()
	b.noteClientViews()
	checkLog(w)
	return b
}

// checkCharge: at the acquirer, one capture for each approved charge and none
// for any other; and nothing waits there that does not wait here.
func (b snapshot) checkCharge(c item) {
	id, checkout, decision := c.text("id"), c.text("checkout_id"), c.text("decision")
	want, verification := 0, c["verification"] == true
	if decision == "approved" && !verification {
		want = 1
	}
	if b.captures[id] != want {
		b.find(checkout, "%s charge %s has %d captures", decision, id, b.captures[id])
	}
	switch decision {
	case "approved", "declined":
		t, ok := b.transactions[id]
		same := sameAmount(t["amount"], c["amount"])
		if verification { // whose transaction is of nothing (contract §4.6)
			same = minor(t["amount"]) == 0
		}
		if !ok {
			b.find(checkout, "%s charge %s has no transaction", decision, id)
		} else if t.text("checkout_id") != checkout || !same {
			b.find(checkout, "charge %s of %v and its transaction of %v for %s differ", id, c["amount"], t["amount"],
				t.text("checkout_id"))
		}
	case "cancelled":
	default:
		b.find(checkout, "charge %s is left %s", id, decision)
	}
}

// agreed are the decisions of the acquirer by a transaction's status.
var agreed = map[string][]string{
	"SUCCESSFUL": {"approved"}, "FAILED": {"declined", "cancelled"}, "CANCELLED": {"cancelled"},
}

// checkTransaction: each agrees with the acquirer's records.
func (b snapshot) checkTransaction(t item) {
	checkout, status := t.text("checkout_id"), t.text("status")
	decision := b.charges[t.text("id")].text("decision")
	if live := partition(t.text("pk")).Tenant.Mode == identity.Live; live && decision == "" && status == "FAILED" {
		return // no acquirer charges live cards here (contract §12)
	}
	if !slices.Contains(agreed[status], decision) {
		b.find(checkout, "transaction %s is %s, its charge %q", t.text("id"), status, decision)
	}
}

// checkCheckout: PAID means exactly one approved charge of its amount; no
// other state has one. What it shows of its transactions is true. Nothing is
// left open.
func (b snapshot) checkCheckout(c item) {
	id, status := c.text("id"), c.text("status")
	approved := slices.DeleteFunc(where(b.charges, "checkout_id", id), func(charge item) bool {
		return charge.text("decision") != "approved"
	})
	if want := map[bool]int{true: 1}[status == "PAID"]; len(approved) != want {
		b.find(id, "%s with %d approved charges", status, len(approved))
	}
	for _, charge := range approved {
		if !sameAmount(charge["amount"], c["amount"]) {
			b.find(id, "charged %v instead of %v", charge["amount"], c["amount"])
		}
	}
	for _, shown := range c.list("transactions") {
		if t := b.transactions[shown.text("id")]; t.text("status") != shown.text("status") {
			b.find(id, "shows transaction %s as %s, which is %q", shown.text("id"), shown.text("status"), t.text("status"))
		}
	}
	if state := c.object("attempt").text("state"); state != "" && state != "closed" {
		b.find(id, "an attempt is left %s", state)
	}
}

// sameAmount compares stored amounts, which are printed in the order of their members.
func sameAmount(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// checkReferences: two checkouts never share one.
func (b snapshot) checkReferences() {
	owners := map[string]string{}
	for _, id := range sorted(b.checkouts) {
		if atReader(b.checkouts[id]) { // it has none
			continue
		}
		name := b.checkouts[id].tenant() + " " + b.checkouts[id].text("reference")
		if other := owners[name]; other != "" {
			b.find(id, "has the reference of %s", other)
		}
		owners[name] = id
	}
}

// checkReplies: what clients were answered stays true, and replays repeat it.
func (b snapshot) checkReplies() {
	made, cut := map[string][]string{}, map[string]bool{} // cut: a function died, perhaps after it stored its answer
	for _, r := range b.replies {
		if !r.replayed() {
			made[r.keyed()] = append(made[r.keyed()], withoutSecret(r.response.Body))
			cut[r.keyed()] = cut[r.keyed()] || r.Status >= 500
		}
	}
	replays := map[string]string{}
	for _, r := range b.replies {
		if v := r.view(); r.received && !r.fromBrowser() && v.ID != "" {
			b.checkAnswer(r, v)
		}
		if !r.replayed() {
			continue
		}
		if id := checkoutOf(r); id != "" && r.Status == 409 && r.view().ErrorCode == "CONFLICT" {
			b.find(id, "a conflict with what was running then is kept under %q", r.IdempotencyKey)
		}
		body := string(r.response.Body)
		if first, seen := replays[r.keyed()]; seen && first != body {
			b.find(r.view().ID, "two replays under %q differ: %s and %s", r.IdempotencyKey, first, body)
		}
		replays[r.keyed()] = body
		if !cut[r.keyed()] && !slices.Contains(made[r.keyed()], body) {
			b.find(r.view().ID, "replay under %q of what was never answered: %s", r.IdempotencyKey, body)
		}
	}
	b.checkCreations()
}

// plaintext is the member of a reply that a replay leaves out (contract §2.8): a secret, or a link.
var plaintext = regexp.MustCompile(`"plaintext":"[^"]*",?|,"plaintext":"[^"]*"|,"upload":\{[^{}]*\{[^{}]*\}[^{}]*\}`)

func withoutSecret(body []byte) string { return plaintext.ReplaceAllString(string(body), "") }

// checkoutOf returns the id of the checkout that the request is about, or "".
func checkoutOf(r *reply) string {
	_, rest, _ := strings.Cut(r.Path, "/v0.1/checkouts/")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// checkAnswer: a checkout that was answered exists, and final states are.
func (b snapshot) checkAnswer(r *reply, v view) {
	if !strings.HasPrefix(r.Path, "/v0.1/checkouts") || strings.Contains(r.Path, "?") {
		return
	}
	c, exists := b.checkouts[v.ID]
	if !exists {
		b.find(v.ID, "was answered, but does not exist")
		return
	}
	switch v.Status {
	case "PAID":
		if final := c.text("status"); final != "PAID" || b.transactions[v.TransactionID].text("status") != "SUCCESSFUL" {
			b.find(v.ID, "was answered as PAID by %s, and is %s", v.TransactionID, final)
		}
	case "EXPIRED":
		// Where clocks differ, one process answers so before another would.
		if c.text("status") != "EXPIRED" && !b.faultProfile.skews {
			b.find(v.ID, "was answered as EXPIRED, and is %s", c.text("status"))
		}
	}
}

// checkCreations: one key, one checkout.
func (b snapshot) checkCreations() {
	ids := map[string]string{}
	for _, r := range b.replies {
		if r.Status != 201 || r.Method != "POST" || r.Path != "/v0.1/checkouts" || r.IdempotencyKey == "" {
			continue
		}
		key, id := r.keyed(), r.view().ID
		if first := ids[key]; first != "" && first != id {
			b.find(id, "was created under the key of %s", first)
		}
		ids[key] = id
	}
}

// outcome is a change of status that must be called back.
type outcome struct{ checkout, status string }

// checkCallbacks: the stream's records show which status changes there
// were; each was called back under one id, and nothing else was.
func (b snapshot) checkCallbacks() {
	owed := map[outcome]int{}
	before := map[string]item{}
	for _, now := range b.images("CHECKOUT") {
		id := now.text("id")
		if status := outcomeBetween(before[id], now); status != "" && now.text("return_url") != "" {
			owed[outcome{id, status}]++
		}
		before[id] = now
	}
	b.addChargebacks(owed)
	written, seen := map[outcome]int{}, map[string]bool{}
	for _, c := range b.images("CALLBACK") {
		if !seen[c.text("id")] {
			seen[c.text("id")] = true
			written[outcome{c.text("checkout_id"), c.text("status")}]++
		}
	}
	all := slices.AppendSeq(slices.Collect(maps.Keys(owed)), maps.Keys(written))
	slices.SortFunc(all, func(a, b outcome) int {
		return cmp.Or(cmp.Compare(a.checkout, b.checkout), cmp.Compare(a.status, b.status))
	})
	for _, o := range slices.Compact(all) {
		if owed[o] != written[o] {
			b.find(o.checkout, "became %s %d times, with %d callbacks", o.status, owed[o], written[o])
		}
	}
	b.checkDeliveries(seen)
}

func (b snapshot) checkDeliveries(written map[string]bool) {
	delivered := map[string]bool{}
	for _, d := range b.received {
		c := b.callbacks[d.ID]
		if d.transaction != "" {
			d.Checkout = b.checkReaderCallback(d)
		}
		if !written[d.ID] {
			b.find(d.Checkout, "callback %s was invented", d.ID)
		} else if c != nil && (c.text("checkout_id") != d.Checkout || c.text("url") != d.URL) {
			b.find(d.Checkout, "callback %s went astray", d.ID)
		}
		delivered[d.ID] = true
	}
	for _, id := range sorted(written) {
		if !delivered[id] {
			b.find(b.callbacks[id].text("checkout_id"), "callback %s never arrived", id)
		}
	}
}

// outcomeBetween is the status that a change of a checkout has to be called
// back for, "" for none. A checkout may fail more than once: each failed
// attempt counts.
func outcomeBetween(before, now item) string {
	status := now.text("status")
	switch {
	case status == "FAILED" && failures(now) > failures(before):
		return status
	case (status == "PAID" || status == "EXPIRED") && before.text("status") != status:
		return status
	default:
		return ""
	}
}

func failures(c item) (n int) {
	for _, t := range c.list("transactions") {
		if t.text("status") == "FAILED" || atReader(c) && t.text("status") == "CANCELLED" {
			n++
		}
	}
	return n
}

// checkBuckets: a rate bucket is never overdrawn by more than its burst, and tokens
// never come back.
func (b snapshot) checkBuckets(otherLimits []string) {
	limit, tolerance := 500*time.Second/100, 2*maxSkew // clocks differ
	if b.faultProfile.lowLimits {
		limit = time.Duration(lowLimits.Burst) * time.Second / time.Duration(lowLimits.Rate)
		tolerance = time.Second // of the stream's times
		if b.faultProfile.skews {
			tolerance += maxSkew
		}
	}
	full := map[string]int64{}
	for _, c := range b.changes {
		i := c.image()
		if i.text("sk") != "RATE" || slices.Contains(otherLimits, partition(i.text("pk")).Last) {
			continue
		}
		pk := i.text("pk")
		at, err := strconv.ParseInt(i.text("full_at"), 10, 64)
		if err != nil {
			b.find("", "rate bucket full at %q", i.text("full_at"))
		}
		if c.EventName == "MODIFY" && at < full[pk] {
			b.find("", "bucket %s was given tokens back: full at %v, before at %v", pk, time.UnixMicro(at).UTC(),
				time.UnixMicro(full[pk]).UTC())
		}
		if owed := time.UnixMicro(at).Sub(c.Change.ApproximateCreationDateTime.Time); owed > limit+tolerance {
			b.find("", "bucket %s is overdrawn by %v, its burst is %v", pk, owed, limit)
		}
		full[pk] = at
	}
}

// checkLog: functions never met what they hold for impossible.
func checkLog(w *World) {
	w.findLogged("approved charge on a closed attempt", "panic", "malformed message")
}

func atReader(checkout item) bool { return checkout.object("reader") != nil }

// checkReaderCallback: it says what came of the transaction. It returns the checkout.
func (b snapshot) checkReaderCallback(d delivery) string {
	t := b.transactions[d.transaction]
	checkout := t.text("checkout_id")
	if want := map[bool]string{true: "successful", false: "failed"}[t.text("status") == "SUCCESSFUL"]; d.status != want {
		b.find(checkout, "callback %s says %q of a transaction that is %s", d.ID, d.status, t.text("status"))
	}
	return checkout
}
