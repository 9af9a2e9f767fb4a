package transactions

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"iter"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// maxSkipped is how many entries that do not match one page passes over. A sparse filter over a long history thus
	// answers early, perhaps with no item at all, and the next link goes on from there.
	maxSkipped = 1000
	// maxCompared bounds the items that a page reads for changes_since, or for a person who sees only its own, unless
	// it may show more: the index knows neither when a payout changed an item nor who created its checkout. Each costs
	// half a unit, 100 in all, as two pages over 1,000 entries; a request for the largest page costs 500.
	maxCompared = 200
)

// historyPage is what a page may show, and whether anything may follow it.
type historyPage struct {
	items []payments.HistoryItem
	last  string // id of the last item examined
	more  bool   // after that one
}

// page lists what was planned, from its beginning.
func (f family) page(ctx context.Context, p historyPlan) (historyView, error) {
	read := f.readHistory
	if p.code != "" {
		read = f.readCode
	}
	caller := rest.Caller(ctx)
	p.caller, p.partial = caller, !caller.Has(identity.FullTransactionHistoryView)
	found, err := read(ctx, p)
	if err != nil {
		return historyView{}, err
	}
	page, next := p.cut(found, rest.Merchant(ctx).Calendar(caller.Tenant.Mode))
	if next.ref != "" {
		if next.hidden {
			next.ref = sealRef(f.cursorKeys(f.store.Now()), caller, next.ref)
		}
		page.Links = append(page.Links, historyLink{Rel: "next", Href: p.after(next.ref).query(), Type: "application/json"})
	}
	return page, nil
}

func (f family) readCode(ctx context.Context, p historyPlan) (historyPage, error) {
	t, found := rest.Caller(ctx).Tenant, historyPage{}
	span, err := f.span(ctx, p)
	if err != nil {
		return found, err
	}
	for item, err := range f.store.HistoryOf(ctx, t, p.code, span) {
		if err != nil {
			return found, err
		}
		found.items = append(found.items, item)
	}
	return found, nil
}

func (f family) readHistory(ctx context.Context, p historyPlan) (historyPage, error) {
	t := rest.Caller(ctx).Tenant
	span, err := f.span(ctx, p)
	if err != nil {
		return historyPage{}, err
	}
	first := p.mostRead() + 1 // one ahead, to know whether there are more
	most := first
	if !p.filter.All() {
		most += maxSkipped
	}
	found, entries, err := p.choose(f.store.History(ctx, t, rest.Merchant(ctx).ShardCount(), span, first, most))
	if err != nil {
		return found, err
	}
	found.items, err = f.store.HistoryItems(ctx, entries)
	return found, err
}

func (p historyPlan) mostRead() int {
	if p.filter.ChangesSince != nil || p.partial {
		return max(p.limit, maxCompared)
	}
	return p.limit
}

// choose returns the entries whose items the page may show, and whether another matches, or may not be examined.
func (p historyPlan) choose(entries iter.Seq2[store.HistoryEntry, error]) (historyPage, []store.HistoryEntry, error) {
	var found historyPage
	var chosen []store.HistoryEntry
	examined := 0
	for entry, err := range entries {
		if err != nil {
			return found, nil, err
		}
		matches := p.filter.MayMatch(entry.HistoryEntry)
		if examined == p.mostRead()+maxSkipped || (matches && len(chosen) == p.mostRead()) {
			found.more = true
			break
		}
		examined, found.last = examined+1, entry.ID
		if matches {
			chosen = append(chosen, entry)
		}
	}
	return found, chosen, nil
}

// following is the place where the next page begins.
type following struct {
	ref    string // id of the item before it; "": there is no next page
	hidden bool   // the caller may not see the item
}

// cut makes a page of the items that match and that the caller sees.
func (p historyPlan) cut(found historyPage, calendar merchant.Calendar) (historyView, following) {
	page := historyView{Items: []historyItem{}, Links: []historyLink{}}
	shown := ""
	for _, item := range found.items {
		if !p.filter.Match(item) || !p.caller.Sees(item.Creator) {
			continue
		}
		if len(page.Items) == p.limit {
			found.last, found.more = shown, true
			break
		}
		page.Items = append(page.Items, newHistoryItem(item, calendar))
		shown = item.ID
	}
	if !found.more {
		return page, following{}
	}
	return page, following{ref: found.last, hidden: p.partial && found.last != shown}
}

// sealRef encrypts the id of an item that the caller may not see, with the first key, for the same caller alone.
func sealRef(keys [][]byte, caller identity.Principal, id string) string {
	aead := newAEAD(keys[0])
	sealed := aead.Seal(nil, nil, []byte(id), boundTo(caller)) //nolint:gosec // G407: the AEAD makes its nonces itself
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// openRef returns the id in a ref that sealRef made for the caller with any of the keys; false for every other ref.
func openRef(keys [][]byte, caller identity.Principal, ref string) (id string, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(ref)
	if err != nil {
		return "", false
	}
	for _, key := range keys {
		if plain, openErr := newAEAD(key).Open(nil, nil, sealed, boundTo(caller)); openErr == nil {
			return string(plain), true
		}
	}
	return "", false
}

// boundTo returns the associated data of the encryption, which binds a sealed ref to the caller and its tenant.
func boundTo(caller identity.Principal) []byte {
	return []byte(caller.Tenant.String() + "\x00" + caller.Actor.ID)
}

func newAEAD(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // 32 bytes are a key
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the right block size
	}
	return aead
}

type historyView struct {
	Items []historyItem `json:"items"`
	Links []historyLink `json:"links"` // none on the last page
}

// historyLink leads on; Href is a bare query string (contract §2.6).
type historyLink struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
	Type string `json:"type"`
}

// historyItem is an item of contract §6.2. Legacy clients ignore the fields that they do not know (contract §2.3).
type historyItem struct {
	ID                  string                     `json:"id"`
	TransactionID       string                     `json:"transaction_id"`
	ClientTransactionID string                     `json:"client_transaction_id"`
	Code                string                     `json:"transaction_code"`
	User                string                     `json:"user"`
	Type                payments.EventType         `json:"type"`
	Status              payments.TransactionStatus `json:"status"`
	Timestamp           rest.Timestamp             `json:"timestamp"`
	Currency            money.Currency             `json:"currency"`
	Amount              money.Amount               `json:"amount"`
	RefundedAmount      *money.Amount              `json:"refunded_amount,omitempty"` // payments only
	ProductSummary      string                     `json:"product_summary,omitempty"`
	Installments        int                        `json:"installments_count"`
	PaymentType         string                     `json:"payment_type"`
	EntryMode           string                     `json:"entry_mode,omitempty"`
	CardType            string                     `json:"card_type,omitempty"`
	PayoutsTotal        int                        `json:"payouts_total"`
	PayoutsReceived     int                        `json:"payouts_received"`
	PayoutPlan          merchant.PayoutPlan        `json:"payout_plan"`
	PayoutDate          rest.Date                  `json:"payout_date,omitzero"`
	PayoutType          string                     `json:"payout_type,omitempty"`
}

func newHistoryItem(h payments.HistoryItem, calendar merchant.Calendar) historyItem {
	v := historyItem{
		ID: h.ID, TransactionID: h.TransactionID, ClientTransactionID: h.ClientTransactionID, Code: h.Code,
		User: h.Username, Type: h.Type, Status: h.Status(), Timestamp: rest.Timestamp(h.CreatedAt),
		Currency: h.Amount.Currency(), Amount: h.Amount, ProductSummary: h.ProductSummary, Installments: h.Installments,
		PaymentType: h.PaymentType, EntryMode: h.EntryMode, PayoutsTotal: h.PayoutsTotal(),
		PayoutsReceived: h.PayoutsReceived(), PayoutPlan: h.PayoutPlan,
	}
	if h.Type == payments.PaymentItem {
		v.RefundedAmount = &h.Refunded
	}
	if h.Card != nil {
		v.CardType = h.Card.Brand
	}
	v.PayoutType, v.PayoutDate = paysOut(h.Payouts, v.PayoutsTotal, calendar)
	return v
}
