package functions_test

import (
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// counter is a paired reader.
type counter struct {
	*everything
	path string
}

// counter pairs the terminal that shows the code.
func (e *everything) counter(code string) *counter {
	e.Helper()
	readers := "/v0.1/merchants/" + e.Merchant.Code + "/readers"
	got := e.ask(world.Request{Method: "POST", Path: readers, Body: map[string]any{"pairing_code": code}})
	e.Clock.Advance(confirmed)
	return &counter{e, readers + "/" + got.Text("id")}
}

// request is one about the reader.
func (c *counter) request(method, path string, body any) world.Request {
	return world.Request{Method: method, Path: c.path + path, APIKey: c.Merchant.Key.Plaintext, Body: body}
}

// sale is a request to sell something, in cents.
func (c *counter) sale(cents int) world.Request {
	return c.request("POST", "/checkout", map[string]any{
		"total_amount": map[string]any{"currency": "EUR", "minor_unit": 2, "value": cents},
		"return_url":   "https://shop.example.com/callbacks/readers",
		"affiliate":    map[string]any{"app_id": "app", "key": "key", "foreign_transaction_id": "table-7"}})
}

// readers are payments at readers, whose outcome each function that looks for it may be the first to record: also one
// that is unknown at first, and one that the cardholder does not pay.
func (e *everything) readers() {
	const approved, undecided = 1010, 4225
	var c *counter
	var sold world.Request
	pairs := 0
	sell := func(cents int, offline bool) func() {
		return func() {
			if pairs++; c != nil { // a merchant has at most 100 (contract §9)
				e.ask(c.request("DELETE", "", nil))
			}
			c = e.counter(fmt.Sprintf("COUNT%04d", pairs))
			sold = c.request("GET", "/checkout/"+e.ask(c.sale(cents)).Text("data.checkout_id"), nil)
			if offline {
				c.goOffline()
			}
		}
	}
	for _, first := range []func(*world.Process){
		func(p *world.Process) {
			e.Clock.Advance(5 * time.Second)
			p.Do(sold)
			e.Clock.Advance(3 * time.Minute)
			p.Do(sold)
		},
		func(p *world.Process) {
			if _, err := e.Main().DrainStream(e.Context()); err != nil {
				e.Error(err)
			}
			e.Clock.Advance(3 * time.Minute)
			_, _ = p.DrainQueues(e.Context())
		},
		func(p *world.Process) {
			e.Clock.Advance(3 * time.Minute)
			_ = p.TickNow(e.Context(), "sweep")
		},
	} {
		e.through(sell(approved, false), first)
		for _, prepare := range []func(){sell(undecided, false), sell(approved, true)} {
			prepare()
			first(e.Main())
		}
	}
	for _, last := range []func() world.Request{
		func() world.Request { return c.request("POST", "/terminate", nil) },
		func() world.Request { return c.request("DELETE", "", nil) },
		func() world.Request { return c.request("GET", "/status", nil) },
		func() world.Request { return c.request("PATCH", "", map[string]any{"name": "Bar"}) },
	} {
		e.through(sell(approved, false), func(p *world.Process) { p.Do(last()) })
	}
	e.through(func() {
		sell(approved, false)()
		e.Clock.Advance(3 * time.Minute)
		e.PassMinute()
		c.goOffline()
	}, func(p *world.Process) { p.Do(c.sale(approved)) })
}

func (c *counter) goOffline() {
	c.Helper()
	id := c.path[len("/v0.1/merchants/"+c.Merchant.Code+"/readers/"):]
	c.Operate(map[string]any{"command": "set_reader_offline", "merchant_code": c.Merchant.Code, "mode": "test",
		"reader_id": id, "offline": true}, nil)
}
