package transactions

import (
	"context"
	"iter"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// maxSkipped is how many items that do not match one page passes over. A
// sparse filter over a long history thus answers early, perhaps with no item
// at all, and the next link goes on from there.
const maxSkipped = 1000

// page lists what was planned, from its beginning.
func (f family) page(ctx context.Context, p historyPlan) (historyView, error) {
	t := rest.Caller(ctx).Tenant
	span, err := f.span(ctx, t, p)
	if err != nil {
		return historyView{}, err
	}
	items := f.store.HistoryOf(ctx, t, p.code, span)
	if p.code == "" {
		first := p.limit + 1 // one ahead, to know whether there are more
		most := first
		if !p.filter.All() {
			most += maxSkipped
		}
		items = f.store.History(ctx, t, span, first, most)
	}
	return p.cut(items, rest.Merchant(ctx).Calendar(t.Mode))
}

// cut makes a page of the items, reading one ahead: there is a next link only if
// another item follows that matches, or that this page may not examine.
func (p historyPlan) cut(items iter.Seq2[payments.HistoryItem, error],
	calendar merchant.Calendar) (historyView, error) {
	page := historyView{Items: []historyItem{}, Links: []historyLink{}}
	examined, last := 0, ""
	for item, err := range items {
		if err != nil {
			return historyView{}, err
		}
		matches := p.filter.Match(item)
		if examined == p.limit+maxSkipped || (matches && len(page.Items) == p.limit) {
			page.Links = append(page.Links, historyLink{Rel: "next", Href: p.after(last).query(), Type: "application/json"})
			break
		}
		examined, last = examined+1, item.ID
		if matches {
			page.Items = append(page.Items, newHistoryItem(item, calendar))
		}
	}
	return page, nil
}
