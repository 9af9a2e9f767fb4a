package callbacks

import (
	"encoding/json"
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// checkoutChanged is the body of an online checkout's callback (contract §11.1).
type checkoutChanged struct {
	EventType string                  `json:"event_type"`
	ID        string                  `json:"id"`
	Status    payments.CheckoutStatus `json:"status,omitempty"` // after the change, whatever has happened since
}

// readerTransaction is the body of a reader's (contract §11.4).
type readerTransaction struct {
	ID        string         `json:"id"`
	EventType string         `json:"event_type"`
	Payload   readerPayload  `json:"payload"`
	Timestamp rest.Timestamp `json:"timestamp"`
}

type readerPayload struct {
	ClientTransactionID string       `json:"client_transaction_id"`
	MerchantCode        string       `json:"merchant_code"`
	Status              readerStatus `json:"status"`
	TransactionID       string       `json:"transaction_id"`
	FailureReason       string       `json:"failure_reason,omitempty"`
}

type readerStatus string

const (
	successful readerStatus = "successful"
	failed     readerStatus = "failed"
)

// body is the callback as it is sent, the same at each try.
func body(t identity.Tenant, c payments.Callback) ([]byte, error) {
	if c.EventType != payments.EventReaderTransaction {
		changed := checkoutChanged{EventType: c.EventType, ID: c.CheckoutID}
		if c.ShowsStatus {
			changed.Status = c.Status
		}
		return json.Marshal(changed)
	}
	status := failed
	if c.Status == payments.CheckoutPaid {
		status = successful
	}
	return json.Marshal(readerTransaction{ID: strings.TrimPrefix(c.ID, "msg_"), EventType: c.EventType,
		Timestamp: rest.Timestamp(c.CreatedAt),
		Payload: readerPayload{ClientTransactionID: payments.ClientTransactionID(c.TransactionID),
			MerchantCode: t.Merchant, Status: status, TransactionID: c.TransactionID, FailureReason: c.Reason}})
}
