package transactions

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// historyRequest is what both versions of the history take.
type historyRequest struct {
	Code         string        `query:"transaction_code"`
	Order        historyOrder  `query:"order"`
	Limit        rest.PageSize `query:"limit"`
	Users        []string      `query:"users"`
	Types        []historyType `query:"types"`
	ChangesSince *time.Time    `query:"changes_since"`
	NewestTime   *time.Time    `query:"newest_time"`
	NewestRef    string        `query:"newest_ref"`
	OldestTime   *time.Time    `query:"oldest_time"`
	OldestRef    string        `query:"oldest_ref"`
}

// currentHistoryRequest is the query of listTransactions.
type currentHistoryRequest struct {
	historyRequest
	Statuses     []historyStatus      `query:"statuses"`
	PaymentTypes []historyPaymentType `query:"payment_types"`
	EntryModes   []entryMode          `query:"entry_modes"`
}

// legacyHistoryRequest is the query of listMyTransactions.
type legacyHistoryRequest struct {
	historyRequest
	Statuses     []legacyHistoryStatus      `query:"statuses"`
	PaymentTypes []legacyHistoryPaymentType `query:"payment_types"`
	Readers      []string                   `query:"readers"`
	Area         *payments.Area             `query:"geo_coordinates"`
	NewestIncl   bool                       `query:"newest_incl"`
	OldestIncl   bool                       `query:"oldest_incl"`
}

// Values of the parameters; any other is refused (contract §2.5).
type (
	historyOrder             string
	historyType              payments.EventType
	historyStatus            payments.HistoryStatus
	legacyHistoryStatus      payments.HistoryStatus
	historyPaymentType       string
	legacyHistoryPaymentType string
	entryMode                string
)

const (
	ascending  historyOrder = "ascending"
	descending historyOrder = "descending"
)

func (o *historyOrder) UnmarshalText(text []byte) error {
	return rest.OneOf(o, text, ascending, descending)
}

func (t *historyType) UnmarshalText(text []byte) error {
	return rest.OneOf(t, text, historyType(payments.PaymentItem), historyType(payments.RefundEvent), historyType(payments.ChargeBackEvent))
}

func (s *historyStatus) UnmarshalText(text []byte) error {
	return rest.OneOf(s, text, "SUCCESSFUL", "CANCELLED", "FAILED", "PENDING",
		historyStatus(payments.StatusRefunded), historyStatus(payments.StatusChargeBack))
}

func (s *legacyHistoryStatus) UnmarshalText(text []byte) error {
	return rest.OneOf(s, text, "SUCCESSFUL", "CANCELLED", "FAILED")
}

func (t *historyPaymentType) UnmarshalText(text []byte) error {
	return rest.OneOf(t, text, "ECOM", "RECURRING", "BOLETO", "POS", "CASH", "BITCOIN", "BALANCE")
}

func (t *legacyHistoryPaymentType) UnmarshalText(text []byte) error {
	return rest.OneOf(t, text, "CASH", "POS", "ECOM", "BITCOIN", "BALANCE")
}

func (m *entryMode) UnmarshalText(text []byte) error {
	return rest.OneOf(m, text, texts[entryMode](payments.EntryModes())...)
}

// texts are the same values under another name.
func texts[To, From ~string](from []From) []To {
	if from == nil {
		return nil
	}
	to := make([]To, len(from))
	for i, value := range from {
		to[i] = To(value)
	}
	return to
}
