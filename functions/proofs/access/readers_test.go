package access_test

import (
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// sellAtReaders takes payments at readers. A request, a message of a queue, or the sweep may be the first to learn the
// outcome of a payment. Each of the three is the first for three kinds of payments: a payment that succeeds, a payment
// whose outcome is unknown at first, and a payment at an offline reader, where the cardholder does not pay.
func (e *everything) sellAtReaders() {
	const approved, undecided = 1010, 4225
	var c world.CardReader
	var sold world.Request
	pairs := 0
	about := func(method, path string, body any) world.Request {
		return world.Request{Method: method, Path: c.Path(path), APIKey: c.Merchant.Key.Plaintext, Body: body}
	}
	sale := func(cents int64) world.Request {
		body := c.SaleBody(cents)
		body["return_url"] = "https://shop.example.com/callbacks/readers"
		body["affiliate"] = map[string]any{"app_id": "app", "key": "key", "foreign_transaction_id": "table-7"}
		return about("POST", "/checkout", body)
	}
	sell := func(cents int64, offline bool) func() {
		return func() {
			if pairs++; c.ID != "" { // a merchant has at most 100 (contract §9)
				e.mustDo(about("DELETE", "", nil))
			}
			c = e.PairReader(fmt.Sprintf("COUNT%04d", pairs))
			sold = about("GET", "/checkout/"+e.mustDo(sale(cents)).Text("data.checkout_id"), nil)
			if offline {
				c.SetOffline(true)
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
			e.ReadStream()
			e.Clock.Advance(3 * time.Minute)
			_, _ = p.DrainQueues(e.Context())
		},
		func(p *world.Process) {
			e.Clock.Advance(3 * time.Minute)
			_ = p.TickNow(e.Context(), "sweep")
		},
	} {
		e.loseReplies(sell(approved, false), first)
		for _, prepare := range []func(){sell(undecided, false), sell(approved, true)} {
			prepare()
			first(e.Main())
		}
	}
	for _, last := range []func() world.Request{
		func() world.Request { return about("POST", "/terminate", nil) },
		func() world.Request { return about("DELETE", "", nil) },
		func() world.Request { return about("GET", "/status", nil) },
		func() world.Request { return about("GET", "/settings", nil) },
		func() world.Request {
			return about("PATCH", "/settings", map[string]any{"menu_lock": map[string]any{"enabled": false}})
		},
		func() world.Request { return about("PATCH", "", map[string]any{"name": "Bar"}) },
	} {
		e.loseReplies(sell(approved, false), func(p *world.Process) { p.Do(last()) })
	}
	e.loseReplies(func() {
		sell(approved, false)()
		e.Clock.Advance(3 * time.Minute)
		e.PassMinute()
		c.SetOffline(true)
	}, func(p *world.Process) { p.Do(sale(approved)) })
}
