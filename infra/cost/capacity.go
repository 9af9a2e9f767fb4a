package main

import (
	"encoding/json"
	"fmt"
)

// The members of functions/capacity.json that the program needs.
const (
	create     = "POST /v0.1/checkouts, card"
	createOnce = "POST /v0.1/checkouts, with an Idempotency-Key"
	charge     = "PUT /v0.1/checkouts/{id}, card"
	challenged = "PUT /v0.1/checkouts/{id}, card with challenge"
	complete   = "POST /v0.1/checkouts/{id}/complete_payment"
	saving     = "PUT /v0.1/checkouts/{id}, card saved for a customer"
	retrieve   = "GET /v0.1/checkouts/{id}"
	refund     = "POST /v0.1/me/refund/{txn_id}, part"
	receipt    = "GET /v1.1/receipts/{id}"
	callback   = "a callback is delivered"
	payout     = "32 payments are paid out"
	created    = "32 payments are proven in the night after their creation"
	proven     = "32 payments are proven in the night after their payout"

	createFile   = "POST /v0.1/merchants/{merchant_code}/files, notes"
	completeFile = "PUT /v0.1/merchants/{merchant_code}/files/{file_id}, complete"
	readFile     = "GET /v0.1/merchants/{merchant_code}/files/{file_id}"

	leftByPayment = "a checkout is paid by card"
	leftByPayout  = "32 payments are paid out, in addition"
	leftByProof   = "32 payments are proven, in addition"
	leftByFile    = "a file is uploaded"

	paidOut = 32 // payments in the payout that was measured
)

type use struct {
	reads, writes      float64 // units
	list, due, history float64 // writes, by index
	calls, relayed     float64 // calls to the table; records of its stream for relay
	acquirer           float64 // requests to Stripe
}

// less returns u minus v.
func (u use) less(v use) use {
	return use{u.reads - v.reads, u.writes - v.writes, u.list - v.list, u.due - v.due, u.history - v.history,
		u.calls - v.calls, u.relayed - v.relayed, u.acquirer - v.acquirer}
}

func (u use) plus(v use) use { return u.less(use{}.less(v)) }

// left is the number of bytes that stay stored.
type left struct{ table, indexes float64 }

type capacity struct {
	uses map[string]use
	left map[string]left
}

var (
	needed = []string{create, createOnce, charge, challenged, complete, saving, retrieve, refund,
		receipt, callback, payout, created, proven, createFile, completeFile, readFile,
		stripeCharge, stripeDecline, stripeRefund, stripeNotice, stripeRefundNotice}
	neededLeft = []string{leftByPayment, leftByPayout, leftByProof, leftByFile, leftByStripe}
)

// readCapacity reads the file. It returns an error for invalid JSON or a missing member.
func readCapacity(text []byte) (capacity, error) {
	var file struct {
		Uses []struct {
			Name        string
			Calls       map[string]float64
			Read, Write float64
			Indexes     struct{ List, Due, History float64 }
			Relayed     float64
			Acquirer    float64
		}
		Left []struct {
			Name             string
			Bytes, InIndexes float64
		}
	}
	c := capacity{map[string]use{}, map[string]left{}}
	if err := json.Unmarshal(text, &file); err != nil {
		return c, err
	}
	for _, u := range file.Uses {
		var calls float64
		for _, n := range u.Calls {
			calls += n
		}
		c.uses[u.Name] = use{u.Read, u.Write, u.Indexes.List, u.Indexes.Due, u.Indexes.History, calls, u.Relayed,
			u.Acquirer}
	}
	for _, l := range file.Left {
		c.left[l.Name] = left{l.Bytes, l.InIndexes}
	}
	for _, name := range needed {
		if _, ok := c.uses[name]; !ok {
			return c, fmt.Errorf("%q was not measured", name)
		}
	}
	for _, name := range neededLeft {
		if _, ok := c.left[name]; !ok {
			return c, fmt.Errorf("%q was not measured", name)
		}
	}
	return c, nil
}
