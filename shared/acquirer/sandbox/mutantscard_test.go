package sandbox_test

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// changeCharge returns a mutant's change that alters each charge before the sandbox gets it.
func changeCharge(as func(*acquirer.Charge, *memory)) func(*override, *memory) {
	return func(o *override, m *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			as(&c, m)
			return o.Acquirer.Charge(ctx, c)
		}
	}
}

// ownCharge returns the first charge of a customer, because that charge stores the card in the suite.
func (m *memory) ownCharge(c acquirer.Charge) acquirer.Charge {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.Store {
		m.owners[c.Descriptor] = c
	}
	return m.owners[c.Descriptor]
}

var cardMutants = map[string]mutant{
	"stores no card": {changeCharge(func(c *acquirer.Charge, _ *memory) { c.Store = false }), []string{"Token_Charged"}},
	"stores every card": {changeCharge(func(c *acquirer.Charge, _ *memory) { c.Store = true }),
		[]string{"Token_Charged"}},
	"returns another token each time": {reword(func(o *payments.Outcome) {
		if o.Card != nil && o.Card.AcquirerToken != "" {
			card := *o.Card
			card.AcquirerToken += rand.Text()
			o.Card = &card
		}
	}), []string{"Token_Charged"}},
	"charges a card for any customer": {changeCharge(func(c *acquirer.Charge, m *memory) {
		if owner := m.ownCharge(*c); c.Token != "" {
			c.Customer = owner.Customer
		}
	}), []string{"Token_OtherOwner"}},
	"charges a card for any tenant": {changeCharge(func(c *acquirer.Charge, m *memory) {
		if owner := m.ownCharge(*c); c.Token != "" {
			c.Reference.Tenant = owner.Reference.Tenant
		}
	}), []string{"Token_OtherOwner"}},
	"deletes no card": {func(o *override, _ *memory) {
		o.deleteCard = func(context.Context, string) error { return nil }
	}, []string{"DeleteCard_Stored"}},
	"deletes no card that is gone": {func(o *override, m *memory) {
		o.deleteCard = func(ctx context.Context, token string) error {
			if m.mark(token) {
				return errors.New("no such card")
			}
			return o.Acquirer.DeleteCard(ctx, token)
		}
	}, []string{"DeleteCard_Stored"}},
	"knows whether a token exists": {func(o *override, _ *memory) {
		o.deleteCard = func(ctx context.Context, token string) error {
			if token == "unknown" {
				return errors.New("no such card")
			}
			return o.Acquirer.DeleteCard(ctx, token)
		}
	}, []string{"DeleteCard_UnknownToken"}},
	"challenges absent payers": {changeCharge(func(c *acquirer.Charge, _ *memory) { c.Agreement = nil }),
		[]string{"Agreement_NeverChallenged"}},
	"captures verifications": {changeCharge(func(c *acquirer.Charge, _ *memory) { c.Verification = false }),
		[]string{"Verification_NeverCaptured"}},
	"takes no exempt charge": {func(o *override, _ *memory) {
		o.charge = func(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
			if c.Exemption != "" {
				return payments.Outcome{}, acquirer.ErrNotTaken
			}
			return o.Acquirer.Charge(ctx, c)
		}
	}, []string{"Exemption_Requested"}},
	"keeps the card number": {func(o *override, _ *memory) {
		o.summary = func(c *payments.Card) payments.CardSummary {
			return payments.CardSummary{Brand: c.Summary().Brand, LastFour: c.Number.Reveal()}
		}
	}, []string{"Summary_NoSecrets"}},
	"calls the acquirer for a summary": {func(o *override, _ *memory) {
		o.summary = func(c *payments.Card) payments.CardSummary {
			_, _ = o.LookUp(context.Background(), "c")
			return o.Acquirer.Summary(c)
		}
	}, []string{"Summary_NoSecrets"}},
}

var answerMutants = map[string]mutant{
	"gives a charge another reference each time": {reword(func(o *payments.Outcome) { o.AcquirerReference = rand.Text() }),
		[]string{"Charge_EachResult", "Charge_Interrupted"}},
	"gives no network transaction id": {reword(func(o *payments.Outcome) { o.NetworkTransactionID = "" }),
		[]string{"Outcome_NetworkTransactionID"}},
	"forgets the authentication": {reword(func(o *payments.Outcome) { o.ThreeDS = payments.ThreeDS{} }),
		[]string{"Outcome_ThreeDS"}},
	"claims that absent payers were authenticated": {reword(func(o *payments.Outcome) {
		o.ThreeDS = payments.ThreeDS{ECI: "05", LiabilityShift: true}
	}), []string{"Outcome_ThreeDS"}},
	"never forbids a card": {reword(func(o *payments.Outcome) { o.NeverRetry = false }), []string{"Outcome_Declined"}},
	"forbids every declined card": {reword(func(o *payments.Outcome) { o.NeverRetry = o.Decision == payments.Declined }),
		[]string{"Outcome_Declined"}},
	"gives no return code": {reword(func(o *payments.Outcome) { o.ReturnCode = "" }), []string{"Outcome_Declined"}},
	"forgets the page of a challenge": {func(o *override, _ *memory) {
		o.lookUp = func(ctx context.Context, id string) (payments.Outcome, error) {
			found, err := o.Acquirer.LookUp(ctx, id)
			found.Step = nil
			return found, err
		}
	}, []string{"Outcome_Step"}},
	"gives no page": {reword(func(o *payments.Outcome) { o.Step = nil }), []string{"Outcome_Step"}},
	"gives no code": {reword(func(o *payments.Outcome) { o.Code = nil }), []string{"Charge_Code"}},
	"drops the terminal's data": {reword(func(o *payments.Outcome) { o.Present = nil }),
		[]string{"Outcome_Present"}},
	"drops the card of a terminal": {reword(func(o *payments.Outcome) { o.Card = nil }), []string{"Outcome_Present"}},
	"numbers lines anew": {changeLine(func(m *acquirer.Movement) { m.LineID = rand.Text() }),
		[]string{"Statement_LineIDs"}},
	"numbers lines by the charge": {changeLine(func(m *acquirer.Movement) { m.LineID = m.ChargeID }),
		[]string{"Statement_LineIDs"}},
	"forgets a line's tenant": {changeLine(func(m *acquirer.Movement) { m.Tenant = "" }), []string{"Statement_EveryLine"}},
	"calls each line a capture": {changeLine(func(m *acquirer.Movement) { m.Kind = acquirer.CaptureMovement }),
		[]string{"Statement_EveryLine"}},
	"names the charge in each line": {changeLine(func(m *acquirer.Movement) { m.ID = m.ChargeID }),
		[]string{"Statement_EveryLine"}},
	"books refunds below zero": {changeLine(func(m *acquirer.Movement) {
		if m.Kind == acquirer.RefundMovement {
			m.Amount = m.Amount.Neg()
		}
	}), []string{"Statement_EveryLine"}},
	"settles a cent too much": {changeLine(func(m *acquirer.Movement) {
		if m.Kind == acquirer.SettlementMovement {
			m.Amount = money.FromMinor(m.Amount.Minor()+1, m.Amount.Currency())
		}
	}), []string{"Statement_Settlements"}},
	"withholds other fees": {changeLine(func(m *acquirer.Movement) {
		if m.Kind == acquirer.SettlementMovement {
			m.Amount, m.Fee = money.FromMinor(m.Amount.Minor()+m.Fee.Minor(), m.Amount.Currency()), money.Amount{}
		}
	}), []string{"Statement_Settlements"}},
	"names no settlement": {changeLine(func(m *acquirer.Movement) { m.SettlementID = "" }),
		[]string{"Statement_Settlements"}},
	"settles the days to come": {changeLine(func(m *acquirer.Movement) { m.AvailableOn = m.At.Add(48 * time.Hour) }),
		[]string{"Statement_Settlements"}},
	"settles after two years": {changeLine(func(m *acquirer.Movement) { m.AvailableOn = m.At.AddDate(2, 0, 0) }),
		[]string{"Statement_EveryLine"}},
	"yields each line twice": {func(o *override, _ *memory) {
		o.statement = func(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
			return func(yield func(acquirer.Movement, error) bool) {
				for m, err := range o.Acquirer.Statement(ctx, since) {
					for range 2 {
						if !yield(m, err) {
							return
						}
					}
				}
			}
		}
	}, []string{"Statement_EveryLine", "Statement_Since"}},
	"yields settlements only in a whole walk": {func(o *override, _ *memory) {
		o.statement = func(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
			return func(yield func(acquirer.Movement, error) bool) {
				for m, err := range o.Acquirer.Statement(ctx, since) {
					if (since.IsZero() || m.Kind != acquirer.SettlementMovement) && !yield(m, err) {
						return
					}
				}
			}
		}
	}, []string{"Statement_Settlements"}},
	"drops the lines of the first hour": {func(o *override, _ *memory) {
		o.statement = func(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
			return o.Acquirer.Statement(ctx, since.Add(time.Hour))
		}
	}, []string{"Statement_Since"}},
}

// changeLine returns a mutant's change that alters each line of the statement.
func changeLine(as func(*acquirer.Movement)) func(*override, *memory) {
	return func(o *override, _ *memory) {
		o.statement = func(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
			return func(yield func(acquirer.Movement, error) bool) {
				for m, err := range o.Acquirer.Statement(ctx, since) {
					as(&m)
					if !yield(m, err) {
						return
					}
				}
			}
		}
	}
}
