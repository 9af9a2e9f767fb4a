package main

import "fmt"

// The members of functions/capacity.json about payments at Stripe.
const (
	stripeCharge       = "at Stripe: PUT /v0.1/checkouts/{id}, card"
	stripeDecline      = "at Stripe: PUT /v0.1/checkouts/{id}, card declined"
	stripeRefund       = "at Stripe: POST /v0.1/me/refund/{txn_id}, part"
	stripeNotice       = "at Stripe: POST /acquirer/notices/{mode}, payment known"
	stripeRefundNotice = "at Stripe: POST /acquirer/notices/{mode}, refund known"

	leftByStripe = "a checkout is paid by card at Stripe"
)

// stripeMore returns the units and requests that a payment has at Stripe in addition to one at another acquirer. Stripe
// sends one notice of a card payment that succeeds, payment_intent.succeeded.
func (b basis) stripeMore() use {
	u := b.measured.uses
	more := u[stripeCharge].less(u[charge]).plus(u[stripeNotice])
	more.acquirer-- // the assumption acquirer has the time of the request that charges
	return more
}

// stripeMilliseconds returns the time that functions run for stripeMore.
func (b basis) stripeMilliseconds() (float64, string) {
	a, more := b.assumed.value, b.stripeMore()
	return a("own") + more.calls*a("table") + more.acquirer*a("acquirer.request"),
		fmt.Sprintf("%s ms + %s of the table × %s ms + %s requests × %s ms", short(a("own")), short(more.calls),
			short(a("table")), short(more.acquirer), short(a("acquirer.request")))
}

func (b basis) stripe() []line {
	u, a, more := b.measured.uses, b.assumed.value, b.stripeMore()
	milliseconds, spelled := b.stripeMilliseconds()
	sent := u[stripeCharge].acquirer + 1 // the answer to the notice
	return []line{
		b.cost("DynamoDB writes", fmt.Sprintf("%s - %s + %s + %s", short(u[stripeCharge].writes),
			short(u[charge].writes), short(u[stripeNotice].writes), short(a("lease"))), "dynamodb.write",
			more.writes+a("lease")),
		b.cost("DynamoDB reads", fmt.Sprintf("%s - %s + %s", short(u[stripeCharge].reads), short(u[charge].reads),
			short(u[stripeNotice].reads)), "dynamodb.read", more.reads),
		b.cost("Lambda calls", "a notice", "lambda.call", 1),
		b.cost("Lambda GB-seconds", fmt.Sprintf("%s GB × (%s)", short(a("memory")), spelled), "lambda.gbs",
			a("memory")*milliseconds/1000),
		b.cost("log, GB", fmt.Sprintf("(%s B + %s B)/10⁹", short(a("log.notice")), short(a("log.request"))),
			"logs.written", (a("log.notice")+a("log.request"))/1e9),
		b.cost("HTTP API requests", "a notice", "api.request", 1),
		b.cost("sent, GB", fmt.Sprintf("%s × %s B/10⁹", short(sent), short(a("answer"))), "out", sent*a("answer")/1e9),
	}
}

func (b basis) keptOfStripe() []line {
	bytes := b.measured.left[leftByStripe].table - b.measured.left[leftByPayment].table
	return []line{
		b.cost("table, GB", fmt.Sprintf("%s B/10⁹", short(bytes)), "dynamodb.storage", bytes/1e9),
		b.cost("point-in-time recovery, GB", fmt.Sprintf("%s B/10⁹", short(bytes)), "dynamodb.recovery", bytes/1e9),
	}
}

// stripeLimits returns the limits that are lower for payments at Stripe, and Stripe's own. Stripe counts the requests
// of all merchants.
func (b basis) stripeLimits() ([]limit, error) {
	u, a, more := b.measured.uses, b.assumed.value, b.stripeMore()
	milliseconds, _ := b.stripeMilliseconds()
	return sortLimits([]limit{
		newLimit("one of Stripe's operations", a("quota.stripe.operation"), 1),
		newLimit("the account at Stripe", a("quota.stripe"), u[stripeCharge].acquirer),
		newLimit("a table that is new", a("quota.new"), b.today().plus(more).writes),
		newLimit("Lambda's concurrency, s a payment", a("quota.concurrency"), b.functionSeconds()+milliseconds/1000),
		newLimit("the API's stage", a("quota.stage"), requests+1),
		newLimit("the table's quota", a("quota.table"), b.today().plus(more).writes),
	})
}
