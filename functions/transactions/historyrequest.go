package transactions

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// historyRequest is what both versions of the history take.
type historyRequest struct {
	Code         string               `query:"transaction_code"`
	Order        historyOrder         `query:"order" validate:"one-of=ascending|descending"`
	Limit        rest.PageSize        `query:"limit"`
	Users        []rest.Email         `query:"users"`
	Types        []payments.EventType `query:"types" validate:"one-of=PAYMENT|REFUND|CHARGE_BACK"`
	ChangesSince *time.Time           `query:"changes_since"`
	NewestTime   *time.Time           `query:"newest_time"`
	NewestRef    rest.ID              `query:"newest_ref"`
	OldestTime   *time.Time           `query:"oldest_time"`
	OldestRef    rest.ID              `query:"oldest_ref"`
}

// currentHistoryRequest is the query of listTransactions.
type currentHistoryRequest struct {
	historyRequest
	Statuses     []payments.HistoryStatus `query:"statuses" validate:"one-of=SUCCESSFUL|CANCELLED|FAILED|PENDING|REFUNDED|CHARGE_BACK"`                          //nolint:lll // a tag cannot be broken
	PaymentTypes []string                 `query:"payment_types" validate:"one-of=ECOM|RECURRING|BOLETO|POS|CASH|BITCOIN|BALANCE|MOTO|DIRECT_DEBIT|APM|UNKNOWN"` //nolint:lll // a tag cannot be broken
	EntryModes   []entryMode              `query:"entry_modes"`
}

// legacyHistoryRequest is the query of listMyTransactions.
type legacyHistoryRequest struct {
	historyRequest
	Statuses     []payments.HistoryStatus `query:"statuses" validate:"one-of=SUCCESSFUL|CANCELLED|FAILED"`
	PaymentTypes []string                 `query:"payment_types" validate:"one-of=CASH|POS|ECOM|BITCOIN|BALANCE"`
	Readers      []string                 `query:"readers"`
	Area         *payments.Area           `query:"geo_coordinates"`
	NewestIncl   bool                     `query:"newest_incl"`
	OldestIncl   bool                     `query:"oldest_incl"`
}

type historyOrder string

const (
	ascending  historyOrder = "ascending"
	descending historyOrder = "descending"
)

type entryMode string

// neverEntered lists published entry modes that no transaction has (contract §6.2).
var neverEntered = []string{"SOFORT", "GIROPAY", "NONE", "MANUAL_ENTRY", "MAGSTRIPE_FALLBACK", "DIRECT_DEBIT", "MOTO",
	"CONTACTLESS_MAGSTRIPE", "N/A"}

// Values returns all published entry modes; any other is refused (contract §2.5).
func (entryMode) Values() []string { return append(payments.EntryModes(), neverEntered...) }

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
