package transactions

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// historyPage holds the items that a page may show.
type historyPage struct {
	items []payments.HistoryItem
	last  string // id of the last item examined
	more  bool   // more items may follow the last one
}

// listPage returns the page that the plan describes.
func (f family) listPage(ctx context.Context, p historyPlan) (historyView, error) {
	read := f.readHistory
	if p.code != "" {
		read = f.readHistoryOfCode
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

func (f family) readHistoryOfCode(ctx context.Context, p historyPlan) (historyPage, error) {
	t, found := rest.Caller(ctx).Tenant, historyPage{}
	span, err := f.readRange(ctx, p)
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

// nextPage is the place where the next page begins.
type nextPage struct {
	ref    string // id of the last item before the next page; "" without a next page
	hidden bool   // the caller may not see the item
}

// cut returns a page of the matching items that the caller may see.
func (p historyPlan) cut(found historyPage, calendar merchant.Calendar) (historyView, nextPage) {
	page := historyView{Items: []historyItem{}, Links: []historyLink{}}
	shown := ""
	for _, item := range found.items {
		if !p.shows(item) {
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
		return page, nextPage{}
	}
	return page, nextPage{ref: found.last, hidden: p.partial && found.last != shown}
}

// shows returns true if the item matches and the caller may see it.
func (p historyPlan) shows(item payments.HistoryItem) bool {
	return p.filter.Match(item) && p.caller.Sees(item.Creator)
}

// sealRef encrypts the id of an item that the caller may not see. It uses the first key. Only that caller can use the
// ref.
func sealRef(keys [][]byte, caller identity.Principal, id string) string {
	aead := newAEAD(keys[0])
	sealed := aead.Seal(nil, nil, []byte(id), associatedData(caller)) //nolint:gosec // G407: the AEAD makes its nonces
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// openRef returns the id in a ref that sealRef made for the caller with any of the keys. It returns false for any other
// ref.
func openRef(keys [][]byte, caller identity.Principal, ref string) (id string, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(ref)
	if err != nil {
		return "", false
	}
	for _, key := range keys {
		if plain, openErr := newAEAD(key).Open(nil, nil, sealed, associatedData(caller)); openErr == nil {
			return string(plain), true
		}
	}
	return "", false
}

// associatedData returns the associated data of the encryption. It binds a sealed ref to the caller and the caller's
// tenant.
func associatedData(caller identity.Principal) []byte {
	return []byte(caller.Tenant.String() + "\x00" + caller.Actor.ID)
}

func newAEAD(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the right block size
	}
	return aead
}

type historyView struct {
	Items []historyItem `json:"items"`
	Links []historyLink `json:"links"` // empty on the last page
}

// historyLink is a link to another page. Href is a bare query string (contract §2.6).
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
	v.PayoutType, v.PayoutDate = payoutTypeAndDate(h.Payouts, v.PayoutsTotal, calendar)
	return v
}
