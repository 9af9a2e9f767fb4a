package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// report returns the text that the program prints. It returns an error for a row that divides by zero.
func (b basis) report() (string, error) {
	var to strings.Builder
	write(&to, "a million payments, without edge and fixed costs", b.running(), true)
	write(&to, "a million payments, at the edge in addition", b.edge(), true)
	write(&to, "a month with a million payments in the table", b.kept(), true)
	write(&to, "a million payments at Stripe, in addition to all above", b.stripe(), true)
	write(&to, "a month with a million payments at Stripe in the table, in addition", b.keptOfStripe(), true)
	write(&to, "a month in which nothing happens", b.fixed(), true)
	write(&to, "a million times more, at the table alone", b.extras(), false)
	write(&to, "a million files, uploaded and downloaded once", b.files(), true)
	write(&to, "a month with a million files", b.storedFiles(), true)
	limits, err := b.limits()
	if err != nil {
		return "", err
	}
	writeLimits(&to, "what ends first", limits)
	atStripe, err := b.stripeLimits()
	if err != nil {
		return "", err
	}
	writeLimits(&to, "what ends first at Stripe", atStripe)
	to.WriteString("\n| assumption | of | value |\n|---|---|---:|\n")
	for _, a := range b.assumed {
		fmt.Fprintf(&to, "| %s | %s | %s |\n", a.name, a.what, short(a.value))
	}
	fmt.Fprintf(&to, "\n| price | of one | %s |\n|---|---|%s\n", strings.Join(regions, " | "),
		strings.Repeat("---:|", len(regions)))
	for _, p := range b.prices {
		fmt.Fprintf(&to, "| %s | %s |", p.name, p.what)
		for _, dollars := range p.value {
			fmt.Fprintf(&to, " $%s |", strconv.FormatFloat(dollars, 'f', -1, 64))
		}
		to.WriteByte('\n')
	}
	return strings.TrimPrefix(to.String(), "\n"), nil
}

type limit struct {
	what, formula string
	perSecond     float64
}

var errNothingTaken = errors.New("a measured row takes nothing of what it must")

// limits returns the limits on payments, the lowest first.
func (b basis) limits() ([]limit, error) {
	a, today := b.assumed.value, b.today()
	// A shard's payables are in one partition. A payment writes its payable in a transaction, and such a write counts
	// twice (AWS: transactional writes).
	const waiting = 2
	seconds := b.functionSeconds()
	all := []limit{
		{what: "one API key", formula: fmt.Sprintf("%s/%d requests", short(a("quota.key")), requests),
			perSecond: a("quota.key") / requests},
		{what: "one merchant's keys", formula: fmt.Sprintf("%s/%d requests", short(a("quota.merchant")), requests),
			perSecond: a("quota.merchant") / requests},
		newLimit("one shard of a merchant's payables", a("quota.partition"), waiting),
		newLimit("one shard of a merchant's list", a("quota.partition"), today.list),
		newLimit("one shard of a merchant's history", a("quota.partition"), today.history),
		newLimit(fmt.Sprintf("one merchant, %d shards", merchant.MaxShards), merchant.MaxShards*a("quota.partition"),
			max(waiting, today.list, today.history)),
		{what: "one merchant's own item", formula: fmt.Sprintf("%s/%d requests", short(a("quota.reads")), requests),
			perSecond: a("quota.reads") / requests},
		newLimit(fmt.Sprintf("the due index, %d partitions", store.DefaultDueShards),
			store.DefaultDueShards*a("quota.partition"), today.due),
		newLimit("a table that is new", a("quota.new"), today.writes),
		newLimit("the table's quota", a("quota.table"), today.writes),
		newLimit("the table's quota, with payouts all the time", a("quota.table"), b.payment().writes),
		newLimit("Lambda's concurrency, s a payment", a("quota.concurrency"), seconds),
		{what: "callback calls, messages", formula: fmt.Sprintf("%s × %s/%s s", short(a("callbackCalls")), short(a("batch")),
			short(a("receiver")/1000)),
			perSecond: a("callbackCalls") * a("batch") / (a("receiver") / 1000)},
		{what: "the API's stage", formula: fmt.Sprintf("%s/%d requests", short(a("quota.stage")), requests),
			perSecond: a("quota.stage") / requests},
	}
	return sortLimits(all)
}

// sortLimits sorts limits, the lowest first. It returns an error for a limit that divides by zero.
func sortLimits(all []limit) ([]limit, error) {
	for _, l := range all {
		if !(l.perSecond > 0 && l.perSecond < 1e12) {
			return nil, fmt.Errorf("%s: %w", l.what, errNothingTaken)
		}
	}
	slices.SortStableFunc(all, func(x, y limit) int { return int(x.perSecond) - int(y.perSecond) })
	return all, nil
}

func writeLimits(to *strings.Builder, head string, limits []limit) {
	fmt.Fprintf(to, "\n| %s | arithmetic | payments a second |\n|---|---|---:|\n", head)
	for _, l := range limits {
		fmt.Fprintf(to, "| %s | %s | %.0f |\n", l.what, l.formula, l.perSecond)
	}
}

// today returns the units of a payment without those of its payout and proofs, which come at another time.
func (b basis) today() use {
	u := b.measured.uses
	return u[create].plus(u[charge]).plus(u[callback])
}

func newLimit(what string, quota, taken float64) limit {
	return limit{what, short(quota) + "/" + short(taken), quota / taken}
}

// functionSeconds returns the seconds that functions run for a payment. It leaves out relay: under heavy traffic many
// payments share a call of relay.
func (b basis) functionSeconds() float64 {
	u, a := b.measured.uses, b.assumed.value
	calls := u[create].calls + u[charge].calls + u[retrieve].calls + u[callback].calls/a("batch")
	return ((requests+1/a("batch"))*a("own") + calls*a("table") + a("acquirer") + a("receiver")/a("batch")) / 1000
}

// short returns a number without insignificant digits.
func short(n float64) string {
	switch {
	case n == float64(int64(n)):
		return strconv.FormatInt(int64(n), 10)
	case n < 0.1:
		return strconv.FormatFloat(n, 'g', 3, 64)
	default:
		return strconv.FormatFloat(n, 'f', 2, 64)
	}
}
