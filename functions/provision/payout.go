package provision

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/payout/run"
)

// runPayouts opens and runs the payouts that are due, like payoutopen and payoutrun. With on_demand it makes one payout
// of all payables. In test mode it also pretends that the sandbox bank has had the time to decide the outcome.
//
// In test mode, the argument at sets a pretended time. Everything that the command writes has that time. With a time
// after tomorrow's cut-off, the command pays out today's payments.
type runPayouts struct {
	MerchantCode string `json:"merchant_code"`           // all merchants unless given
	Mode         string `json:"mode"`                    // live or test; "": both; for one merchant the first key's mode
	At           string `json:"at" validate:"date-time"` // RFC 3339, not before now; only in test mode
	OnDemand     bool   `json:"on_demand"`               // only for one merchant
	ID           string `json:"id"`                      // id of the payout on demand; the same id means the same payout
}

type payoutsRun struct {
	Payouts []payoutView `json:"payouts"`
	More    bool         `json:"more"`              // time was up: repeat the command
	NextAt  *time.Time   `json:"next_at,omitempty"` // if no payout was due: the next end of a period with payables
}

type payoutView struct {
	Tenant   string         `json:"tenant"`
	ID       string         `json:"payout"`
	Day      string         `json:"day"`
	Status   payout.Status  `json:"status"`
	Total    money.Amount   `json:"total"`
	Currency money.Currency `json:"currency"`
	Records  int            `json:"records"`
	Reason   string         `json:"reason,omitempty"` // why the bank did not pay
}

func (o operator) runPayouts(ctx context.Context, c runPayouts) (payoutsRun, error) {
	scope, err := o.parsePayoutScope(ctx, c)
	if err != nil {
		return payoutsRun{}, err
	}
	o = operator{scope.app(o), o.by}
	done := payoutsRun{Payouts: []payoutView{}}
	starting, cancel := deadline.Early(ctx, payoutTime)
	defer cancel()
	if c.OnDemand {
		err = o.runOnDemand(ctx, scope, c, &done)
	} else {
		err = o.runOverdue(ctx, starting, scope, &done)
		slices.SortFunc(done.Payouts, func(a, b payoutView) int {
			return cmp.Or(strings.Compare(a.Tenant, b.Tenant), strings.Compare(a.Day, b.Day), strings.Compare(a.ID, b.ID))
		})
	}
	if err == nil && len(done.Payouts) == 0 && !done.More {
		done.NextAt, err = o.findNextPayout(ctx, starting, scope)
	}
	return done, err
}

// payoutTime is reserved for the last payout, at the end of the function's time.
const payoutTime = 40 * time.Second

// findNextPayout returns the end of the first period that has something to pay out by schedule; nil if there is none.
func (o operator) findNextPayout(ctx, starting context.Context, s payoutScope) (*time.Time, error) {
	if s.tenant != nil {
		return banking.Open(o.App).Next(ctx, *s.tenant)
	}
	return banking.Open(o.App).NextOf(ctx, starting, s.includes)
}

// payoutScope has the tenants whose payouts a command runs, and the time.
type payoutScope struct {
	tenant *identity.Tenant // nil: all tenants
	mode   identity.Mode    // "": both modes
	at     time.Time        // zero: now
}

func (s payoutScope) includes(t identity.Tenant) bool {
	return (s.tenant == nil || *s.tenant == t) && (s.mode == "" || s.mode == t.Mode)
}

func (s payoutScope) app(o operator) *app.App {
	if s.at.IsZero() {
		return o.App
	}
	return o.At(s.at)
}

func (o operator) parsePayoutScope(ctx context.Context, c runPayouts) (payoutScope, error) {
	s, err := o.parsePayoutTenants(ctx, c)
	switch {
	case err != nil:
		return s, err
	case c.OnDemand && s.tenant == nil:
		return s, failure.Missing("merchant_code")
	case c.ID != "" && !c.OnDemand:
		return s, failure.Invalid("id", "is for payouts on demand only")
	case c.At == "":
		return s, nil
	}
	if s.at, err = parseTime("at", c.At); err != nil {
		return s, err
	}
	switch {
	case s.mode == identity.Live:
		return s, failure.Invalid("at", "is not allowed in live mode")
	case s.at.Before(o.Now()):
		return s, failure.Invalid("at", "must not be in the past")
	}
	s.at, s.mode = s.at.UTC(), identity.Test
	return s, nil
}

func (o operator) parsePayoutTenants(ctx context.Context, c runPayouts) (payoutScope, error) {
	if c.MerchantCode == "" {
		mode, known := identity.ParseMode(c.Mode)
		if !known && c.Mode != "" {
			return payoutScope{}, failure.Invalid("mode", "must be live or test")
		}
		return payoutScope{mode: mode}, nil
	}
	t, err := o.findTenant(ctx, c.MerchantCode, c.Mode)
	return payoutScope{tenant: &t, mode: t.Mode}, err
}

func (o operator) runOnDemand(ctx context.Context, s payoutScope, c runPayouts, done *payoutsRun) error {
	if c.ID == "" {
		c.ID = uuid.NewString()
	}
	payouts := banking.Open(o.App)
	if err := payouts.CheckBankAccounts(ctx, o.by, *s.tenant); err != nil { // the first account may be verified by now
		return err
	}
	planned, waits, err := payouts.OpenOnDemand(ctx, *s.tenant, c.ID)
	if err != nil || !waits {
		return err
	}
	view, err := o.runPayout(ctx, planned)
	if err == nil {
		done.Payouts = append(done.Payouts, view)
	}
	return err
}

// runOverdue opens and runs each overdue payout, until time is up. It returns the errors of the payouts that failed.
func (o operator) runOverdue(ctx, starting context.Context, s payoutScope, done *payoutsRun) error {
	var mu sync.Mutex
	var failed []error
	at, payouts := o.Now(), banking.Open(o.App)
	for shard := range o.Store.DueShards() {
		walk := run.Walk{Shard: shard, By: at, Of: s.includes}
		rest, err := payouts.WalkDue(ctx, starting, walk, func(p run.Planned) error {
			view, err := o.runPayout(ctx, p)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done.Payouts = append(done.Payouts, view)
			return nil
		})
		failed = append(failed, err)
		if done.More = rest != nil; done.More {
			break
		}
	}
	return errors.Join(failed...)
}

// runPayout runs a payout as far as possible. It first checks the pending account, because no sweep runs at a pretended
// time.
func (o operator) runPayout(ctx context.Context, p run.Planned) (payoutView, error) {
	payouts := banking.Open(o.App)
	if err := payouts.CheckBankAccounts(ctx, o.by, p.Tenant); err != nil { // Run waits for the decision itself
		o.Log.WarnContext(ctx, "bank account not checked", "tenant", p.Tenant.String(), "error", err)
	}
	if _, err := payouts.Run(ctx, p.Tenant, p.ID); err != nil {
		return payoutView{}, err
	}
	now, err := o.Store.Payout(ctx, p.Tenant, p.ID)
	if err == nil && now.Status == payout.Sent && p.Tenant.Mode == identity.Test {
		now, err = o.pollSandbox(ctx, p)
	}
	return payoutView{Tenant: p.Tenant.String(), ID: p.ID, Day: now.Day, Status: now.Status, Total: now.Total,
		Currency: now.Currency, Records: now.Records, Reason: now.Reason}, err
}

// pollSandbox runs the payout at a pretended time when the sandbox bank knows the outcome.
func (o operator) pollSandbox(ctx context.Context, p run.Planned) (payout.Payout, error) {
	if _, err := banking.Open(o.At(o.Now().Add(sandbox.LatestOutcome))).Run(ctx, p.Tenant, p.ID); err != nil {
		return payout.Payout{}, err
	}
	return o.Store.Payout(ctx, p.Tenant, p.ID)
}

// settlePayout reports the bank's outcome of a live payout in a file. The command may be repeated with the same
// outcome. Another outcome is a CONFLICT.
type settlePayout struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Payout       string `json:"payout" validate:"required"`
	Outcome      string `json:"outcome"` // paid or rejected
	Reason       string `json:"reason"`  // reason of a rejection, in ISO 20022, e.g. AC04
}

func (o operator) settlePayout(ctx context.Context, c settlePayout) (payoutView, error) {
	t, err := o.findTenant(ctx, c.MerchantCode, identity.Live.Name())
	if err != nil {
		return payoutView{}, err
	}
	if _, err = o.Store.Payout(ctx, t, c.Payout); err != nil {
		return payoutView{}, err
	}
	outcome := bank.Outcome{State: bank.State(c.Outcome), Reason: c.Reason}
	if err = banking.File(o.App).Settle(ctx, c.Payout, outcome); err != nil {
		return payoutView{}, explainNoTransfer(err)
	}
	o.Log.InfoContext(ctx, "payout settled", "tenant", t.String(), "payout", c.Payout, "outcome",
		c.Outcome, "reason", c.Reason)
	return o.runPayout(ctx, run.Planned{Tenant: t, ID: c.Payout})
}

// exportPayouts writes the live payouts that wait for the bank into a file for it (ISO 20022 pain.001.001.09). A known
// id gives the same file again, byte by byte, and the other arguments are ignored.
type exportPayouts struct {
	ID       string `json:"id" validate:"required"` // id of the file: at most 28 letters, digits and hyphens
	Holder   string `json:"holder"`                 // holder of the account that pays
	IBAN     string `json:"iban"`                   // number of the account that pays
	BIC      string `json:"bic"`                    // BIC of the bank that pays
	Currency string `json:"currency"`               // currency of the account that pays
	Day      string `json:"day"`                    // day of execution, YYYY-MM-DD; today (UTC) unless given
	Limit    *int   `json:"limit"`                  // 1-1000 payouts, 1000 unless given
}

type payoutsExported struct {
	ID      string   `json:"id"`
	Payouts []string `json:"payouts"`
	Text    string   `json:"text"` // XML
}

const maxExported = 1000

func (o operator) exportPayouts(ctx context.Context, c exportPayouts) (payoutsExported, error) {
	var text strings.Builder
	ids, err := banking.File(o.App).ExportAgain(ctx, &text, c.ID)
	if errors.Is(err, file.ErrUnknownExport) {
		var request file.Request
		if request, err = o.newFileRequest(ctx, c); err != nil {
			return payoutsExported{}, err
		}
		ids, err = banking.File(o.App).Export(ctx, &text, request)
	}
	if err != nil {
		return payoutsExported{}, err
	}
	o.Log.InfoContext(ctx, "payouts exported", "file", c.ID, "payouts", len(ids))
	return payoutsExported{c.ID, ids, text.String()}, nil
}

// newFileRequest returns the request for a file of the oldest payouts that wait.
func (o operator) newFileRequest(ctx context.Context, c exportPayouts) (file.Request, error) {
	currency, err := money.ParseCurrency(c.Currency)
	if err != nil {
		return file.Request{}, failure.Invalid("currency", "must be a supported ISO 4217 code")
	}
	waiting, err := banking.File(o.App).Waiting(ctx, currency, limitOr(c.Limit, maxExported))
	if err != nil {
		return file.Request{}, err
	}
	if len(waiting) == 0 {
		return file.Request{}, file.ErrNothingToDo
	}
	if c.Day == "" {
		c.Day = o.Now().Format(time.DateOnly)
	}
	r := file.Request{ID: c.ID, Currency: currency, Day: c.Day, Transfers: make([]string, len(waiting)),
		Debtor: merchant.BankAccount{Holder: c.Holder, IBAN: c.IBAN, BIC: c.BIC}}
	for i, transfer := range waiting {
		r.Transfers[i] = transfer.ID
	}
	return r, nil
}

// explainNoTransfer returns a Conflict if the bank never got the payout's transfer.
func explainNoTransfer(err error) error {
	if errors.Is(err, bank.ErrUnknownTransfer) {
		return failure.Conflict("The bank has no transfer for this payout yet.").WithCause(err)
	}
	return err
}
