package access_test

import (
	"path"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// makeReceipts makes links to receipts and mails with receipts, in processes whose writes lose their replies. A link or
// a mail gives the receipt a number. Opening a link that was made while the payment was pending also gives a number.
func (e *everything) makeReceipts() {
	e.Helper()
	var r world.Request
	for _, of := range []string{"links", "emails"} {
		e.loseReplies(func() { r = e.ReceiptRequest(of) }, func(p *world.Process) { p.Do(r) })
	}
	e.RunUntilIdle()
	e.loseReplies(func() {
		pending := e.Pay(e.Create(world.Unanswered, nil), e.Card(world.Frictionless))
		made := e.Send("POST", "/v1.1/receipts/"+pending.ID+"/links?mid="+e.Merchant.Code, nil)
		r = world.Request{Method: "GET", Path: "/receipts/" + path.Base(made.Text("url")), APIKey: world.NoKey}
		e.PassMinute()
		e.PassMinute()
	}, func(p *world.Process) { p.Do(r) })
}
