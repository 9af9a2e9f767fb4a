// Package sweep makes sure that all work is finished if a faster path failed. Each minute Tick processes everything
// overdue: charges of unknown outcome, payers who never came back, checkouts past valid_until, callbacks and mails
// whose message was lost, files that were not uploaded, objects to delete, and pending bank accounts. Once an hour Tick
// also asks for the outcomes that acquirers' hints name, in place of lost notices. Tick starts no new work, so a
// missed, repeated or interrupted tick does no harm.
package sweep

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/payout/run"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// concurrency is the number of due items that one tick processes at the same time.
	concurrency = 8
	// itemTime limits the time for one item, so that a hanging acquirer hardly delays the other items.
	itemTime = 15 * time.Second
	// reservedTime is reserved at the end of the function's time. It is the sum of itemTime for an item in progress, and
	// 10 s for recording an outcome.
	reservedTime = itemTime + 10*time.Second
)

// Tick processes the due items as far as the function's time allows. The next tick continues. A tick fails only if no
// shard could be read.
func Tick(a *app.App) func(context.Context) error {
	callbacks, mails, files := queue.OpenCallbacks(a), queue.OpenMails(a), queue.OpenFiles(a)
	payouts, accounts := queue.OpenPayoutShards(a), banking.Open(a)
	var changes birth
	return func(ctx context.Context) error {
		changes.record(ctx, a)
		by := audit.ByPlatform(audit.Actor{Kind: audit.Sweep, Request: app.CallID(ctx)}, "sweep")
		return (&tick{App: a, by: by, callbacks: callbacks, mails: mails, files: files, payouts: payouts,
			bankAccounts: accounts, at: a.Now()}).run(ctx)
	}
}

// tick processes all items that are due at one time, each once.
type tick struct {
	*app.App
	by           audit.By
	callbacks    *queue.Callbacks
	mails        *queue.Mails
	files        *queue.Files
	payouts      *queue.PayoutShards
	bankAccounts *run.Runner
	at           time.Time
	work         errgroup.Group

	lost, lostMails, checkouts, refunds, failures atomic.Int64 // counted for writeMetrics
	oldest                                        store.Oldest
}

func (t *tick) run(ctx context.Context) error {
	reading, cancel := deadline.Early(ctx, reservedTime)
	defer cancel()
	t.work.SetLimit(concurrency)
	failures := make([]error, t.Store.DueShards())
	var walks sync.WaitGroup
	for shard := range failures {
		walks.Go(func() { _, failures[shard] = t.walk(ctx, reading, shard) })
	}
	walks.Go(func() { t.sweepBeyondShards(ctx, reading) })
	for _, mode := range identity.Modes {
		walks.Go(func() { t.resolveHints(ctx, reading, mode) })
	}
	walks.Wait()
	_ = t.work.Wait() // process has already logged the items' errors
	defer t.writeMetrics(ctx)
	if reading.Err() != nil {
		t.Log.WarnContext(ctx, "the tick's time is up; the next one continues")
		return ctx.Err()
	}
	return t.reportUnread(ctx, failures)
}

// writeMetrics writes the metrics that the alarms watch, as one line for each mode. The first line also has the counts
// that do not depend on the mode.
func (t *tick) writeMetrics(ctx context.Context) {
	values := []metric.Value{
		metric.OverdueCallbacks.Of(t.lost.Load()), metric.ResolvedCheckouts.Of(t.checkouts.Load()),
		metric.ResolvedRefunds.Of(t.refunds.Load()), metric.SweepFailures.Of(t.failures.Load()),
		metric.OverdueMails.Of(t.lostMails.Load()),
	}
	for _, mode := range identity.Modes {
		t.Metrics.Write(ctx, t.at, mode.Name(), append(values, metric.OldestDueAge.Took(t.oldest.Age(mode, t.at)))...)
		values = nil
	}
}

// walk processes the due items of one shard, the longest overdue first. It returns their number. All shards share the
// workers, so a shard with a backlog does not delay the others.
func (t *tick) walk(ctx, reading context.Context, shard int) (int, error) {
	found := 0
	for due, err := range t.Store.Overdue(reading, shard, t.at) {
		if err != nil {
			return found, err
		}
		found++
		t.oldest.Note(due)
		t.work.Go(func() error { t.process(ctx, t.newItem(due)); return nil })
		if reading.Err() != nil {
			break
		}
	}
	return found, nil
}

// reportUnread logs the shards that could not be read. It returns an error only if no shard could be read.
func (t *tick) reportUnread(ctx context.Context, failures []error) error {
	failed := 0
	for shard, err := range failures {
		if err != nil {
			failed++
			t.failures.Add(1)
			t.Log.ErrorContext(ctx, "due shard not read", "shard", shard, "error", err)
		}
	}
	if failed < len(failures) {
		return nil
	}
	return errors.Join(failures...)
}

// process does the work on one item. A failure does not affect other items.
func (t *tick) process(ctx context.Context, i item) {
	ctx, cancel := context.WithTimeout(ctx, itemTime)
	defer cancel()
	if err := runItem(ctx, i); err != nil {
		t.failures.Add(1)
		t.Log.ErrorContext(ctx, i.failed, append(i.names, "error", err)...)
	}
}

// item holds the work on a due item or a hint, and the message to log if that work fails.
type item struct {
	settle func(context.Context) error
	failed string
	names  []any // names of the item, as log attributes
}

// newItem returns the work that the kind of due item requires.
func (t *tick) newItem(due store.Due) item {
	tenant := due.Tenant.String()
	switch {
	case due.CallbackID != "":
		return item{func(ctx context.Context) error { return t.resendCallback(ctx, due.CallbackID) },
			"callback not swept", []any{"callback", due.CallbackID}}
	case due.MailID != "":
		return item{func(ctx context.Context) error { return t.resendMail(ctx, due.MailID) },
			"mail not swept", []any{"mail", due.MailID}}
	case due.Object != "":
		return item{func(ctx context.Context) error { return t.sweepObject(ctx, due.Object) },
			"object not swept", []any{"object", due.Object}}
	case due.Growth:
		return item{func(ctx context.Context) error { return t.growShards(ctx, due.Tenant) },
			"merchant not grown", []any{"tenant", tenant}}
	case due.BankAccounts:
		return item{func(ctx context.Context) error {
			return t.bankAccounts.CheckBankAccounts(ctx, t.by, due.Tenant)
		},
			"bank accounts not swept", []any{"tenant", tenant}}
	case due.RefundID != "":
		return item{func(ctx context.Context) error {
			return countIfDone(&t.refunds, t.Processing.ResolveRefundDue(ctx, due.Tenant, due.RefundID))
		}, "refund not swept", []any{"tenant", tenant, "refund", due.RefundID}}
	default:
		return item{func(ctx context.Context) error {
			return countIfDone(&t.checkouts, t.Processing.ResolveDue(ctx, due.Tenant, due.CheckoutID))
		}, "checkout not swept", []any{"tenant", tenant, "checkout", due.CheckoutID}}
	}
}

// runItem does the item's work. It recovers a panic, which would otherwise end this tick and every later one.
func runItem(ctx context.Context, i item) (err error) {
	defer failure.Recover(&err)
	return i.settle(ctx)
}

// growShards doubles the merchant's shards if a busy shard was throttled. It does nothing if they have grown since
// then.
func (t *tick) growShards(ctx context.Context, tenant identity.Tenant) error {
	m, grown, err := t.Store.GrowShards(ctx, t.by, tenant)
	if grown {
		t.Log.InfoContext(ctx, "merchant grown", "merchant", m.Code, "shards", m.ShardCount())
	}
	return err
}

func countIfDone(n *atomic.Int64, err error) error {
	if err == nil {
		n.Add(1)
	}
	return err
}

// resendCallback queues an overdue try of a callback, and then postpones the callback's next sweep. An interruption
// between the two steps, or a try made in the meantime, costs only an extra message without effect. In the other order,
// the try could be late.
func (t *tick) resendCallback(ctx context.Context, id string) error {
	tenant, callback, err := t.Store.Callback(ctx, id)
	if err != nil || !callback.Overdue(t.at) {
		return err
	}
	if callback.Lost() {
		t.lost.Add(1)
	}
	if err = t.callbacks.SendLater(ctx, tenant, app.CallbackMessage{ID: id}, 0); err != nil {
		return err
	}
	return store.UnlessStale(t.Store.SaveCallback(ctx, tenant, callback.Swept(t.at), callback.Tries))
}

// resendMail does for a mail what resendCallback does for a callback.
func (t *tick) resendMail(ctx context.Context, id string) error {
	tenant, m, err := t.Store.Mail(ctx, id)
	if err != nil || !m.Overdue(t.at) {
		return err
	}
	if m.Lost() {
		t.lostMails.Add(1)
	}
	if err = t.mails.SendLater(ctx, tenant, app.MailMessage{ID: id}, 0); err != nil {
		return err
	}
	_, err = t.Store.SaveMail(ctx, tenant, m.Swept(t.at))
	return store.UnlessStale(err)
}

// sweepBeyondShards processes shards whose numbers are beyond the configured number of shards (store.Config). If that
// number was lowered, for example by a rolled back deployment, these shards may contain items that no other code reads.
// sweepBeyondShards reports such items as a failure. Each tick checks the shards whose number equals the current minute
// modulo 60, so that every possible shard is checked once an hour.
func (t *tick) sweepBeyondShards(ctx, reading context.Context) {
	for shard := t.at.Minute(); shard < store.MaxDueShards; shard += 60 {
		if shard < t.Store.DueShards() {
			continue
		}
		found, err := t.walk(ctx, reading, shard)
		payouts, failed := t.requestPayouts(ctx, reading, shard)
		if err = errors.Join(err, failed); found > 0 || payouts || err != nil {
			t.failures.Add(1)
			t.Log.ErrorContext(ctx, "due shard beyond the setting", "shard", shard, "items", found, "payouts", payouts,
				"error", err)
		}
	}
}

// requestPayouts sends payoutopen a message if a payout is due in the shard. It returns true if one is due.
func (t *tick) requestPayouts(ctx, reading context.Context, shard int) (bool, error) {
	for _, err := range t.Store.DuePayouts(reading, shard, "", t.at) {
		if err != nil {
			return false, err
		}
		return true, t.payouts.Send(ctx, app.PayoutShardMessage{Shard: &shard})
	}
	return false, nil
}

// sweepObject drops a file that was not uploaded in time. If the file of an object is gone, it sends a message to the
// function "files", because only that function reaches S3. Later sweeps send further messages until "files" has
// recorded the deletion, so interruptions do no harm.
func (t *tick) sweepObject(ctx context.Context, key string) error {
	e, err := t.Store.ObjectEntry(ctx, key)
	if err == nil && e.State == file.ObjectPending && e.Due(t.at) {
		if err = t.dropFile(ctx, e); err == nil {
			e, err = t.Store.ObjectEntry(ctx, key)
		}
	}
	switch {
	case failure.Is(err, failure.KindNotFound): // the index lags: the entry is already deleted
		return nil
	case err != nil || e.State != file.ObjectDoomed || !e.Due(t.Store.Now()):
		return err
	}
	if err = t.files.Send(ctx, app.FileMessage{Object: file.ObjectID(key)}); err != nil {
		return err
	}
	return store.UnlessStale(t.Store.SaveObjectEntry(ctx, e.Sent(t.at)))
}

// dropFile drops a pending file. If an entry has no file, which should not happen, dropFile marks the entry as doomed,
// so that its object is deleted.
func (t *tick) dropFile(ctx context.Context, e file.Entry) error {
	_, err := t.Store.DropFile(ctx, t.by, e.Tenant, e.File, "sweep", "")
	switch {
	case failure.Is(err, failure.KindNotFound):
		return store.UnlessStale(t.Store.SaveObjectEntry(ctx, e.Doom(t.at)))
	case errors.Is(err, store.ErrNotPending): // the file was completed in time after all
		return nil
	default:
		return err
	}
}
