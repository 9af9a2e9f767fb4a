package world

import (
	"context"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Charges records the charges that reach the live acquirer.
type Charges struct {
	mu   sync.Mutex
	sent []acquirer.Charge
}

// RecordCharges deploys the platform with the sandbox's acquirer in live mode, and records the charges that it gets.
func (w *World) RecordCharges() *Charges {
	w.Helper()
	sent := &Charges{}
	w.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return recorder{a, sent} })
	return sent
}

// Last returns the latest charge.
func (c *Charges) Last(t testing.TB) acquirer.Charge {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sent) == 0 {
		t.Fatal("got no charge")
	}
	return c.sent[len(c.sent)-1]
}

type recorder struct {
	acquirer.Acquirer
	charges *Charges
}

func (r recorder) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	r.charges.mu.Lock()
	r.charges.sent = append(r.charges.sent, c)
	r.charges.mu.Unlock()
	return r.Acquirer.Charge(ctx, c)
}
