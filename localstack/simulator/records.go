package simulator

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/store"
)

// transaction is what a TransactWriteItems request puts and deletes.
type transaction struct {
	ClientRequestToken string
	TransactItems      []struct {
		Put            struct{ Item item }
		Update, Delete struct{ Key item }
	}
}

// readTransaction reads a request. Of another operation it returns none.
func readTransaction(body []byte) transaction { return decoded[transaction](body) }

// write is what a call has changed in the table: the items that it put, and the keys of those that it updated and
// deleted.
type write struct{ puts, updated, deleted []item }

// readWrite reads a call that has been done; false when it had been done before and its reply was lost, so that nothing
// was written.
func (w *World) readWrite(operation string, body []byte) (is write, first bool) {
	if operation == "PutItem" {
		return write{puts: []item{decoded[struct{ Item item }](body).Item}}, true
	}
	call := readTransaction(body)
	w.record(func() {
		first = call.ClientRequestToken != "" && !w.done[call.ClientRequestToken]
		w.done[call.ClientRequestToken] = true
	})
	for _, one := range call.TransactItems {
		if len(one.Put.Item) > 0 {
			is.puts = append(is.puts, one.Put.Item)
		}
		if len(one.Update.Key) > 0 {
			is.updated = append(is.updated, one.Update.Key)
		}
		if len(one.Delete.Key) > 0 {
			is.deleted = append(is.deleted, one.Delete.Key)
		}
	}
	return is, first
}

// checkRecords checks the history of single items in the stream by the rules
// of their kinds.
func (w *World) checkRecords(b snapshot) {
	before := map[string]*change{}
	for _, c := range w.changes {
		now := c.image()
		key := now.text("pk") + " " + now.text("sk")
		if was := before[key]; was != nil && c.EventName == "MODIFY" {
			switch now.text("sk") {
			case "IDEMPOTENCY":
				w.checkIdempotency(was, c)
			case "CALLBACK":
				w.checkProgress(was.image(), now)
			}
		}
		before[key] = c
	}
	w.checkClaims(b)
	w.checkInstruments(b)
	w.checkAnswers()
}

// checkIdempotency: a key stays with its request; while a request runs no
// other takes its key; and an answer that was kept is kept (contract §2.8).
func (w *World) checkIdempotency(before, after *change) {
	was, now := before.image(), after.image()
	at := after.Change.ApproximateCreationDateTime.Time
	key := now.text("pk")
	if seconds(was, "expires_at").Before(at.Add(2 * maxSkew)) {
		return
	}
	if now.text("fingerprint") != was.text("fingerprint") {
		w.find("", "%s went to another request", key)
	}
	if reply := was.text("reply"); reply != "" && now.text("reply") != reply {
		w.find("", "the answer kept under %s changed", key)
	}
	until, _ := strconv.ParseInt(was.text("running_until"), 10, 64)
	if now.text("owner") != was.text("owner") && at.Add(time.Second+2*maxSkew).Before(time.UnixMilli(until)) {
		w.find("", "%s was taken from a request that still runs", key)
	}
}

func seconds(i item, name string) time.Time {
	n, _ := strconv.ParseInt(i.text(name), 10, 64)
	return time.Unix(n, 0)
}

// checkProgress: a callback that is done stays done, and tries only grow,
// unless an operator replays it.
func (w *World) checkProgress(was, now item) {
	tries := func(i item) int { n, _ := strconv.Atoi(i.text("tries")); return n }
	if tries(now) < tries(was) {
		w.find(now.text("checkout_id"), "callback %s had %d tries, now %d", now.text("id"), tries(was), tries(now))
	}
	if was.text("state") == "delivered" && now.text("state") != "delivered" && !w.replayed() {
		w.find(now.text("checkout_id"), "callback %s was delivered, and is due again", now.text("id"))
	}
}

func (w *World) replayed() bool {
	for _, a := range w.answers {
		if strings.Contains(a.command, "replay_callbacks") {
			return true
		}
	}
	return false
}

// checkClaims: what clients were answered about a customer is there, and only one
// got the answer that it made it.
func (w *World) checkClaims(b snapshot) {
	for _, c := range w.claims {
		stored := b.customers[c.tenant+" "+c.customer].object("personal_details")
		if stored.text(c.detail) != "X" {
			w.find("", "%s lost its %s", c.customer, c.detail)
		}
	}
	makers := map[string]string{}
	for _, r := range w.replies {
		if r.Status != 201 || r.Path != "/v0.1/customers" {
			continue
		}
		name := r.tenant + " " + r.text()[:strings.Index(r.text(), ",")]
		if first := makers[name]; first != "" && first != r.IdempotencyKey {
			w.find("", "%s was made under %q and %q", name, first, r.IdempotencyKey)
		}
		makers[name] = r.IdempotencyKey
	}
}

// checkInstruments: the acquirer knows every card that may be charged.
func (w *World) checkInstruments(b snapshot) {
	for _, i := range b.instruments {
		if token := i.object("card").text("acquirer_token"); i["active"] == true && !b.cards[token] {
			w.find("", "active card %s has the token %q, which the acquirer does not know", i.text("token"), token)
		}
	}
}

// checkAnswers: a merchant is opened once, and each secret has one version.
func (w *World) checkAnswers() {
	opened, rotated := map[string]bool{}, map[string]bool{}
	for _, a := range w.answers {
		if a.Created {
			if opened[a.Code] {
				w.find("", "merchant %s was opened twice", a.Code)
			}
			opened[a.Code] = true
		}
		if name := a.Code + " " + strconv.Itoa(a.Version); a.Version > 0 {
			if rotated[name] {
				w.find("", "two rotations made secret %s", name)
			}
			rotated[name] = true
		}
	}
}

// checkOwner sees that only the request that holds an idempotency key ends
// its claim.
func (w *World) checkOwner(ctx context.Context, operation string, body []byte) {
	keys := valuesOf(string(body), "pk")
	if len(keys) == 0 || partition(keys[0]).Kind != store.KindIdempotency {
		return
	}
	by := invocationOf(ctx)
	if operation == "PutItem" {
		by.claim = valuesOf(string(body), "owner")[0]
		return
	}
	if operation != "UpdateItem" {
		return
	}
	stored := w.read(keys[0], "IDEMPOTENCY")
	if stored.text("owner") != by.claim {
		w.find("", "%s ended the claim of another request on %s", by.actor, keys[0])
	}
}
