package payments

import (
	"encoding/hex"
	"fmt"
	"io"
	"time"
)

// ReceiptLink lets its token read one receipt without a credential (contract §6.6). Only its identity.Hash is stored.
type ReceiptLink struct {
	TokenHash     string    `dynamo:"-"`
	TransactionID string    `dynamo:"transaction_id"`
	EventID       string    `dynamo:"event_id,omitempty"` // of a refund's receipt; "" for the payment's
	ExpiresAt     time.Time `dynamo:"-"`                  // to the second
}

const receiptLinkTime = 90 * 24 * time.Hour

// ReceiptLinkEnd returns the expiry of a link that is made now.
func ReceiptLinkEnd(now time.Time) time.Time {
	return now.UTC().Truncate(time.Second).Add(receiptLinkTime)
}

// receiptTokenBytes is the size of a token before it is written as text.
const receiptTokenBytes = 16

// NewReceiptToken returns a link's token: 128 bits from random, in 32 hexadecimal digits. Errors: those of random.
func NewReceiptToken(random io.Reader) (string, error) {
	bits := make([]byte, receiptTokenBytes)
	if _, err := io.ReadFull(random, bits); err != nil {
		return "", fmt.Errorf("read random bits: %w", err)
	}
	return hex.EncodeToString(bits), nil
}

// IsReceiptToken returns true if the text has the form of a token.
func IsReceiptToken(text string) bool {
	bits, err := hex.DecodeString(text)
	return err == nil && len(bits) == receiptTokenBytes && hex.EncodeToString(bits) == text
}
