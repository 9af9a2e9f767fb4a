package sandbox_test

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// refundAgain returns the refund under another id.
func refundAgain(r acquirer.Refund) acquirer.Refund {
	r.ID += "-again"
	return r
}

var refundMutants = map[string]mutant{
	"refunds again when repeated": {func(o *override, m *memory) {
		o.refund = func(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
			first, err := o.Acquirer.Refund(ctx, r)
			if err == nil && m.mark(r.ID) {
				_, err = o.Acquirer.Refund(ctx, refundAgain(r))
			}
			return first, err
		}
	}, []string{"Refund_Repeated"}},
	"refuses a known refund with another amount": {func(o *override, m *memory) {
		o.refund = func(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
			if m.mark(r.ID) && !m.mark(r.ID+r.Amount.String()) {
				return payments.Outcome{}, acquirer.ErrNotTaken
			}
			m.mark(r.ID + r.Amount.String())
			return o.Acquirer.Refund(ctx, r)
		}
	}, []string{"Refund_OtherFields"}},
	"approves every refund": {func(o *override, _ *memory) {
		o.refund = func(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Refund(ctx, r)
			if outcome.Decision == payments.Declined {
				outcome.Decision = payments.Approved
			}
			return outcome, err
		}
	}, []string{"Refund_MoreThanCaptured", "Refund_ChargeNotApproved", "Refund_MeetsOtherRefund"}},
	"takes a refund and says that it did not": {func(o *override, _ *memory) {
		o.refund = func(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Refund(ctx, r)
			if errors.Is(err, acquirer.ErrNotTaken) {
				r.ID, r.Amount = r.ID+"-taken", raise(r.Amount)
				_, _ = o.Acquirer.Refund(ctx, r)
			}
			return outcome, err
		}
	}, []string{"Refund_NotTaken"}},
	"refunds again after an error": {func(o *override, _ *memory) {
		o.refund = func(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Refund(ctx, r)
			if err != nil {
				return o.Acquirer.Refund(ctx, refundAgain(r))
			}
			return outcome, err
		}
	}, []string{"Refund_Interrupted"}},
	"refunds twice if two calls run": {func(o *override, m *memory) {
		o.refund = func(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
			met, leave := m.enter(r.ID)
			defer leave()
			if met {
				return o.Acquirer.Refund(ctx, refundAgain(r))
			}
			return o.Acquirer.Refund(ctx, r)
		}
	}, []string{"Refund_MeetsRefund"}},
	"refunds twice if two calls certainly run": {func(o *override, m *memory) {
		o.refund = func(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
			if m.wait(r.ID) {
				return o.Acquirer.Refund(ctx, refundAgain(r))
			}
			return o.Acquirer.Refund(ctx, r)
		}
	}, []string{"Refund_Concurrently"}},
	"cancels a pending refund in words only": {func(o *override, _ *memory) {
		o.cancelRefund = func(ctx context.Context, id string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.CancelRefund(ctx, id)
			if outcome.Decision == payments.OutcomeUnknown {
				outcome.Decision = payments.Cancelled
			}
			return outcome, err
		}
	}, []string{"Refund_Pending"}},
	"forgets tombstones of refunds": {func(o *override, _ *memory) {
		o.cancelRefund = func(context.Context, string) (payments.Outcome, error) {
			return payments.Outcome{Decision: payments.Cancelled}, nil
		}
	}, []string{"CancelRefund_UnknownID"}},
	"cancels while a refund is running": {func(o *override, m *memory) {
		o.cancelRefund = func(ctx context.Context, id string) (payments.Outcome, error) {
			if !m.isMarked("done " + id) {
				m.mark(id)
				return payments.Outcome{Decision: payments.Cancelled}, nil
			}
			return o.Acquirer.CancelRefund(ctx, id)
		}
		o.refund = func(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
			if m.isMarked(r.ID) {
				return o.Acquirer.CancelRefund(ctx, r.ID)
			}
			outcome, err := o.Acquirer.Refund(ctx, r)
			m.mark("done " + r.ID)
			return outcome, err
		}
	}, []string{"CancelRefund_MeetsRefund"}},
	"says that it cancelled a refund when the request was lost": {func(o *override, _ *memory) {
		o.cancelRefund = func(ctx context.Context, id string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.CancelRefund(ctx, id)
			if err != nil {
				return payments.Outcome{Decision: payments.Cancelled}, nil
			}
			return outcome, err
		}
	}, []string{"CancelRefund_Interrupted"}},
}
