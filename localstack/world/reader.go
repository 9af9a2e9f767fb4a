package world

import (
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Sale is what is sold at a card reader.
type Sale struct {
	Amount       string
	Tip          string // as a fraction of the amount, which the cardholder chooses
	Description  string
	ForeignID    string // the affiliate's
	Installments int
}

// readerPays is by when a virtual reader is paired, and by when it has charged (contract §9, §13.7).
const readerPays = 5 * time.Second

// PayAtReader sells something at a virtual reader of its own, and returns the transaction, whatever became of it.
// The clock moves while the cardholder pays.
func (s Shop) PayAtReader(sale Sale) Payment {
	s.Helper()
	c := s.OfferAtReader(sale)
	s.Clock.Advance(readerPays)
	return s.SettledAtReader(c)
}

// OfferAtReader puts a sale before the cardholder, who has not paid yet.
func (s Shop) OfferAtReader(sale Sale) payments.Checkout {
	s.Helper()
	ctx, t := s.Context(), s.Tenant()
	serial := s.serial.Add(1)
	pairing := fmt.Sprintf("rdr_%026d", serial)
	device, err := s.App.Processing.Terminal(t).Pair(ctx, terminal.Pairing{ID: pairing,
		Code: fmt.Sprintf("CODE%04d", serial), Tenant: t.String(), Until: s.Clock.Now().Add(readerPays)})
	if err != nil {
		s.Fatalf("pair a reader: %v", err)
	}
	s.Clock.Advance(readerPays)
	m, err := s.App.Store.Merchant(ctx, s.Merchant.Code)
	if err != nil {
		s.Fatal(err)
	}
	c := payments.Checkout{ID: uuid.NewString(), Reference: pairing, Status: payments.CheckoutPending,
		Amount:      money.MustParse(sale.Amount, money.Currency(s.Currency)),
		Description: sale.Description, Purpose: payments.PurposeCheckout, CreatedAt: s.Clock.Now(),
		Payee: payments.Payee{Code: m.Code, Name: m.Name, Email: m.Email, Country: m.Country, Sandbox: m.Sandbox,
			FeeRate: m.FeeRate, PayoutPlan: m.PayoutPlan}}
	if s.Receiver != nil {
		c.ReturnURL = s.Receiver.URL
	}
	if c, err = s.App.Store.CreateCheckout(ctx, t, c); err != nil {
		s.Fatalf("create a checkout: %v", err)
	}
	c.Reference = ""
	c.Reader = &payments.ReaderSale{ReaderID: pairing, Serial: device.Serial, Model: device.Model}
	if sale.Tip != "" {
		c.Reader.TipRates = []money.Decimal{money.Decimal(sale.Tip)}
	}
	if sale.ForeignID != "" {
		c.Reader.Affiliate = &payments.Affiliate{AppID: "app", ForeignID: sale.ForeignID}
	}
	c = c.BeginAtReader(payments.Attempt{ID: uuid.NewString(), Operation: "sale", Installments: sale.Installments},
		s.Clock.Now())
	if c, err = s.App.Store.SaveCheckout(ctx, t, c); err != nil {
		s.Fatalf("begin at a reader: %v", err)
	}
	if c, err = s.App.Processing.OfferAtReader(ctx, t, c); err != nil {
		s.Fatalf("offer to a reader: %v", err)
	}
	return c
}

// SettledAtReader records what the acquirer knows of a sale, and returns its transaction.
func (s Shop) SettledAtReader(c payments.Checkout) Payment {
	s.Helper()
	if _, err := s.App.Processing.Resolve(s.Context(), s.Tenant(), c.ID); err != nil {
		s.Fatalf("settle at a reader: %v", err)
	}
	read := s.Transaction("client_transaction_id=" + payments.ClientTransactionID(c.Attempt.ID))
	p := Payment{Checkout: c.ID}
	if err := read.Into(&p); err != nil || read.Status != http.StatusOK {
		s.Fatalf("transaction at a reader: %d %s, %v", read.Status, read.Body, err)
	}
	return p
}
