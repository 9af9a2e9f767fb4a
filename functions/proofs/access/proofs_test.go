package access_test

import (
	"encoding/json"
	"time"
)

// proveInSegments proves the whole table over the queue, with breaks, and then what has changed.
func (e *everything) proveInSegments() {
	e.Helper()
	invoke := func(request string) (answer struct{ Proof string }) {
		e.Helper()
		said, err := e.Main().Invoke(e.Context(), "reconcile", json.RawMessage(request))
		if err == nil {
			err = json.Unmarshal(said, &answer)
		}
		if err != nil {
			e.Fatal(err)
		}
		return answer
	}
	for range 2 { // the second proof imports what is new
		invoke(`{"proof":"` + invoke(`{"segments":2}`).Proof + `"}`)
		e.DrainQueues()
	}
	for range 3 { // the whole table, all of each tenant, and what has changed since
		invoke("{}")
		e.DrainQueues()
		e.Clock.Advance(time.Hour)
	}
}

// correctSettlement writes off a cent of a settlement, and tries to do so for a merchant that does not exist.
func (t sales) correctSettlement() {
	t.Helper()
	t.LeaveOpen(t.Tenant(), 1, 100, 0, "s")
	command := map[string]any{"command": "correct_settlement", "mode": "test", "settlement": "s", "currency": "EUR",
		"id": "correction", "amount": "0.01", "merchant_code": t.Merchant.Code}
	t.Operate(command, nil)
	command["merchant_code"] = "MC00000000"
	request, err := json.Marshal(command)
	if err == nil {
		_, err = t.Main().Invoke(t.Context(), "provision", request)
	}
	if err != nil {
		t.Fatal(err)
	}
}
