package simulator

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// checkRecords checks the history of single items in the stream by the rules
// of their kinds.
func (b snapshot) checkRecords() {
	before := map[string]*change{}
	for _, c := range b.changes {
		now := c.image()
		key := now.text("pk") + " " + now.text("sk")
		if was := before[key]; was != nil && c.EventName == "MODIFY" {
			switch now.text("sk") {
			case "IDEMPOTENCY":
				b.checkIdempotency(was, c)
			case "CALLBACK":
				b.checkProgress(was.image(), now)
			}
		}
		before[key] = c
	}
	b.checkClaims()
	b.checkInstruments()
	b.checkAnswers()
}

// checkIdempotency: a key stays with its request; while a request runs no
// other takes its key; and an answer that was kept is kept (contract §2.8).
func (b snapshot) checkIdempotency(before, after *change) {
	was, now := before.image(), after.image()
	at := after.Change.ApproximateCreationDateTime.Time
	key := now.text("pk")
	if seconds(was, "expires_at").Before(at.Add(2 * maxSkew)) {
		return
	}
	if now.text("fingerprint") != was.text("fingerprint") {
		b.find("", "%s went to another request", key)
	}
	if reply := was.text("reply"); reply != "" && now.text("reply") != reply {
		b.find("", "the answer kept under %s changed", key)
	}
	until, _ := strconv.ParseInt(was.text("running_until"), 10, 64)
	if now.text("owner") != was.text("owner") && at.Add(time.Second+2*maxSkew).Before(time.UnixMilli(until)) {
		b.find("", "%s was taken from a request that still runs", key)
	}
}

// checkProgress: a callback that is done stays done, and tries only grow,
// unless an operator replays it.
func (b snapshot) checkProgress(was, now item) {
	tries := func(i item) int { n, _ := strconv.Atoi(i.text("tries")); return n }
	if tries(now) < tries(was) {
		b.find(now.text("checkout_id"), "callback %s had %d tries, now %d", now.text("id"), tries(was), tries(now))
	}
	if was.text("state") == "delivered" && now.text("state") != "delivered" && !b.replayed() {
		b.find(now.text("checkout_id"), "callback %s was delivered, and is due again", now.text("id"))
	}
}

func (b snapshot) replayed() bool {
	for _, a := range b.answers {
		if strings.Contains(a.command, "replay_callbacks") {
			return true
		}
	}
	return false
}

// checkClaims: what clients were answered about a customer is there, and only one
// got the answer that it made it.
func (b snapshot) checkClaims() {
	for _, r := range b.replies {
		customer, ok := strings.CutPrefix(r.Path, "/v0.1/customers/")
		if !ok || r.Method != http.MethodPut || !r.received || r.Status != http.StatusOK {
			continue
		}
		added := decoded[struct {
			Details map[string]string `json:"personal_details"`
		}]([]byte(r.text())).Details
		stored := b.customers[r.tenant+" "+customer].object("personal_details")
		for _, detail := range sorted(added) {
			if stored.text(detail) != added[detail] {
				b.find("", "%s lost its %s", customer, detail)
			}
		}
	}
	makers := map[string]string{}
	for _, r := range b.replies {
		if r.Status != 201 || r.Path != "/v0.1/customers" {
			continue
		}
		name := r.tenant + " " + r.text()[:strings.Index(r.text(), ",")]
		if first := makers[name]; first != "" && first != r.IdempotencyKey {
			b.find("", "%s was made under %q and %q", name, first, r.IdempotencyKey)
		}
		makers[name] = r.IdempotencyKey
	}
}

// checkInstruments: the acquirer knows every card that may be charged.
func (b snapshot) checkInstruments() {
	for _, i := range b.instruments {
		if token := i.object("card").text("acquirer_token"); i["active"] == true && !b.cards[token] {
			b.find("", "active card %s has the token %q, which the acquirer does not know", i.text("token"), token)
		}
	}
}

// checkAnswers: a merchant is opened once, and each secret has one version.
func (b snapshot) checkAnswers() {
	opened, rotated := map[string]bool{}, map[string]bool{}
	for _, given := range b.answers {
		a := decoded[struct {
			Created bool
			Code    string `json:"merchant_code"`
			Version int    // of a callback secret
		}](given.text)
		if a.Created {
			if opened[a.Code] {
				b.find("", "merchant %s was opened twice", a.Code)
			}
			opened[a.Code] = true
		}
		if name := a.Code + " " + strconv.Itoa(a.Version); a.Version > 0 {
			if rotated[name] {
				b.find("", "two rotations made secret %s", name)
			}
			rotated[name] = true
		}
	}
}

// checkEntryCount sees that a write which changes something has one audit entry, and any other none.
func checkEntryCount(w *World, changed []string, entries int) {
	if want := min(len(changed), 1); entries != want {
		w.find("", "a change of %v has %d audit entries, want %d", changed, entries, want)
	}
}
