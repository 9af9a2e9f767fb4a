// Package readers simulates payments at card readers. A reader's line may drop at any message. Use New with
// simulator.Run.
package readers

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
)

// readerAmounts are in minor units. The sandbox approves most of them.
var readerAmounts = []string{"1010", "2500", "6000", "1100", "4224", "4225", "4225"}

type counter struct {
	*shops.Scenario
	reader string
}

func (c *counter) readersPath() string { return "/v0.1/merchants/" + c.Merchant + "/readers" }

func (c *counter) readerPath() string { return c.readersPath() + "/" + c.reader }

type readers struct{ *simulator.World }

// New returns the workload.
func New(w *simulator.World) simulator.Workload { return readers{w} }

func (w readers) Check() { w.checkReaders(books.Check(w.World)) }

// Act pairs terminals before the faults begin. Then cardholders pay at tills. Other clients stop the payments, and
// read, rename and unpair the readers.
func (w readers) Act() {
	all := shops.Open(w.World)
	var counters []*counter
	for n := range 1 + w.RNG.IntN(2) {
		c := &counter{Scenario: shops.NewScenario(w.World, all[n%2], w.Random(n+1), fmt.Sprintf("reader-%d", n))}
		counters = append(counters, c)
		w.Go(simulator.Clients, c.pair)
		w.Steer(simulator.Clients)
	}
	w.FaultsOn = true
	for _, c := range counters {
		c.StartClients("till", 1+c.RNG.IntN(3), c.sell)
		for i := range c.RNG.IntN(3) {
			act := []func(string, *rand.Rand){c.terminate, c.readStatus, c.rename, c.unpair}[c.RNG.IntN(4)]
			c.StartClient("extra", i, act)
		}
	}
	shops.Recover(w.World)
}

// pair creates the reader, and waits until its terminal has confirmed the pairing.
func (c *counter) pair() {
	answer := c.Insist(c.Name, client.Request{Method: "POST", Path: c.readersPath(), Body: fmt.Sprintf(
		`{"pairing_code":"CODE%04d","name":%q}`, c.RNG.IntN(10_000), c.Name)})
	c.reader = answer.View().ID
	c.Pass(2*time.Second + 2*simulator.MaxSkew) // because processes' clocks differ
	if v := c.Insist(c.Name, client.Request{Method: "GET", Path: c.readerPath()}).View(); v.Status != "paired" {
		c.Panicf("a reader is %s", v.Status)
	}
}

// sell takes payments of up to three cardholders, one after the other. In Brazil half of them pay by Pix.
func (c *counter) sell(actor string, rng *rand.Rand) {
	for i := range 1 + rng.IntN(3) {
		method := "card"
		if c.Currency == "BRL" && rng.IntN(2) == 0 {
			method = "pix"
		}
		r := client.Request{Method: "POST", Path: c.readerPath() + "/checkout", Body: fmt.Sprintf(
			`{"total_amount":{"currency":%q,"minor_unit":2,"value":%s},"payment_type":%q,"description":%q,`+
				`"return_url":"https://shop.example.com/hook/%s"}`,
			c.Currency, readerAmounts[rng.IntN(len(readerAmounts))], method, c.Name, c.Name)}
		answer := c.InsistWithKey(actor, rng, r, fmt.Sprintf("%s sells %d", actor, i))
		if id := decodeView(answer).Data.ID; id != "" {
			if method == "pix" {
				c.payCode(actor, rng, id)
			}
			c.watch(actor, rng, id)
		}
		c.Think(actor)
	}
}

// payCode pays a Pix code: soon, late, or never.
func (c *counter) payCode(actor string, rng *rand.Rand, id string) {
	if longest := []int{0, 1, 20, 200}[rng.IntN(4)]; longest > 0 {
		c.Pass(time.Duration(rng.IntN(longest*1000)) * time.Millisecond)
		c.Operate(actor+" payer", fmt.Sprintf(`{"command":"pay_voucher","merchant_code":%q,"checkout_id":%q}`, c.Merchant,
			id), nil)
	}
}

type checkoutView struct {
	Data struct {
		ID     string `json:"checkout_id"`
		Status string
	}
}

// decodeView decodes an answer. Errors leave the view empty.
func decodeView(r simulator.Response) checkoutView { return simulator.Decoded[checkoutView](r.Body) }

// watch reads a checkout a few times, perhaps until it has ended.
func (c *counter) watch(actor string, rng *rand.Rand, id string) {
	for range rng.IntN(5) {
		c.Pass(time.Duration(rng.IntN(5000)) * time.Millisecond)
		answer := c.Insist(actor, client.Request{Method: "GET", Path: c.readerPath() + "/checkout/" + id})
		if decodeView(answer).Data.Status != "pending" {
			return
		}
	}
}

func (c *counter) terminate(actor string, rng *rand.Rand) {
	for range 1 + rng.IntN(3) {
		c.Pass(time.Duration(rng.IntN(5000)) * time.Millisecond)
		c.Insist(actor, client.Request{Method: "POST", Path: c.readerPath() + "/terminate"})
	}
}

func (c *counter) readStatus(actor string, rng *rand.Rand) {
	for _, path := range []string{c.readersPath(), c.readerPath(), c.readerPath() + "/status"} {
		c.Pass(time.Duration(rng.IntN(3000)) * time.Millisecond)
		c.Insist(actor, client.Request{Method: "GET", Path: path})
	}
}

func (c *counter) rename(actor string, rng *rand.Rand) {
	c.Pass(time.Duration(rng.IntN(5000)) * time.Millisecond)
	c.Insist(actor, client.Request{Method: "PATCH", Path: c.readerPath(), Body: fmt.Sprintf(`{"name":%q}`, actor)})
}

func (c *counter) unpair(actor string, rng *rand.Rand) {
	c.Pass(time.Duration(rng.IntN(9000)) * time.Millisecond)
	c.Insist(actor, client.Request{Method: "DELETE", Path: c.readerPath(), IdempotencyKey: actor})
}

// checkReaders checks that a checkout at a reader has at most one transaction, and that clients were shown its outcome.
func (w readers) checkReaders(b books.Snapshot) {
	status := map[string]string{} // of transactions, by checkout
	for _, id := range simulator.Sorted(b.Transactions) {
		c := b.Transactions[id].Text("checkout_id")
		if _, another := status[c]; another && books.AtReader(b.Checkouts[c]) {
			w.Find(c, "has more than one transaction")
		}
		status[c] = b.Transactions[id].Text("status")
	}
	w.checkOneAtATime()
	w.checkSales(b)
	ended := map[string]string{"SUCCESSFUL": "successful", "FAILED": "failed", "CANCELLED": "cancelled"}
	for _, r := range w.Replies {
		shown := decodeView(r.Response).Data
		if shown.ID == "" || !r.Received {
			continue
		}
		if !books.AtReader(b.Checkouts[shown.ID]) {
			w.Find(shown.ID, "was answered, but does not exist")
		} else if shown.Status != "" && shown.Status != "pending" && shown.Status != ended[status[shown.ID]] {
			w.Find(shown.ID, "was answered as %s, and is %s", shown.Status, status[shown.ID])
		}
	}
}

// checkOneAtATime checks that at most one cardholder waits at a reader or terminal, and none at a deleted reader.
func (w readers) checkOneAtATime() {
	open := map[string]map[string]bool{} // by reader or terminal
	set := func(at, checkout string, isOpen bool) {
		if open[at] == nil {
			open[at] = map[string]bool{}
		}
		if delete(open[at], checkout); isOpen {
			open[at][checkout] = true
		}
		if len(open[at]) > 1 {
			w.Find(checkout, "is open at %s beside %d others", at, len(open[at])-1)
		}
	}
	for _, c := range w.Changes {
		now := c.Image()
		if id, found := strings.CutPrefix(c.Change.Keys["sk"].String(), "READER#"); found && c.EventName == "REMOVE" {
			if len(open[id]) > 0 {
				w.Find("", "reader %s was deleted while a cardholder waited", id)
			}
			continue
		}
		switch now.Text("sk") {
		case "CHECKOUT":
			if books.AtReader(now) {
				waits := now.Object("attempt").Text("state") != "closed" && len(now.List("transactions")) == 0
				set(now.Object("reader").Text("reader_id"), now.Text("id"), waits)
			}
		case "SALE":
			s := now.Object("record")
			over := s.Text("progress") == "charged" || s.Text("progress") == "stopped"
			set(s.Text("serial"), strings.TrimPrefix(now.Text("pk"), "TERMINAL#SALE#"), !over)
		}
	}
}

// checkSales checks that terminals and the acquirer agree on checkouts.
func (w readers) checkSales(b books.Snapshot) {
	for _, i := range b.Items {
		if i.Text("sk") != "SALE" {
			continue
		}
		s := i.Object("record")
		decision := b.Charges[s.Text("charge")].Text("decision")
		taken := decision == "approved" || decision == "declined"
		if progress := s.Text("progress"); progress == "charged" && !taken || progress == "stopped" && taken {
			w.Find(strings.TrimPrefix(i.Text("pk"), "TERMINAL#SALE#"), "a terminal has %s, and the charge is %q", progress,
				decision)
		}
	}
}
