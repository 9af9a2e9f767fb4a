package main

import (
	"fmt"
	"strings"
)

type basis struct {
	prices   priceList
	assumed  assumptionList
	measured capacity
}

// requests is the number of a payment's requests: create, charge, read. A payment also has a callback, and is included
// in a day's payout.
const requests = 3

type line struct {
	what, formula string
	dollars       []float64 // for a million payments, by region
}

const million = 1e6

// cost returns the line with the cost of a number of units per payment.
func (b basis) cost(what, formula, price string, units float64) line {
	l := line{what: what, formula: fmt.Sprintf("%s = %s", formula, short(units))}
	for _, dollars := range b.prices.value(price) {
		l.dollars = append(l.dollars, units*million*dollars)
	}
	return l
}

// payment returns the table's units for one payment, without the units of the rate limit.
func (b basis) payment() use {
	u := b.measured.uses
	return u[create].plus(u[charge]).plus(u[retrieve]).plus(u[callback]).plus(b.share())
}

// share returns the units of a payment in a payout, and in the nights that prove it.
func (b basis) share() use {
	m := b.measured.uses
	u := m[payout].plus(m[created]).plus(m[proven])
	return use{u.reads / paidOut, u.writes / paidOut, u.list / paidOut, u.due / paidOut, u.history / paidOut,
		u.calls / paidOut, u.relayed / paidOut, u.acquirer / paidOut}
}

func (b basis) running() []line {
	u, a := b.measured.uses, b.assumed.value
	calls, seconds, spelled := b.lambda()
	return []line{
		b.cost("DynamoDB writes", fmt.Sprintf("%s + %s + %s + (%s + %s + %s)/%d + %d × %s", short(u[create].writes),
			short(u[charge].writes), short(u[callback].writes), short(u[payout].writes), short(u[created].writes),
			short(u[proven].writes), paidOut, requests, short(a("lease"))),
			"dynamodb.write", b.payment().writes+requests*a("lease")),
		b.cost("DynamoDB reads", fmt.Sprintf("%s + %s + %s + %s + (%s + %s + %s)/%d", short(u[create].reads),
			short(u[charge].reads), short(u[retrieve].reads), short(u[callback].reads), short(u[payout].reads),
			short(u[created].reads), short(u[proven].reads), paidOut),
			"dynamodb.read", b.payment().reads),
		b.cost("Lambda calls", fmt.Sprintf("%d requests + 1 callback + %s of relay", requests, short(calls-requests-1)),
			"lambda.call", calls),
		b.cost("Lambda GB-seconds", spelled, "lambda.gbs", seconds),
		b.cost("SQS requests", "send, receive, delete", "sqs.request", 3),
		b.cost("log, GB", b.loggedBytes(), "logs.written", b.logged()),
	}
}

func (b basis) edge() []line {
	a := b.assumed.value
	return []line{
		b.cost("HTTP API requests", "create, charge, read", "api.request", requests),
		b.cost("sent, GB", fmt.Sprintf("%d × %s B/10⁹", requests+1, short(a("answer"))), "out", (requests+1)*a("answer")/1e9),
	}
}

// logged returns the bytes that a payment logs, in GB.
func (b basis) logged() float64 {
	a := b.assumed.value
	return (a("log.payment") + requests*a("log.request")) / 1e9
}

func (b basis) loggedBytes() string {
	a := b.assumed.value
	return fmt.Sprintf("(%s B + %d × %s B)/10⁹", short(a("log.payment")), requests, short(a("log.request")))
}

// lambda returns a payment's calls and GB-seconds. It assumes the worst case: a separate call for each relayed record.
// It leaves out the few calls of payoutrun and prove.
func (b basis) lambda() (calls, seconds float64, spelled string) {
	u, a := b.measured.uses, b.assumed.value
	relayed := b.payment().relayed
	calls = requests + 1 + relayed
	tables := u[create].calls + u[charge].calls + u[retrieve].calls + u[callback].calls
	waited := a("acquirer") + a("receiver") + a("send")
	seconds = (calls*a("own") + tables*a("table") + waited) / 1000
	return calls, a("memory") * seconds, fmt.Sprintf("%s GB × (%s calls × %s ms + %s of the table × %s ms + %s ms)",
		short(a("memory")), short(calls), short(a("own")), short(tables), short(a("table")), short(waited))
}

// bytesKept returns the bytes that stay stored after a payment, including the payment's share of the bytes of a payout
// and of a proof.
func (b basis) bytesKept() left {
	one, paid, proven := b.measured.left[leftByPayment], b.measured.left[leftByPayout], b.measured.left[leftByProof]
	return left{one.table + (paid.table+proven.table)/paidOut, one.indexes + (paid.indexes+proven.indexes)/paidOut}
}

func (b basis) kept() []line {
	a, kept := b.assumed.value, b.bytesKept()
	return []line{
		b.cost("table and indexes, GB", fmt.Sprintf("(%s B + %s B)/10⁹", short(kept.table), short(kept.indexes)),
			"dynamodb.storage", (kept.table+kept.indexes)/1e9),
		b.cost("point-in-time recovery, GB", fmt.Sprintf("%s B/10⁹", short(kept.table)), "dynamodb.recovery", kept.table/1e9),
		b.cost("log, GB", fmt.Sprintf("as above, in each of %s months", short(a("log.months"))), "logs.kept", b.logged()),
	}
}

func (b basis) fixed() []line {
	const minutes = 30 * 24 * 60
	a := b.assumed.value
	monthly := func(what, formula, price string, units float64) line {
		l := b.cost(what, formula, price, units/million)
		l.formula = formula + " = " + short(units)
		return l
	}
	polls := a("polled") * a("pollers") * minutes * 60 / a("longPoll")
	queries := a("shards") * minutes * (1 + 1.0/a("planEvery"))
	const leastQuery = 0.5 // RRU of an empty query, eventually consistent
	return []line{
		monthly("alarms", "metrics that they watch", "cloudwatch.alarm", a("alarms")),
		monthly("metrics of our own", "at most", "cloudwatch.metric", a("metrics")),
		monthly("dashboard", "one", "cloudwatch.dashboard", 1),
		monthly("KMS keys", "of the table, of files and of the environments", "kms.key", 3),
		monthly("secrets", "two", "secret", a("secrets")),
		monthly("mails to merchants' people", "as many", "ses.mail", a("mails")),
		monthly("SQS, polls that find nothing", fmt.Sprintf("%s queues × %s pollers × 1/%s s", short(a("polled")),
			short(a("pollers")), short(a("longPoll"))), "sqs.request", polls),
		monthly("due shards asked, RRU", fmt.Sprintf("%s × %s a minute, and every %s", short(a("shards")), short(leastQuery),
			short(a("planEvery"))), "dynamodb.read", queries*leastQuery),
		monthly("sweep, GB-seconds", fmt.Sprintf("%d calls × %s GB × %s × %s ms", minutes, short(a("memory.tick")),
			short(a("shards")), short(a("table"))), "lambda.gbs",
			minutes*a("memory.tick")*a("shards")*a("table")/1000),
	}
}

func (b basis) files() []line {
	const calls, requests = 3, 3 // create, complete and read
	u, a := b.measured.uses, b.assumed.value
	all := u[createFile].plus(u[completeFile]).plus(u[readFile])
	sum := func(each func(use) float64) string {
		return fmt.Sprintf("%s + %s + %s", short(each(u[createFile])), short(each(u[completeFile])), short(each(u[readFile])))
	}
	seconds := (calls*a("own") + all.calls*a("table") + a("inspect")) / 1000
	return []line{
		b.cost("DynamoDB writes", sum(func(u use) float64 { return u.writes }), "dynamodb.write", all.writes),
		b.cost("DynamoDB reads", sum(func(u use) float64 { return u.reads }), "dynamodb.read", all.reads),
		b.cost("Lambda calls", "create, complete, read", "lambda.call", calls),
		b.cost("Lambda GB-seconds", fmt.Sprintf("%s GB × (%d calls × %s ms + %s of the table × %s ms + %s ms)",
			short(a("memory")), calls, short(a("own")), short(all.calls), short(a("table")), short(a("inspect"))),
			"lambda.gbs", a("memory")*seconds),
		b.cost("HTTP API requests", "create, complete, read", "api.request", requests),
		b.cost("S3 uploads", "one", "s3.write", 1),
		b.cost("S3 reads", "to check it, and one download", "s3.read", 2),
		b.cost("sent, GB", fmt.Sprintf("a download of %s B/10⁹", short(a("file"))), "out", a("file")/1e9),
	}
}

func (b basis) storedFiles() []line {
	a, kept := b.assumed.value, b.measured.left[leftByFile]
	return []line{
		b.cost("content, GB", fmt.Sprintf("%s B/10⁹", short(a("file"))), "s3.storage", a("file")/1e9),
		b.cost("table, GB", fmt.Sprintf("%s B/10⁹", short(kept.table)), "dynamodb.storage", kept.table/1e9),
		b.cost("point-in-time recovery, GB", fmt.Sprintf("%s B/10⁹", short(kept.table)), "dynamodb.recovery", kept.table/1e9),
	}
}

// extras returns optional parts of a payment. Their units come in addition to the units of the payment.
func (b basis) extras() []line {
	u, nothing := b.measured.uses, use{}
	var all []line
	for _, extra := range []struct {
		what string
		more use
	}{
		{"with a 3DS challenge", u[challenged].plus(u[complete]).less(u[charge])},
		{"card saved for a customer", u[saving].less(u[charge])},
		{"an Idempotency-Key on both writes", u[createOnce].less(u[create]).plus(u[createOnce].less(u[create]))},
		{"a receipt, the first time", u[receipt]},
		{"a refund", u[refund]},
		{"a live refund at Stripe, with two notices",
			u[stripeRefund].plus(u[stripeRefundNotice]).plus(u[stripeRefundNotice])},
		{"a card that Stripe declines, with two notices", u[stripeDecline].plus(u[stripeNotice]).plus(u[stripeNotice])},
		{"its callback, once more", u[callback]},
	} {
		write, read := b.cost("", "", "dynamodb.write", extra.more.writes), b.cost("", "", "dynamodb.read", extra.more.reads)
		l := line{what: extra.what, formula: fmt.Sprintf("%s WRU, %s RRU", short(extra.more.writes), short(extra.more.reads))}
		for i := range regions {
			l.dollars = append(l.dollars, write.dollars[i]+read.dollars[i])
		}
		if extra.more != nothing {
			all = append(all, l)
		}
	}
	return all
}

func write(to *strings.Builder, head string, lines []line, sum bool) {
	fmt.Fprintf(to, "\n| %s | units of one | %s |\n|---|---|%s\n", head, strings.Join(regions, " | "),
		strings.Repeat("---:|", len(regions)))
	total := line{what: "**together**", dollars: make([]float64, len(regions))}
	for _, l := range lines {
		for i, dollars := range l.dollars {
			total.dollars[i] += dollars
		}
		l.write(to)
	}
	if sum {
		total.write(to)
	}
}

func (l line) write(to *strings.Builder) {
	fmt.Fprintf(to, "| %s | %s |", l.what, l.formula)
	for _, dollars := range l.dollars {
		fmt.Fprintf(to, " $%.2f |", dollars)
	}
	to.WriteByte('\n')
}
