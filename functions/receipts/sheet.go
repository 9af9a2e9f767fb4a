package receipts

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// sheet is a receipt for people, in the merchant's language and time zone. Page and PDF show the same sheet.
type sheet struct {
	words

	language page.Language
	file     string // file name without its suffix
	refund   bool
	test     bool
	state    string   // the reason why no money has moved; "" if money moved
	merchant []string // lines of the address, beginning with the name
	amount   string
	facts    []fact
	lines    []line
	rates    []rate
	sums     []fact
	refunds  []fact
	at       time.Time
}

type fact struct{ name, value string }

type line struct{ name, quantity, price, total string }

type rate struct{ percent, net, vat, gross string }

func newSheet(p subject, m merchant.Merchant, a account.Account, test bool) sheet {
	language := page.Preferred(a.Profile.LanguageIn(m.Country))
	s := sheet{words: wordsIn.In(language), language: language, file: "receipt-" + p.record.Code, refund: p.refund,
		test: test, amount: page.Money(p.amount, language), at: p.at}
	s.state = s.stateOf(p)
	s.merchant = s.merchantLines(a.Profile.Shown(m))
	s.addFacts(p, m.Location())
	s.addLines(p)
	s.addRefunds(p, m.Location())
	return s
}

func (s sheet) heading() string {
	if s.refund {
		return s.refundTitle
	}
	return s.title
}

// stateOf returns the reason why no money has moved, or "" if money has moved.
func (w words) stateOf(p subject) string {
	states := w.payment
	if p.refund {
		states = w.refundOf
	}
	switch {
	case p.status == payments.TransactionPending:
		return states.pending
	case p.status == payments.TransactionCancelled:
		return states.cancelled
	case !p.refund && p.record.OnlyChecked():
		return w.verified
	case !p.moved:
		return states.failed
	default:
		return ""
	}
}

func (w words) merchantLines(d account.DoingBusinessAs) []string {
	where := d.Address
	_, named := country.Names(where.Country)
	lines := []string{d.BusinessName, where.Line1, where.Line2, strings.TrimSpace(where.PostCode + " " + where.City),
		where.Region, cmp.Or(named, where.Country)}
	for _, f := range []fact{{w.vatID, d.VATID}, {w.companyNumber, d.RegistrationNumber}, {w.phone, where.Landline},
		{w.email, d.Email}, {w.website, d.Website}} {
		if f.value != "" {
			lines = append(lines, f.name+": "+f.value)
		}
	}
	var filled []string
	for _, text := range lines {
		if text != "" {
			filled = append(filled, text)
		}
	}
	return filled
}

// add adds a fact, unless it has no value.
func (s *sheet) add(name, value string) {
	if value != "" {
		s.facts = append(s.facts, fact{name, value})
	}
}

func (s *sheet) addFacts(p subject, zone *time.Location) {
	t := p.record.Transaction
	s.add(s.number, receiptNo(p.record, p.id))
	s.add(s.transaction, t.Code)
	s.add(s.when, s.formatTime(p.at, zone))
	s.add(s.paidWith, s.paymentMeans(t))
	s.add(s.entry, s.entries[t.EntryMode])
	s.add(s.verification, s.verifications[readerVerification(t)])
	if t.Installments > 1 {
		s.add(s.installments, strconv.Itoa(t.Installments))
	}
	s.add(s.authCode, t.AuthCode)
	s.add(s.terminal, t.TerminalID)
	s.add(s.reader, t.Reader)
	s.add(s.application, t.EMV.ApplicationLabel)
	s.add("AID", t.EMV.AID)
}

// readerVerification returns the payer's verification method at a reader, or "" online.
func readerVerification(t payments.Transaction) string {
	if t.Reader == "" || t.Card == nil {
		return ""
	}
	return printedVerification(t)
}

// paymentMeans returns the card or the method that the payer used.
func (w words) paymentMeans(t payments.Transaction) string {
	if t.Card == nil {
		return payments.MethodIn(t.EntryMode).Name()
	}
	brand := cmp.Or(payments.BrandName(t.Card.Brand), w.card)
	if method := payments.MethodIn(t.EntryMode); method != payments.CardMethod && method != "" {
		brand = method.Name() + ", " + brand
	}
	return brand + " •••• " + t.Card.LastFour
}

func (s *sheet) addLines(p subject) {
	money := func(a money.Amount) string { return page.Number(a, s.language) }
	products := p.record.Products(p.sale)
	for _, one := range products {
		s.lines = append(s.lines, line{one.Name, strconv.Itoa(one.Quantity), money(one.PriceWithVAT),
			money(one.TotalWithVAT)})
	}
	for _, v := range payments.VATTotals(products) {
		s.rates = append(s.rates, rate{s.formatRate(v.Rate), money(v.Net), money(v.VAT), money(v.Gross)})
	}
	if !p.tip.IsZero() {
		s.sums = append(s.sums, fact{s.tip, page.Money(p.tip, s.language)})
	}
	s.sums = append(s.sums, fact{s.total, s.amount})
}

// addRefunds lists the payment's refunds, including those still pending.
func (s *sheet) addRefunds(p subject, zone *time.Location) {
	if p.refund {
		return
	}
	for _, e := range p.record.Events {
		name := s.formatTime(e.CreatedAt, zone)
		if n := receiptNo(p.record, e.ID); n != "" {
			name += ", " + s.number + " " + n
		}
		value := page.Money(e.Amount.Neg(), s.language)
		switch {
		case e.Type != payments.RefundEvent || e.Status == payments.EventFailed:
			continue
		case e.Status != payments.EventRefunded:
			value += " (" + s.pendingRefund + ")"
		}
		s.refunds = append(s.refunds, fact{name, value})
	}
}
