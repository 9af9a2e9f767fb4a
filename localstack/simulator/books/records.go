package books

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

// checkRecords checks the changes of each item in the stream by the rules of the item's kind.
func (b Snapshot) checkRecords() {
	before := map[string]*simulator.Change{}
	for _, c := range b.Changes {
		now := c.Image()
		key := now.Text("pk") + " " + now.Text("sk")
		if was := before[key]; was != nil && c.EventName == "MODIFY" {
			switch now.Text("sk") {
			case "IDEMPOTENCY":
				b.checkIdempotency(was, c)
			case "CALLBACK":
				b.checkProgress(was.Image(), now)
			}
		}
		before[key] = c
	}
	b.checkClaims()
	b.checkInstruments()
	b.checkAnswers()
}

// checkIdempotency checks that an Idempotency-Key stays with its running request, and that stored answers do not change
// (contract §2.8).
func (b Snapshot) checkIdempotency(before, after *simulator.Change) {
	was, now := before.Image(), after.Image()
	at := after.Change.ApproximateCreationDateTime.Time
	key := now.Text("pk")
	if was.Seconds("expires_at").Before(at.Add(2 * simulator.MaxSkew)) {
		return
	}
	if now.Text("fingerprint") != was.Text("fingerprint") {
		b.Find("", "%s went to another request", key)
	}
	if reply := was.Text("reply"); reply != "" && now.Text("reply") != reply {
		b.Find("", "the answer kept under %s changed", key)
	}
	until := int64(was.Number("running_until"))
	if now.Text("owner") != was.Text("owner") && at.Add(time.Second+2*simulator.MaxSkew).Before(time.UnixMilli(until)) {
		b.Find("", "%s was taken from a request that still runs", key)
	}
}

// checkProgress checks that the tries of a callback never decrease. A delivered callback must stay delivered, unless an
// operator replays callbacks.
func (b Snapshot) checkProgress(was, now calls.Item) {
	if is, before := now.Number("tries"), was.Number("tries"); is < before {
		b.Find(now.Text("checkout_id"), "callback %s had %d tries, now %d", now.Text("id"), before, is)
	}
	replayed := func(a simulator.OperatorAnswer) bool { return strings.Contains(a.Command, "replay_callbacks") }
	if was.Text("state") == "delivered" && now.Text("state") != "delivered" && !slices.ContainsFunc(b.Answers, replayed) {
		b.Find(now.Text("checkout_id"), "callback %s was delivered, and is due again", now.Text("id"))
	}
}

// checkClaims checks that acknowledged details of customers are stored, and that each customer has one creator.
func (b Snapshot) checkClaims() {
	for _, r := range b.Replies {
		customer, ok := strings.CutPrefix(r.Path, "/v0.1/customers/")
		if !ok || r.Method != http.MethodPut || !r.Received || r.Status != http.StatusOK {
			continue
		}
		added := simulator.Decoded[struct {
			Details map[string]string `json:"personal_details"`
		}]([]byte(r.Sent())).Details
		stored := b.customers[r.Tenant+" "+customer].Object("personal_details")
		for _, detail := range simulator.Sorted(added) {
			if stored.Text(detail) != added[detail] {
				b.Find("", "%s lost its %s", customer, detail)
			}
		}
	}
	makers := map[string]string{}
	for _, r := range b.Replies {
		if r.Status != 201 || r.Path != "/v0.1/customers" {
			continue
		}
		name := r.Tenant + " " + r.Sent()[:strings.Index(r.Sent(), ",")]
		if first := makers[name]; first != "" && first != r.IdempotencyKey {
			b.Find("", "%s was made under %q and %q", name, first, r.IdempotencyKey)
		}
		makers[name] = r.IdempotencyKey
	}
}

// checkInstruments checks that the acquirer knows every card that may be charged, and that each deactivated card was
// deactivated by a client or refused for good.
func (b Snapshot) checkInstruments() {
	ended := map[string]bool{} // by token of the acquirer, or of ours
	for _, c := range b.Charges {
		if c.Text("return_code") == stolenCard {
			ended[c.Object("card").Text("acquirer_token")] = true
		}
	}
	for _, r := range b.Replies {
		if _, token, found := strings.Cut(r.Path, "/payment-instruments/"); found && r.Method == "DELETE" {
			ended[token] = true
		}
	}
	for _, i := range b.instruments {
		switch token := i.Object("card").Text("acquirer_token"); {
		case i["active"] == true && !b.cards[token]:
			b.Find("", "active card %s has the token %q, which the acquirer does not know", i.Text("token"), token)
		case i["active"] != true && !ended[token] && !ended[i.Text("token")]:
			b.Find("", "card %s is deactivated, although %q was neither deactivated nor refused", i.Text("token"), token)
		}
	}
}

// stolenCard is the return code of a card that is refused for good (ISO 8583 field 39).
const stolenCard = "43"

// checkAnswers checks that a merchant is created once, and that each version of a secret is made once.
func (b Snapshot) checkAnswers() {
	opened, rotated := map[string]bool{}, map[string]bool{}
	for _, given := range b.Answers {
		a := simulator.Decoded[struct {
			Created bool
			Code    string `json:"merchant_code"`
			Version int    // version of a callback secret
		}](given.Text)
		if a.Created {
			if opened[a.Code] {
				b.Find("", "merchant %s was opened twice", a.Code)
			}
			opened[a.Code] = true
		}
		if name := a.Code + " " + strconv.Itoa(a.Version); a.Version > 0 {
			if rotated[name] {
				b.Find("", "two rotations made secret %s", name)
			}
			rotated[name] = true
		}
	}
}

// CheckEntryCount checks that a write with changes has one audit entry, and that any other write has none.
func CheckEntryCount(w *simulator.World, changed []string, entries int) {
	if want := min(len(changed), 1); entries != want {
		w.Find("", "a change of %v has %d audit entries, want %d", changed, entries, want)
	}
}
