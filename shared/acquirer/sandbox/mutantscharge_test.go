package sandbox_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// again returns the charge under another id.
func again(c acquirer.Charge) acquirer.Charge {
	c.ID += "-again"
	return c
}

// raise returns a slightly higher amount. The sandbox approves 42.26, unlike 42.24 and 42.25.
func raise(a money.Amount) money.Amount { return money.FromMinor(a.Minor()+2, a.Currency()) }

// leak returns a mutant's change that adds a part of the charge to errors of Charge.
func leak(part func(acquirer.Charge) string) func(*override, *memory) {
	return func(o *override, _ *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Charge(ctx, c)
			if err != nil {
				err = fmt.Errorf("%s: %w", part(c), err)
			}
			return outcome, err
		}
	}
}

var unknown = payments.Outcome{Decision: payments.OutcomeUnknown}

var chargeMutants = map[string]mutant{
	"charges again when repeated": {func(o *override, m *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			first, err := o.Acquirer.Charge(ctx, c)
			if err == nil && m.mark(c.ID) {
				_, err = o.Acquirer.Charge(ctx, again(c))
			}
			return first, err
		}
	}, []string{"Charge_EachResult"}},
	"refuses a known id with another amount": {func(o *override, m *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			if m.mark(c.ID) && !m.mark(c.ID+c.Amount.String()) {
				return payments.Outcome{}, acquirer.ErrNotTaken
			}
			m.mark(c.ID + c.Amount.String())
			return o.Acquirer.Charge(ctx, c)
		}
	}, []string{"Charge_OtherFields"}},
	"takes a charge and says that it did not": {func(o *override, _ *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Charge(ctx, c)
			if errors.Is(err, acquirer.ErrNotTaken) {
				taken := c
				taken.Amount = raise(c.Amount)
				_, _ = o.Acquirer.Charge(ctx, taken)
				return outcome, err
			}
			if c.Amount.Minor() == 4224 {
				return outcome, acquirer.ErrNotTaken
			}
			return outcome, err
		}
	}, []string{"Charge_NotTaken"}},
	"says after a lost reply that nothing was taken": {func(o *override, _ *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Charge(ctx, c)
			if err != nil {
				err = acquirer.ErrNotTaken
			}
			return outcome, err
		}
	}, []string{"Charge_Interrupted"}},
	"charges again after an error": {func(o *override, _ *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Charge(ctx, c)
			if err != nil {
				return o.Acquirer.Charge(ctx, again(c))
			}
			return outcome, err
		}
	}, []string{"Charge_Interrupted"}},
	"does not notice that a code is paid": {func(o *override, _ *memory) {
		o.lookUp = func(ctx context.Context, id string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.LookUp(ctx, id)
			if outcome.Decision == payments.Approved {
				outcome.Decision = payments.Voucher
			}
			return outcome, err
		}
	}, []string{"Charge_Code"}},
	"declines unknown charges": {func(o *override, _ *memory) {
		o.lookUp = func(ctx context.Context, id string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.LookUp(ctx, id)
			if errors.Is(err, acquirer.ErrUnknownCharge) {
				return payments.Outcome{Decision: payments.Declined}, nil
			}
			return outcome, err
		}
	}, []string{"LookUp_UnknownID", "Charge_MeetsLookUp"}},
	"forgets a decision": {func(o *override, _ *memory) {
		o.lookUp = func(ctx context.Context, id string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.LookUp(ctx, id)
			if outcome.Decision == payments.Declined {
				return unknown, nil
			}
			return outcome, err
		}
	}, []string{"Decision_Final"}},
	"names the card in errors": {leak(func(c acquirer.Charge) string {
		if c.Card == nil {
			return ""
		}
		return c.Card.Number.Reveal()
	}), []string{"Error_NoSecrets"}},
	"quotes the wallet in errors": {leak(func(c acquirer.Charge) string { return c.Wallet.Reveal() }),
		[]string{"Error_NoSecrets"}},
	"names the payer in errors": {leak(func(c acquirer.Charge) string {
		if c.Payer == nil {
			return ""
		}
		return c.Payer.Email
	}), []string{"Error_NoSecrets"}},
	"charges twice if two calls run": {func(o *override, m *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			met, leave := m.enter(c.ID)
			defer leave()
			if met {
				return o.Acquirer.Charge(ctx, again(c))
			}
			return o.Acquirer.Charge(ctx, c)
		}
	}, []string{"Charge_MeetsCharge"}},
	"charges twice if two calls certainly run": {func(o *override, m *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			if m.wait(c.ID) {
				return o.Acquirer.Charge(ctx, again(c))
			}
			return o.Acquirer.Charge(ctx, c)
		}
	}, []string{"Charge_Concurrently"}},
	"says that a charge was not taken if the caller gave up": {func(o *override, _ *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Charge(context.WithoutCancel(ctx), c)
			if ctx.Err() != nil {
				return payments.Outcome{}, acquirer.ErrNotTaken
			}
			return outcome, err
		}
	}, []string{"Charge_CallerGivesUp"}},
}

var cancelMutants = map[string]mutant{
	"cancels a pending charge in words only": {func(o *override, _ *memory) {
		o.cancel = func(ctx context.Context, id string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Cancel(ctx, id)
			if outcome.Decision == payments.OutcomeUnknown {
				outcome.Decision = payments.Cancelled
			}
			return outcome, err
		}
	}, []string{"Charge_Pending"}},
	"forgets tombstones": {func(o *override, _ *memory) {
		o.cancel = func(ctx context.Context, id string) (payments.Outcome, error) {
			if _, err := o.LookUp(ctx, id); errors.Is(err, acquirer.ErrUnknownCharge) {
				return payments.Outcome{Decision: payments.Cancelled}, nil
			}
			return o.Acquirer.Cancel(ctx, id)
		}
	}, []string{"Cancel_UnknownID", "Cancel_MeetsCharge"}},
	"cancels while a charge is running": {func(o *override, m *memory) {
		o.cancel = func(ctx context.Context, id string) (payments.Outcome, error) {
			if _, err := o.LookUp(ctx, id); errors.Is(err, acquirer.ErrUnknownCharge) {
				m.mark(id)
				return payments.Outcome{Decision: payments.Cancelled}, nil
			}
			return o.Acquirer.Cancel(ctx, id)
		}
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			if m.isMarked(c.ID) {
				return o.Acquirer.Cancel(ctx, c.ID)
			}
			return o.Acquirer.Charge(ctx, c)
		}
	}, []string{"Cancel_MeetsCharge"}},
	"says that it cancelled when the request was lost": {func(o *override, _ *memory) {
		o.cancel = func(ctx context.Context, id string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Cancel(ctx, id)
			if err != nil {
				return payments.Outcome{Decision: payments.Cancelled}, nil
			}
			return outcome, err
		}
	}, []string{"Cancel_Interrupted"}},
	"leaves a challenge open that it says is cancelled": {func(o *override, _ *memory) {
		o.cancel = func(ctx context.Context, id string) (payments.Outcome, error) {
			if outcome, err := o.LookUp(ctx, id); err == nil && outcome.Decision == payments.Challenge {
				return payments.Outcome{Decision: payments.Cancelled}, nil
			}
			return o.Acquirer.Cancel(ctx, id)
		}
	}, []string{"Cancel_WaitingPayer", "Complete_MeetsCancel"}},
	"ignores answers": {func(o *override, _ *memory) {
		o.complete = func(ctx context.Context, id, _ string) (payments.Outcome, error) { return o.Acquirer.LookUp(ctx, id) }
	}, []string{"Complete_EachAnswer", "Complete_BadAnswer"}},
	"refuses an empty answer": {func(o *override, _ *memory) {
		o.complete = func(ctx context.Context, id, paRes string) (payments.Outcome, error) {
			if paRes == "" {
				return payments.Outcome{}, acquirer.ErrBadAnswer
			}
			return o.Acquirer.Complete(ctx, id, paRes)
		}
	}, []string{"Complete_EmptyAnswer", "Complete_UnknownID"}},
	"approves by an empty answer": {func(o *override, m *memory) {
		o.complete = func(ctx context.Context, id, paRes string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Complete(ctx, id, paRes)
			if paRes == "" && outcome.Decision == payments.Challenge {
				outcome.Decision = payments.Approved
			}
			return outcome, err
		}
	}, []string{"Complete_EmptyAnswer"}},
	"declines by a bad answer": {func(o *override, _ *memory) {
		o.complete = func(ctx context.Context, id, paRes string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Complete(ctx, id, paRes)
			if errors.Is(err, acquirer.ErrBadAnswer) {
				_, _ = o.Acquirer.Cancel(ctx, id)
			}
			return outcome, err
		}
	}, []string{"Complete_BadAnswer"}},
	"blames a good answer for a lost request": {func(o *override, _ *memory) {
		o.complete = func(ctx context.Context, id, paRes string) (payments.Outcome, error) {
			outcome, err := o.Acquirer.Complete(ctx, id, paRes)
			if err != nil {
				err = acquirer.ErrBadAnswer
			}
			return outcome, err
		}
	}, []string{"Complete_Interrupted", "Complete_UnknownID"}},
}
