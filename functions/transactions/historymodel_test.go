package transactions_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// wanted returns the ids that a query must list on all its pages, according to contract §6.2 and §6.3.
func (p *historyFixture) wanted(path string, q url.Values) []string {
	ids := []string{}
	for i, item := range p.items {
		if listed(item, q, path == legacyHistory) && p.between(i, q, path == legacyHistory) {
			ids = append(ids, item.ID)
		}
	}
	if q.Get("order") == "descending" {
		slices.Reverse(ids)
	}
	return ids
}

func listed(h payments.HistoryItem, q url.Values, legacy bool) bool {
	statuses := []string{string(h.Status())}
	switch h.SimpleStatus {
	case payments.SimpleRefunded:
		statuses = append(statuses, "REFUNDED")
	case payments.SimpleChargeback, payments.SimpleNonCollection:
		statuses = append(statuses, "CHARGE_BACK")
	}
	late := true
	if text := q.Get("changes_since"); text != "" {
		since, _ := time.Parse(time.RFC3339Nano, text)
		late = h.UpdatedAt.After(since) || (h.UpdatedAt.Equal(since) && !legacy)
	}
	return late && oneOf(q["users[]"], h.Username) && oneOf(q["statuses[]"], statuses...) &&
		oneOf(q["types[]"], string(h.Type)) &&
		oneOf(q["payment_types[]"], h.PaymentType) && oneOf(q["entry_modes[]"], h.EntryMode) &&
		(!q.Has("transaction_code") || q.Get("transaction_code") == h.Code) &&
		oneOf(q["readers[]"], h.Reader) && inBox(q.Get("geo_coordinates"), h.Location)
}

// inBox returns true if a place is within a box, given as west, south, east and north. Without a box it always returns
// true.
func inBox(box string, at *payments.Location) bool {
	if box == "" || at == nil {
		return box == ""
	}
	var west, south, east, north float64
	_, err := fmt.Sscanf(box, "%f,%f,%f,%f", &west, &south, &east, &north)
	return err == nil && west <= at.Lon && at.Lon <= east && south <= at.Lat && at.Lat <= north
}

func oneOf(allowed []string, values ...string) bool {
	return len(allowed) == 0 || slices.ContainsFunc(allowed, func(a string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(a, v) })
	})
}

// between returns true if the i-th item is within the query's times or refs.
func (p *historyFixture) between(i int, q url.Values, legacy bool) bool {
	at := p.items[i].CreatedAt
	if ref := q.Get("oldest_ref"); ref != "" {
		if n := p.places[ref]; i < n || (i == n && q.Get("oldest_incl") != "true") {
			return false
		}
	} else if text := q.Get("oldest_time"); text != "" {
		oldest, _ := time.Parse(time.RFC3339Nano, text)
		if at.Before(oldest) || (at.Equal(oldest) && legacy) {
			return false
		}
	}
	if ref := q.Get("newest_ref"); ref != "" {
		n := p.places[ref]
		return i < n || (i == n && q.Get("newest_incl") == "true")
	}
	newest, err := time.Parse(time.RFC3339Nano, q.Get("newest_time"))
	return err != nil || at.Before(newest)
}
