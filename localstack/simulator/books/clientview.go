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

// refundedTransaction returns the transaction that the request refunds. ok is false for other requests.
func refundedTransaction(r *simulator.Reply) (transaction string, ok bool) {
	if r.Method != "POST" {
		return "", false
	}
	if transaction, ok = strings.CutPrefix(r.Path, "/v0.1/me/refund/"); ok {
		return transaction, true
	}
	_, rest, ok := strings.Cut(r.Path, "/payments/")
	return strings.TrimSuffix(rest, "/refunds"), ok
}

// checkRefundReplies checks that acknowledged refunds were made, or failed after they were pending. It also checks that
// refused refunds were not made.
func (b Snapshot) checkRefundReplies() {
	open := map[string]bool{} // keys whose refund may have been made: a response was lost, or was no refusal
	for _, r := range b.Replies {
		if _, ok := refundedTransaction(r); ok && r.IdempotencyKey != "" && (!r.Received || !isRefused(r)) {
			open[r.Keyed()] = true
		}
	}
	pending, written := b.countEvents("PENDING"), b.writtenRefunds()
	for n, r := range b.Replies {
		transaction, ok := refundedTransaction(r)
		if !ok || !r.Received {
			continue
		}
		checkout, id := b.Transactions[transaction].Text("checkout_id"), cmp.Or(triedRefund(r), written[groupName(r, n)])
		switch status := b.events[id].Text("status"); {
		case r.Status == 204 || r.Status == 201:
			if status != "REFUNDED" && (status != "FAILED" || pending[id] == 0) {
				b.Find(checkout, "refund %s was acknowledged, and is %q", id, status)
			}
		case isRefused(r) && (r.IdempotencyKey == "" || !open[r.Keyed()]):
			if status != "" && status != "FAILED" && status != "WITHDRAWN" {
				b.Find(checkout, "refund %s was answered %d, and is %q", id, r.Status, status)
			}
		case r.Status == 404:
			b.Find(checkout, "transaction %s was not found", transaction)
		}
	}
}

// isRefused returns true if the answer means that no money moved.
func isRefused(r *simulator.Reply) bool {
	return r.Status == 409 && r.View().ErrorCode != "IDEMPOTENCY_IN_PROGRESS" || r.Status == 422 ||
		r.Status == 424 || r.Status == 400
}

// countEvents counts how often each event was stored with a status.
func (b Snapshot) countEvents(status string) map[string]int {
	count := map[string]int{}
	for _, c := range b.Changes {
		if i := c.Image(); strings.HasPrefix(i.Text("sk"), "EVENT#") && i.Text("status") == status {
			count[i.Text("id")]++
		}
	}
	return count
}

// scheduleViewChecks schedules a check of each transaction: all clients' views must fit one order of the requests.
func (b Snapshot) scheduleViewChecks() {
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
	// A client may be told that a refund is made, although the acquirer declines or cancels the refund later.
	h := linear.History{Captured: Minor(t["captured"]), Declinable: func(x int64) bool {
		return slices.Contains(declined, x) || slices.ContainsFunc(l.eventsOf(id), func(e calls.Item) bool {
			return l.cancelled[e.Text("id")] && Minor(e["amount"]) == x
		})
	}}
	for n, r := range b.Replies {
		if refunded, ok := refundedTransaction(r); ok && refunded == id {
			h.Requests = append(h.Requests, linearRequests(r, n, currency)...)
		} else if strings.HasSuffix(r.Path, "/transactions?id="+id) && r.Received && r.Status == 200 {
			h.Requests = append(h.Requests, linear.Request{Answer: linear.ShowsLeft, Rest: amountLeft(r.Response.Body, currency),
				Call: r.Asked, Return: r.Answered})
		}
	}
	if disputes := b.disputes(id, currency); len(disputes) > 0 {
		h.Requests = append(h.Requests, disputes...)
		// Until the platform learns of the chargeback, less is left to refund at the acquirer than at the platform.
		h.Declinable = func(int64) bool { return true }
	}
	b.markFirm(h.Requests, l)
	return h
}

// markFirm marks refunds that were made at the first try. The search then skips all orders that release these refunds'
// money.
func (b Snapshot) markFirm(requests []linear.Request, l *ledger) {
	reserved, ids, doubtful := b.countEvents("BEGUN"), b.writtenRefunds(), map[string]bool{}
	for _, r := range requests {
		doubtful[r.Group] = doubtful[r.Group] || r.Answer == linear.Refused || r.Answer == linear.NotTaken
	}
	for i, r := range requests {
		id := ids[r.Group]
		requests[i].Firm = r.Firm || !doubtful[r.Group] && reserved[id] == 1 && l.events[id].Text("status") == "REFUNDED"
	}
}

// writtenRefunds returns the refunds that the platform wrote, by group. Retries and replays write nothing.
func (b Snapshot) writtenRefunds() map[string]string {
	ids := map[string]string{}
	for n, r := range b.Replies {
		if id := triedRefund(r); id != "" {
			ids[groupName(r, n)] = id
		}
	}
	return ids
}

// linearRequests returns the request of reply number n, with the answer as the client understands it. It returns nil if
// the reply says nothing about the transaction.
func linearRequests(r *simulator.Reply, n int, c money.Currency) []linear.Request {
	asked := linear.Request{Group: groupName(r, n), Amount: askedAmount(r.Sent(), c), Call: r.Asked, Return: r.Answered}
	code := r.View().ErrorCode
	switch {
	case (!r.Received || r.Status >= 500) && triedRefund(r) == "":
		return nil // the client cannot know this, but the platform did not even try the refund
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

// groupName returns the name of a request's group. All requests with one Idempotency-Key are a group, because together
// they ask for one refund.
func groupName(r *simulator.Reply, n int) string {
	if r.IdempotencyKey == "" {
		return "#" + strconv.Itoa(n)
	}
	return r.Keyed()
}

// askedAmount returns the requested amount in a body, or 0.
func askedAmount(body string, c money.Currency) int64 {
	asked := simulator.Decoded[struct{ Amount json.Number }]([]byte(body)).Amount
	return money.MustParse(cmp.Or(asked.String(), "0"), c).Minor()
}

// amountLeft returns the amount that can still be refunded, from a transaction's details.
func amountLeft(body []byte, c money.Currency) int64 {
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

// disputes returns the chargebacks of the transaction. If a report charges back the whole rest, the amount is only in
// the acquirer's answer to the first report. A refused report says nothing, because the acquirer may have less left to
// refund than the platform.
func (b Snapshot) disputes(transaction string, c money.Currency) (requests []linear.Request) {
	amounts := map[string]int64{}
	for _, a := range b.Answers {
		id, ok := chargebackID(a, transaction)
		if amount := askedAmount(string(a.Text), c); ok && amount != 0 {
			amounts[id] = amount
		}
	}
	for _, a := range b.Answers {
		id, ok := chargebackID(a, transaction)
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

// chargebackID returns the id of the chargeback. ok is false if the command does not charge the transaction back.
func chargebackID(a simulator.OperatorAnswer, transaction string) (id string, ok bool) {
	var command struct{ Command, Transaction, ID string }
	err := json.Unmarshal([]byte(a.Command), &command)
	return command.ID, err == nil && command.Command == "charge_back" && command.Transaction == transaction
}

// triedRefund returns the id of the refund or chargeback that a request tried to write, or "". The id is that of the
// first event in the last TransactWriteItems with events.
func triedRefund(r *simulator.Reply) string {
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
