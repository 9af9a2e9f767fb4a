package inspector

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Limits of the page.
const (
	maxShown    = 20 // of requests and of callbacks
	maxPayments = 40
	maxPending  = 20
	maxMails    = 20
)

type view struct {
	BaseURL      string
	Clock        string
	OutOfProcess bool
	Said         buttonResult
	Requests     []*Request
	Callbacks    []*Callback
	Pending      []pending
	Payments     []payment
	Readers      []cardReader
	Mails        []ses.Kept
}

type pending struct {
	Merchant Merchant
	Checkout payments.Checkout
}

// voucher returns true if the checkout waits for payment of a boleto or Pix code, rather than for a payer on a page.
func (p pending) voucher() bool { return p.Checkout.Attempt.Method.Flow() == payments.VoucherFlow }

type payment struct {
	Merchant Merchant
	payments.HistoryItem
}

func (p payment) outcome() string {
	if p.SimpleStatus != "" {
		return string(p.SimpleStatus)
	}
	return p.RawStatus
}

func (p payment) reversible() bool {
	return slices.Contains([]payments.SimpleStatus{payments.SimpleSuccessful, payments.SimplePaidOut}, p.SimpleStatus)
}

type cardReader struct {
	Merchant Merchant
	ID, Name string
	Online   bool
}

type section struct {
	id, title string
	body      templ.Component
	forms     templ.Component // not updated, so that input in them is kept
}

// columns returns the sections in two columns: the developer's requests with their callbacks, and everything else.
func (v view) columns() [][]section {
	none := templ.NopComponent
	return [][]section{{
		{"requests", "Requests", requestsBody(v), none},
		{"callbacks", "Callbacks", callbacksBody(v), none},
	}, {
		{"pending", "Waiting for the payer", pendingBody(v), none},
		{"payments", "Payments", paymentsBody(v), none},
		{"operator", "Time and payouts", timeBody(v), operatorForms()},
		{"readers", "Card readers", readersBody(v), none},
		{"mails", "Mails", mailsBody(v), none},
	}}
}

func (s *site) loadView(ctx context.Context) (view, error) {
	s.digest()
	requests := slices.DeleteFunc(s.Requests(), func(r *Request) bool { return r.Function == "docs" })
	v := view{BaseURL: s.BaseURL, Clock: s.Clock(), OutOfProcess: s.OutOfProcess, Said: s.lastResult(),
		Requests: first(maxShown, requests), Callbacks: first(maxShown, s.Callbacks())}
	for _, m := range s.Merchants {
		if err := s.addMerchant(ctx, &v, m); err != nil {
			return v, err
		}
	}
	byTime := func(a, b payment) int { return b.CreatedAt.Compare(a.CreatedAt) }
	slices.SortStableFunc(v.Payments, byTime)
	v.Payments = first(maxPayments, v.Payments)
	slices.SortStableFunc(v.Pending, func(a, b pending) int {
		return b.Checkout.Attempt.StartedAt.Compare(a.Checkout.Attempt.StartedAt)
	})
	v.Pending = first(maxPending, v.Pending)
	var err error
	v.Mails, err = s.readMails()
	return v, err
}

func first[T any](most int, list []T) []T { return list[:min(most, len(list))] }

func (s *site) addMerchant(ctx context.Context, v *view, m Merchant) error {
	t := identity.Tenant{Mode: identity.Test, Merchant: m.Code}
	stored, err := s.App.Store.Merchant(ctx, m.Code)
	if err != nil {
		return err
	}
	for c, err := range s.App.Store.Checkouts(ctx, t, stored.ShardCount()) {
		if err != nil {
			return err
		}
		if c.RequiresAction() {
			v.Pending = append(v.Pending, pending{m, c})
		}
	}
	if err = s.addPayments(ctx, v, m, stored.ShardCount()); err != nil {
		return err
	}
	readers, err := s.App.Store.CardReaders(ctx, t)
	if err != nil {
		return err
	}
	for _, r := range readers {
		c, err := s.App.Store.AnyCheckout(ctx, t, r.Checkout)
		if p := (pending{m, c}); err == nil && c.WaitsAtReader() && p.voucher() {
			p.Checkout.Reference = r.Name // a checkout at a reader has no reference
			v.Pending = append(v.Pending, p)
		}
		// List only virtual readers, to take them offline. A terminal of `make reader` has a key for that.
		if beat, err := s.App.Virtual.Heartbeat(ctx, r.ID); err == nil && beat.Confirmed {
			v.Readers = append(v.Readers, cardReader{m, r.ID, r.Name, beat.Online})
		}
	}
	return nil
}

func (s *site) addPayments(ctx context.Context, v *view, m Merchant, shards int) error {
	t := identity.Tenant{Mode: identity.Test, Merchant: m.Code}
	var entries []store.HistoryEntry
	newest := store.Range{NewestFirst: true}
	for entry, err := range s.App.Store.History(ctx, t, shards, newest, maxPayments, 2*maxPayments) {
		if err != nil {
			return err
		}
		if entry.Type == payments.PaymentItem {
			entries = append(entries, entry)
		}
	}
	items, err := s.App.Store.HistoryItems(ctx, first(maxPayments, entries))
	for _, item := range items {
		v.Payments = append(v.Payments, payment{m, item})
	}
	return err
}

func (s *site) readMails() ([]ses.Kept, error) {
	files, err := os.ReadDir(s.Mails)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	written := map[string]time.Time{}
	for _, file := range files {
		if info, err := file.Info(); err == nil { // a file renamed in the meantime appears in the next view
			written[file.Name()] = info.ModTime()
		}
	}
	latest := slices.SortedFunc(maps.Keys(written), func(a, b string) int { return written[b].Compare(written[a]) })
	var all []ses.Kept
	for _, name := range first(maxMails, latest) {
		if mail, err := ses.Read(filepath.Join(s.Mails, name)); err == nil { // else the mail is being written
			all = append(all, mail)
		}
	}
	return all, nil
}

// Formats of values on the page.

func amount(a money.Amount) string { return page.Money(a, page.English) }

func clockTime(t time.Time) string { return t.Local().Format(time.TimeOnly) }

func milliseconds(d time.Duration) string {
	return strings.TrimSuffix(d.Round(10*time.Microsecond).String(), "0s")
}
