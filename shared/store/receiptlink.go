package store

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// receiptLinkItem leads from the hash of a link's token to the receipt.
type receiptLinkItem struct {
	key
	identity.Tenant
	payments.ReceiptLink
	TTL time.Time `dynamo:"expires_at,unixtime"`
}

func (s *Store) putReceiptLink(t identity.Tenant, l payments.ReceiptLink) *dynamo.Put {
	return s.table.Put(receiptLinkItem{key: receiptLinkKey(l.TokenHash), Tenant: t, ReceiptLink: l, TTL: l.ExpiresAt}).
		If("attribute_not_exists(pk)")
}

// CreateReceiptLink stores a link, and returns the link as stored. The token follows from the operation. Repeated with
// the same token, it returns the first link. Failure: ErrContended.
func (s *Store) CreateReceiptLink(ctx context.Context, t identity.Tenant,
	l payments.ReceiptLink) (payments.ReceiptLink, error) {
	return Retry(func(bool) (payments.ReceiptLink, error) {
		return s.resolveReceiptLink(ctx, l, s.putReceiptLink(t, l).Run(ctx))
	})
}

// MailReceipt stores a link and the mail with the link, both or neither. The token follows from the mail. Repeated with
// the same token, it changes nothing. Failure: ErrContended.
func (s *Store) MailReceipt(ctx context.Context, t identity.Tenant, l payments.ReceiptLink, m mail.Mail) error {
	_, err := Retry(func(bool) (payments.ReceiptLink, error) {
		tx := s.db.WriteTx().Idempotent(true).Put(s.putReceiptLink(t, l)).Put(s.putMail(t, m))
		return s.resolveReceiptLink(ctx, l, tx.Run(ctx))
	})
	return err
}

// resolveReceiptLink returns the stored link if an earlier try stored it, despite the error of the write.
func (s *Store) resolveReceiptLink(ctx context.Context, l payments.ReceiptLink,
	err error) (payments.ReceiptLink, error) {
	return resolveCreation(l, err, func() (payments.ReceiptLink, bool, error) {
		_, stored, err := s.ReceiptLink(ctx, l.TokenHash)
		return stored, err == nil, ignoreNotFound(err)
	})
}

// ReceiptLink reads the link with the hash of a token, and its tenant, consistently. Failure: NotFound for an unknown
// or expired link.
func (s *View) ReceiptLink(ctx context.Context, tokenHash string) (identity.Tenant, payments.ReceiptLink, error) {
	item, err := readOne[receiptLinkItem](ctx, s, receiptLinkKey(tokenHash), ErrNoLink)
	if err == nil && !s.now().Before(item.TTL) {
		return identity.Tenant{}, payments.ReceiptLink{}, ErrNoLink
	}
	item.TokenHash, item.ExpiresAt = tokenHash, item.TTL.UTC()
	return item.Tenant, item.ReceiptLink, err
}
