package books

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/money"
)

// refunds returns the transaction that the request refunds, if it does.
func refunds(r *simulator.Reply) (transaction string, ok bool) {
	if r.Method != "POST" {
		return "", false
	}
	if transaction, ok = strings.CutPrefix(r.Path, "/v0.1/me/refund/"); ok {
		return transaction, true
	}
	_, rest, ok := strings.Cut(r.Path, "/payments/")
	return strings.TrimSuffix(rest, "/refunds"), ok
}

// checkRefundReplies: an acknowledged refund is made, unless it failed or was cancelled later; a refused one is not.
func (b Snapshot) checkRefundReplies() {
	open := map[string]bool{} // keys under which a refund may have been made without a response that arrived
	for _, r := range b.Replies {
		if _, ok := refunds(r); ok && r.IdempotencyKey != "" && (!r.Received || !refused(r)) {
			open[r.Keyed()] = true
		}
	}
	pending, written := b.eventsThatWere("PENDING"), b.refundsWritten()
	for n, r := range b.Replies {
		transaction, ok := refunds(r)
		if !ok || !r.Received {
			continue
		}
		checkout, id := b.Transactions[transaction].Text("checkout_id"), cmp.Or(refundBy(r), written[group(r, n)])
		switch status := b.events[id].Text("status"); {
		case r.Status == 204 || r.Status == 201:
			if status != "REFUNDED" && (status != "FAILED" || pending[id] == 0) {
				b.Find(checkout, "refund %s was acknowledged, and is %q", id, status)
			}
		case refused(r) && (r.IdempotencyKey == "" || !open[r.Keyed()]):
			if status != "" && status != "FAILED" && status != "WITHDRAWN" {
				b.Find(checkout, "refund %s was answered %d, and is %q", id, r.Status, status)
			}
		case r.Status == 404:
			b.Find(checkout, "transaction %s was not found", transaction)
		}
	}
}

// refused reports whether the answer means that no money moved.
func refused(r *simulator.Reply) bool {
	return r.Status == 409 && r.View().ErrorCode != "IDEMPOTENCY_IN_PROGRESS" || r.Status == 422 ||
		r.Status == 424 || r.Status == 400
}

// eventsThatWere counts how often each event was stored with a status.
func (b Snapshot) eventsThatWere(status string) map[string]int {
	count := map[string]int{}
	for _, c := range b.Changes {
		if i := c.Image(); strings.HasPrefix(i.Text("sk"), "EVENT#") && i.Text("status") == status {
			count[i.Text("id")]++
		}
	}
	return count
}

// noteClientViews has the views of all clients of each transaction checked: they must fit one order of the requests.
func (b Snapshot) noteClientViews() {
	for _, id := range simulator.Sorted(b.Transactions) {
		h := b.linearHistory(b.Transactions[id], b.ledger)
		if len(h.Requests) == 0 {
			continue
		}
		end := b.LogicalTime()
		h.Requests = append(h.Requests, linear.Request{Answer: linear.ShowsLeft,
			Rest: Minor(b.Transactions[id]["refundable"]),
			Call: end, Return: b.LogicalTime()})
		b.CheckLater(b.Transactions[id].Text("checkout_id"), h)
	}
}

var declined = []int64{1100, 4201, 4276, 4291} // the amounts that the sandbox declines (contract §12)

func (b Snapshot) linearHistory(t calls.Item, l *ledger) linear.History {
	id, currency := t.Text("id"), currencyOf(t["captured"])
	// Clients may have got the answer that a refund was made which the acquirer declined later, or cancelled.
	h := linear.History{Captured: Minor(t["captured"]), Declinable: func(x int64) bool {
		return slices.Contains(declined, x) || slices.ContainsFunc(l.of(id), func(e calls.Item) bool {
			return l.cancelled[e.Text("id")] && Minor(e["amount"]) == x
		})
	}}
	for n, r := range b.Replies {
		if refunded, ok := refunds(r); ok && refunded == id {
			h.Requests = append(h.Requests, linearOf(r, n, currency)...)
		} else if strings.HasSuffix(r.Path, "/transactions?id="+id) && r.Received && r.Status == 200 {
			h.Requests = append(h.Requests, linear.Request{Answer: linear.ShowsLeft, Rest: restOf(r.Response.Body, currency),
				Call: r.Asked, Return: r.Answered})
		}
	}
	if disputes := b.disputes(id, currency); len(disputes) > 0 {
		h.Requests = append(h.Requests, disputes...)
		// Until it is reported to the platform, the acquirer has less left.
		h.Declinable = func(int64) bool { return true }
	}
	b.firm(h.Requests, l)
	return h
}

// firm marks refunds that were made at the first try, so that the search omits all orders in which they are given back.
func (b Snapshot) firm(requests []linear.Request, l *ledger) {
	reserved, ids, doubtful := b.eventsThatWere("BEGUN"), b.refundsWritten(), map[string]bool{}
	for _, r := range requests {
		doubtful[r.Group] = doubtful[r.Group] || r.Answer == linear.Refused || r.Answer == linear.NotTaken
	}
	for i, r := range requests {
		id := ids[r.Group]
		requests[i].Firm = r.Firm || !doubtful[r.Group] && reserved[id] == 1 && l.events[id].Text("status") == "REFUNDED"
	}
}

// refundsWritten returns the refunds that the platform wrote, by group: retries and their replays write nothing.
func (b Snapshot) refundsWritten() map[string]string {
	ids := map[string]string{}
	for n, r := range b.Replies {
		if id := refundBy(r); id != "" {
			ids[group(r, n)] = id
		}
	}
	return ids
}

// linearOf returns the reply, number n, as its client understands it; none when it says nothing about the transaction.
func linearOf(r *simulator.Reply, n int, c money.Currency) []linear.Request {
	asked := linear.Request{Group: group(r, n), Amount: amountIn(r.Sent(), c), Call: r.Asked, Return: r.Answered}
	code := r.View().ErrorCode
	switch {
	case (!r.Received || r.Status >= 500) && refundBy(r) == "":
		return nil // the client cannot know, but nothing was even tried
	case !r.Received, r.Status >= 500:
		asked.Answer, asked.Return = linear.Unknown, linear.Never
	case r.Status == 201, r.Status == 204:
		asked.Answer = linear.Made
	case r.Replayed(), r.Status == 429, r.Status == 400, code == "IDEMPOTENCY_IN_PROGRESS", code == "NOT_ENOUGH_BALANCE":
		return nil
	case r.Status == 424:
		asked.Answer = linear.NotTaken
	case r.Status == 422:
		refusals := simulator.Decoded[struct {
			Errors []struct {
				Max int64 `json:"max_refundable_amount"`
			}
		}](r.Response.Body).Errors
		if len(refusals) != 1 {
			return nil // IDEMPOTENCY_KEY_REUSED
		}
		asked.Answer, asked.Rest = linear.ShowsLeft, refusals[0].Max
	default:
		asked.Answer = linear.Refused
	}
	return []linear.Request{asked}
}

// group names the requests that ask for the same refund once.
func group(r *simulator.Reply, n int) string {
	if r.IdempotencyKey == "" {
		return "#" + strconv.Itoa(n)
	}
	return r.Keyed()
}

// amountIn returns the amount that a body asks for; 0 for none.
func amountIn(body string, c money.Currency) int64 {
	asked := simulator.Decoded[struct{ Amount json.Number }]([]byte(body)).Amount
	return money.MustParse(cmp.Or(asked.String(), "0"), c).Minor()
}

// restOf returns the amount that a transaction still lets be refunded, by its detail.
func restOf(body []byte, c money.Currency) int64 {
	for _, link := range simulator.Decoded[struct {
		Links []struct {
			Rel string
			Max json.Number `json:"max_amount"`
		}
	}](body).Links { // without links, nothing is left
		if link.Rel == "refund" {
			return money.MustParse(link.Max.String(), c).Minor()
		}
	}
	return 0
}

// disputes returns the chargebacks of the transaction. The acquirer answers at the first report what a chargeback of
// all that is left amounts to. A refused report says nothing, as the acquirer may have less left than the platform.
func (b Snapshot) disputes(transaction string, c money.Currency) (requests []linear.Request) {
	amounts := map[string]int64{}
	for _, a := range b.Answers {
		id, ok := chargesBack(a, transaction)
		if amount := amountIn(string(a.Text), c); ok && amount != 0 {
			amounts[id] = amount
		}
	}
	for _, a := range b.Answers {
		id, ok := chargesBack(a, transaction)
		if !ok || a.Code() != "" || amounts[id] == 0 {
			continue
		}
		asked := linear.Request{Group: "chargeback " + id, Amount: amounts[id], Firm: true, Answer: linear.Made,
			Call: a.Asked, Return: a.Answered}
		if a.Answered == linear.Never {
			asked.Answer = linear.Unknown
		}
		requests = append(requests, asked)
	}
	return requests
}

// chargesBack returns the id of the chargeback, if the command charges the transaction back.
func chargesBack(a simulator.OperatorAnswer, transaction string) (id string, ok bool) {
	var command struct{ Command, Transaction, ID string }
	err := json.Unmarshal([]byte(a.Command), &command)
	return command.ID, err == nil && command.Command == "charge_back" && command.Transaction == transaction
}

// refundBy returns the refund or chargeback that a request tried to write, first in its transaction; "": none.
func refundBy(r *simulator.Reply) string {
	for _, tried := range slices.Backward(r.Tried) {
		if !strings.HasPrefix(tried, "TransactWriteItems ") {
			continue
		}
		for key := range strings.FieldsSeq(tried) {
			if id, ok := strings.CutPrefix(key, "EVENT#"); ok {
				return id
			}
		}
	}
	return ""
}
