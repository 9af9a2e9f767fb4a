package world

import (
	"strings"
	"time"
)

// Captured counts how often the acquirer moved money for a checkout, over
// all attempts, by the entries that each movement left in its books.
func (w *World) Captured(checkoutID string) int {
	charges, captures := map[string]bool{}, map[string]int{}
	for item := range w.items() {
		pk, _ := item["pk"].(string)
		sk, _ := item["sk"].(string)
		switch {
		case !strings.HasPrefix(pk, "SANDBOX#CHARGE#"):
		case strings.HasPrefix(sk, "CAPTURE#"):
			captures[pk]++
		case item["checkout_id"] == checkoutID:
			charges[pk] = true
		}
	}
	total := 0
	for pk := range charges {
		total += captures[pk]
	}
	return total
}

// Transactions are the statuses of all transactions stored for a checkout.
func (w *World) Transactions(checkoutID string) map[string]int {
	statuses := map[string]int{}
	for item := range w.items() {
		if sk, _ := item["sk"].(string); sk == "TRANSACTION" && item["checkout_id"] == checkoutID {
			status, _ := item["status"].(string)
			statuses[status]++
		}
	}
	return statuses
}

// Minute lets a minute pass for the whole platform: the sweep's tick, then
// whatever it and the stream put into the queues.
func (w *World) Minute() {
	w.Helper()
	w.Clock.Advance(time.Minute + time.Second)
	w.Settle()
}

// Settle runs the sweep and empties stream and queues, at the present time.
func (w *World) Settle() {
	w.Helper()
	ctx := w.Context()
	if err := w.main.TickNow(ctx, "sweep"); err != nil {
		w.Errorf("sweep: %v", err)
	}
	if _, err := w.main.DrainStream(ctx); err != nil {
		w.Errorf("stream: %v", err)
	}
	if _, err := w.main.DrainQueues(ctx); err != nil {
		w.Errorf("queues: %v", err)
	}
}
