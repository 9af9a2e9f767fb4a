package access_test

import (
	"path"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// receipts are links to receipts and mails with them, in processes whose writes lose their replies. A receipt is
// numbered by each of them, also when a link is opened to a payment that was pending when the link was made.
func (e *everything) receipts() {
	e.Helper()
	var r world.Request
	for _, of := range []string{"links", "emails"} {
		e.through(func() { r = e.ReceiptRequest(of) }, func(p *world.Process) { p.Do(r) })
	}
	e.RunUntilIdle()
	e.through(func() {
		pending := e.Pay(e.Create(world.Unanswered, nil), e.Card(world.Frictionless))
		made := e.Send("POST", "/v1.1/receipts/"+pending.ID+"/links?mid="+e.Merchant.Code, nil)
		r = world.Request{Method: "GET", Path: "/receipts/" + path.Base(made.Text("url")), APIKey: world.NoKey}
		e.PassMinute()
		e.PassMinute()
	}, func(p *world.Process) { p.Do(r) })
}
