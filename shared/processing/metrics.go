package processing

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// charged is what an attempt's first charge measures: that it was made, how long
// the payer waited for the acquirer, and whether the outcome is unknown.
func charged(o payments.Outcome, took time.Duration) []metric.Value {
	measured := []metric.Value{metric.PaymentsAttempted.Once(), metric.AcquirerLatency.Took(took)}
	if o.Decision == payments.OutcomeUnknown {
		measured = append(measured, metric.PaymentsUnknown.Once())
	}
	return measured
}

// recorded is what an outcome measures once it is written. The approval rate is
// that of issuers' decisions: a payer who gives up is neither approved nor declined.
func (p *Processor) recorded(after payments.Checkout, o payments.Outcome) []metric.Value {
	switch o.Decision {
	case payments.Approved:
		return []metric.Value{metric.PaymentsApproved.Of(1)}
	case payments.Declined:
		return []metric.Value{metric.PaymentsApproved.Of(0)}
	case payments.OutcomeUnknown:
		if age := p.Store.Now().Sub(after.Attempt.UnknownSince); age > 0 {
			return []metric.Value{metric.UnknownPaymentAge.Took(age)}
		}
	}
	return nil
}

func (p *Processor) measure(ctx context.Context, t identity.Tenant, values ...metric.Value) {
	p.Metrics.Write(ctx, p.Store.Now(), t.Mode.Name(), values...)
}
