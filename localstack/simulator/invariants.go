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

// check checks a world at rest.
func (w *World) check() {
	w.readStream()
	b := w.snapshot()
	for _, id := range sorted(b.charges) {
		w.checkCharge(b, b.charges[id])
	}
	for _, id := range sorted(b.transactions) {
		w.checkTransaction(b, b.transactions[id])
	}
	for _, id := range sorted(b.checkouts) {
		w.checkCheckout(b, b.checkouts[id])
	}
	w.checkReferences(b)
	w.checkReaders(b)
	w.checkReplies(b)
	w.checkBrowsers(b)
	w.checkCallbacks(b)
	w.checkMails(b)
	w.checkBuckets()
	w.checkRecords(b)
	w.checkMoney(b)
	w.checkSteps()
	w.checkRefundReplies(b)
	w.noteClientViews(b)
	w.checkLog()
}

// checkCharge: at the acquirer, one capture for each approved charge and none
// for any other; and nothing waits there that does not wait here.
func (w *World) checkCharge(b snapshot, c item) {
	id, checkout, decision := c.text("id"), c.text("checkout_id"), c.text("decision")
	want, verification := 0, c["verification"] == true
	if decision == "approved" && !verification {
		want = 1
	}
	if b.captures[id] != want {
		w.find(checkout, "%s charge %s has %d captures", decision, id, b.captures[id])
	}
	switch decision {
	case "approved", "declined":
		t, ok := b.transactions[id]
		same := sameAmount(t["amount"], c["amount"])
		if verification { // whose transaction is of nothing (contract §4.6)
			same = minor(t["amount"]) == 0
		}
		if !ok {
			w.find(checkout, "%s charge %s has no transaction", decision, id)
		} else if t.text("checkout_id") != checkout || !same {
			w.find(checkout, "charge %s of %v and its transaction of %v for %s differ", id, c["amount"], t["amount"],
				t.text("checkout_id"))
		}
	case "cancelled":
	default:
		w.find(checkout, "charge %s is left %s", id, decision)
	}
}

// agreed are the decisions of the acquirer by a transaction's status.
var agreed = map[string][]string{
	"SUCCESSFUL": {"approved"}, "FAILED": {"declined", "cancelled"}, "CANCELLED": {"cancelled"},
}

// checkTransaction: each agrees with the acquirer's records.
func (w *World) checkTransaction(b snapshot, t item) {
	checkout, status := t.text("checkout_id"), t.text("status")
	decision := b.charges[t.text("id")].text("decision")
	if live := partition(t.text("pk")).Tenant.Mode == identity.Live; live && decision == "" && status == "FAILED" {
		return // no acquirer charges live cards here (contract §12)
	}
	if !slices.Contains(agreed[status], decision) {
		w.find(checkout, "transaction %s is %s, its charge %q", t.text("id"), status, decision)
	}
}

// checkCheckout: PAID means exactly one approved charge of its amount; no
// other state has one. What it shows of its transactions is true. Nothing is
// left open.
func (w *World) checkCheckout(b snapshot, c item) {
	id, status := c.text("id"), c.text("status")
	approved := slices.DeleteFunc(where(b.charges, "checkout_id", id), func(charge item) bool {
		return charge.text("decision") != "approved"
	})
	if want := map[bool]int{true: 1}[status == "PAID"]; len(approved) != want {
		w.find(id, "%s with %d approved charges", status, len(approved))
	}
	for _, charge := range approved {
		if !sameAmount(charge["amount"], c["amount"]) {
			w.find(id, "charged %v instead of %v", charge["amount"], c["amount"])
		}
	}
	for _, shown := range c.list("transactions") {
		if t := b.transactions[shown.text("id")]; t.text("status") != shown.text("status") {
			w.find(id, "shows transaction %s as %s, which is %q", shown.text("id"), shown.text("status"), t.text("status"))
		}
	}
	if state := c.object("attempt").text("state"); state != "" && state != "closed" {
		w.find(id, "an attempt is left %s", state)
	}
}

// sameAmount compares stored amounts, which are printed in the order of their members.
func sameAmount(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// checkReferences: two checkouts never share one.
func (w *World) checkReferences(b snapshot) {
	owners := map[string]string{}
	for _, id := range sorted(b.checkouts) {
		if atReader(b.checkouts[id]) { // it has none
			continue
		}
		name := b.checkouts[id].tenant() + " " + b.checkouts[id].text("reference")
		if other := owners[name]; other != "" {
			w.find(id, "has the reference of %s", other)
		}
		owners[name] = id
	}
}

// checkReplies: what clients were answered stays true, and replays repeat it.
func (w *World) checkReplies(b snapshot) {
	made, cut := map[string][]string{}, map[string]bool{} // cut: a function died, perhaps after it stored its answer
	for _, r := range w.replies {
		if !r.replayed() {
			made[r.keyed()] = append(made[r.keyed()], withoutSecret(r.response.Body))
			cut[r.keyed()] = cut[r.keyed()] || r.Status >= 500
		}
	}
	replays := map[string]string{}
	for _, r := range w.replies {
		if v := r.view(); r.received && !r.fromBrowser() && v.ID != "" {
			w.checkAnswer(b, r, v)
		}
		if !r.replayed() {
			continue
		}
		if id := r.checkout(); id != "" && r.Status == 409 && r.view().ErrorCode == "CONFLICT" {
			w.find(id, "a conflict with what was running then is kept under %q", r.IdempotencyKey)
		}
		body := string(r.response.Body)
		if first, seen := replays[r.keyed()]; seen && first != body {
			w.find(r.view().ID, "two replays under %q differ: %s and %s", r.IdempotencyKey, first, body)
		}
		replays[r.keyed()] = body
		if !cut[r.keyed()] && !slices.Contains(made[r.keyed()], body) {
			w.find(r.view().ID, "replay under %q of what was never answered: %s", r.IdempotencyKey, body)
		}
	}
	w.checkCreations()
}

// plaintext is the member of a reply that a replay leaves out (contract §2.8): a secret, or a link.
var plaintext = regexp.MustCompile(`"plaintext":"[^"]*",?|,"plaintext":"[^"]*"|,"upload":\{[^{}]*\{[^{}]*\}[^{}]*\}`)

func withoutSecret(body []byte) string { return plaintext.ReplaceAllString(string(body), "") }

// keyed is the tenant, the kind of its credential, and the Idempotency-Key.
func (r reply) keyed() string {
	kind, _, _ := strings.Cut(r.APIKey, "_")
	return r.tenant + " " + kind + " " + r.IdempotencyKey
}

// checkout is the id of the checkout that the request is about, or "".
func (r reply) checkout() string {
	_, rest, _ := strings.Cut(r.Path, "/v0.1/checkouts/")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// checkAnswer: a checkout that was answered exists, and final states are.
func (w *World) checkAnswer(b snapshot, r *reply, v view) {
	if !strings.HasPrefix(r.Path, "/v0.1/checkouts") || strings.Contains(r.Path, "?") {
		return
	}
	c, exists := b.checkouts[v.ID]
	if !exists {
		w.find(v.ID, "was answered, but does not exist")
		return
	}
	switch v.Status {
	case "PAID":
		if final := c.text("status"); final != "PAID" || b.transactions[v.TransactionID].text("status") != "SUCCESSFUL" {
			w.find(v.ID, "was answered as PAID by %s, and is %s", v.TransactionID, final)
		}
	case "EXPIRED":
		// Where clocks differ, one process answers so before another would.
		if c.text("status") != "EXPIRED" && !w.faultProfile.skews {
			w.find(v.ID, "was answered as EXPIRED, and is %s", c.text("status"))
		}
	}
}

// checkCreations: one key, one checkout.
func (w *World) checkCreations() {
	ids := map[string]string{}
	for _, r := range w.replies {
		if r.Status != 201 || r.Method != "POST" || r.Path != "/v0.1/checkouts" || r.IdempotencyKey == "" {
			continue
		}
		key, id := r.keyed(), r.view().ID
		if first := ids[key]; first != "" && first != id {
			w.find(id, "was created under the key of %s", first)
		}
		ids[key] = id
	}
}

// outcome is a change of status that must be called back.
type outcome struct{ checkout, status string }

// checkCallbacks: the stream's records show which status changes there
// were; each was called back under one id, and nothing else was.
func (w *World) checkCallbacks(b snapshot) {
	owed := map[outcome]int{}
	before := map[string]item{}
	for _, now := range w.images("CHECKOUT") {
		id := now.text("id")
		if status := outcomeBetween(before[id], now); status != "" && now.text("return_url") != "" {
			owed[outcome{id, status}]++
		}
		before[id] = now
	}
	w.addChargebacks(b, owed)
	written, seen := map[outcome]int{}, map[string]bool{}
	for _, c := range w.images("CALLBACK") {
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
			w.find(o.checkout, "became %s %d times, with %d callbacks", o.status, owed[o], written[o])
		}
	}
	w.checkDeliveries(b, seen)
}

func (w *World) checkDeliveries(b snapshot, written map[string]bool) {
	delivered := map[string]bool{}
	for _, d := range w.received {
		c := b.callbacks[d.ID]
		if d.transaction != "" {
			d.Checkout = w.checkReaderCallback(b, d)
		}
		if !written[d.ID] {
			w.find(d.Checkout, "callback %s was invented", d.ID)
		} else if c != nil && (c.text("checkout_id") != d.Checkout || c.text("url") != d.URL) {
			w.find(d.Checkout, "callback %s went astray", d.ID)
		}
		delivered[d.ID] = true
	}
	for _, id := range sorted(written) {
		if !delivered[id] {
			w.find(b.callbacks[id].text("checkout_id"), "callback %s never arrived", id)
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
func (w *World) checkBuckets() {
	limit, tolerance := 500*time.Second/100, 2*maxSkew // clocks differ
	if w.faultProfile.lowLimits {
		limit = time.Duration(lowLimits.Burst) * time.Second / time.Duration(lowLimits.Rate)
		tolerance = time.Second // of the stream's times
		if w.faultProfile.skews {
			tolerance += maxSkew
		}
	}
	full := map[string]int64{}
	for _, c := range w.changes {
		i := c.image()
		if i.text("sk") != "RATE" || w.people != nil && w.people.limitsMore(partition(i.text("pk")).Last) {
			continue
		}
		pk := i.text("pk")
		at, err := strconv.ParseInt(i.text("full_at"), 10, 64)
		if err != nil {
			w.find("", "rate bucket full at %q", i.text("full_at"))
		}
		if c.EventName == "MODIFY" && at < full[pk] {
			w.find("", "bucket %s was given tokens back: full at %v, before at %v", pk, time.UnixMicro(at).UTC(),
				time.UnixMicro(full[pk]).UTC())
		}
		if owed := time.UnixMicro(at).Sub(c.Change.ApproximateCreationDateTime.Time); owed > limit+tolerance {
			w.find("", "bucket %s is overdrawn by %v, its burst is %v", pk, owed, limit)
		}
		full[pk] = at
	}
}

// checkLog: functions never met what they hold for impossible.
func (w *World) checkLog() {
	w.findLogged("approved charge on a closed attempt", "panic", "malformed message")
}
