package transactions

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// A page is read in rounds. The first round reads as much as a page with items needs.
const (
	// maxSkipped limits the entries without a match that the first round skips. A page that has an item by then ends,
	// perhaps with fewer items than its limit, and its next link continues after the skipped entries. Each further round
	// may skip twice as many entries as the round before, up to maxRoundSkipped, which two queries read (1 MB each).
	maxSkipped      = 1000
	maxRoundSkipped = 4000
	// maxCompared limits the items that a round reads for a filter that the index cannot decide. The first round of a page
	// that may show more items reads as many as it may show. The index of the history has neither the time of an item's
	// last change, for changes_since, nor the creator of its checkout, for a person who sees only the person's own
	// payments. Each item costs half a unit, so 200 items cost 100 units.
	maxCompared = 200
)

const (
	// maxPageUnits limits the read units of a page that shows no item. The page then ends empty, with a next link. One
	// partition of the index gives 3,000 units a second, and the merchant may share it with other merchants. So one page
	// takes at most a third of a second of a partition. Its units read 25,000 entries, or 2,000 items with their entries.
	maxPageUnits = 1000
	// entriesPerUnit is the number of index entries that one unit reads: 8 KB, at some 300 bytes each.
	entriesPerUnit = 25
	itemsPerUnit   = 2
	// maxReadTime limits the time from the beginning of a page until its last round begins.
	maxReadTime = 2 * time.Second
	// lastRoundTime is the time at the end of a request in which no round begins, so that the page can still be sent.
	lastRoundTime = 5 * time.Second
)

// longPages limits the pages of a merchant in one mode that read further rounds. Without a token a page ends after its
// first round. A merchant may send 300 requests a second (contract §2.9). With any filter the further rounds of these
// requests read at most 2,000 units a second. A first round reads 40 units for a filter that never matches, and 540 for
// 1,000 items that changes_since excludes. What the index of changes reads comes on top (maxChanges).
var longPages = store.Bucket{Rate: 2, Burst: 20}

// withDefaults returns the limits with the missing ones set.
func withDefaults(l app.HistoryLimits) app.HistoryLimits {
	return app.HistoryLimits{Changes: cmp.Or(l.Changes, maxChanges), Units: cmp.Or(l.Units, maxPageUnits),
		LongPages: cmp.Or(l.LongPages, longPages)}
}

// readHistory reads rounds until the page shows an item, the history ends, or the limits are reached.
func (f family) readHistory(ctx context.Context, p historyPlan) (historyPage, error) {
	span, err := f.readRange(ctx, p)
	if err != nil {
		return historyPage{}, err
	}
	early, cancel := deadline.Early(ctx, lastRoundTime)
	defer cancel()
	budget := readBudget{family: f, until: f.store.Now().Add(maxReadTime)}
	walk, p, err := f.findChanges(ctx, p, span)
	if err != nil {
		return historyPage{}, err
	}
	budget.units = p.changes.Read / entriesPerUnit
	round := p.firstRound()
	for {
		found, used, err := f.readRound(ctx, p, walk, span, round)
		if err != nil || !found.more || slices.ContainsFunc(found.items, p.shows) {
			return found.historyPage, err
		}
		if budget.units += used; !budget.allowsRound(early) {
			return found.historyPage, nil
		}
		span, round = span.After(found.place), round.next(p)
	}
}

// readBudget decides whether a page may read another round.
type readBudget struct {
	family
	until   time.Time
	units   int  // read so far, estimated
	granted bool // true once the page has the token that further rounds need
}

// allowsRound returns true if another round may begin. An early end of the page is correct, too. So the page also ends
// if the table does not answer the request for a token.
func (b *readBudget) allowsRound(ctx context.Context) bool {
	if b.units >= b.limits.Units || !b.store.Now().Before(b.until) || ctx.Err() != nil {
		return false
	}
	if !b.granted {
		subject := "history of " + rest.Caller(ctx).Tenant.String()
		b.granted = b.store.TakeToken(ctx, subject, b.limits.LongPages) == nil
	}
	return b.granted
}

// historyRound limits what one round reads. Each round goes on after the last entry that the round before examined.
type historyRound struct {
	items   int // that match, as far as the index knows
	skipped int // entries without a match
	first   int // size of the first query
}

func (p historyPlan) firstRound() historyRound {
	r := historyRound{items: p.limit, skipped: maxSkipped}
	if p.compares() {
		r.items = max(p.limit, maxCompared)
	}
	r.first = r.items + 1 // one more than the page shows, to find out whether another page follows
	return r
}

// next returns the limits of the following round. No item was found so far. So if the index decides the filter, the
// first query reads all that the round needs.
func (r historyRound) next(p historyPlan) historyRound {
	r.items, r.skipped = min(r.items, maxCompared), min(2*r.skipped, maxRoundSkipped)
	if r.first = r.items + 1; !p.compares() {
		r.first += r.skipped
	}
	return r
}

// compares returns true if only the items can decide whether the page shows them.
func (p historyPlan) compares() bool {
	others := p.filter // filters for which the entry of a payout record has no attributes
	others.Types, others.ChangesSince = nil, nil
	return p.partial || (p.filter.ChangesSince != nil && !p.changes.Found) || (p.changes.Undecided && !others.All())
}

// roundPage is the page after a round.
type roundPage struct {
	historyPage
	place store.Bound // of the last item examined
}

// readRound reads entries of the range and their items. used is an estimate of the read units.
func (f family) readRound(ctx context.Context, p historyPlan, walk historyWalk, span store.Range,
	r historyRound) (found roundPage, used int, err error) {
	most := r.items + 1
	if !p.filter.All() {
		most += r.skipped
	}
	found, entries, examined, err := p.choose(walk(ctx, span, r.first, most), r)
	if err != nil {
		return found, 0, err
	}
	found.items, err = f.store.HistoryItems(ctx, entries)
	return found, (examined+1)/entriesPerUnit + len(entries)/itemsPerUnit, err
}

// choose returns the entries whose items the page may show, and the number of examined entries. It sets more if another
// entry matches, or if it stopped before it had examined all entries.
func (p historyPlan) choose(entries iter.Seq2[store.HistoryEntry, error],
	r historyRound) (found roundPage, chosen []store.HistoryEntry, examined int, err error) {
	for entry, err := range entries {
		if err != nil {
			return found, nil, examined, err
		}
		matches := p.mayShow(entry)
		if examined == r.items+r.skipped || (matches && len(chosen) == r.items) {
			found.more = true
			break
		}
		examined, found.last, found.place = examined+1, entry.ID, entry.Place()
		if matches {
			chosen = append(chosen, entry)
		}
	}
	return found, chosen, examined, nil
}
