package provision

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// listAudit lists who changed what in a merchant's account, oldest change first.
type listAudit struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	From         string `json:"from" validate:"date-time"` // inclusive; if not given, from the beginning
	To           string `json:"to" validate:"date-time"`   // inclusive; if not given, until now
	Limit        *int   `json:"limit" validate:"min=1 max=1000"`
	After        string `json:"after" validate:"text=100"` // value of "after" in the previous answer
}

type auditListed struct {
	Entries []auditEntry `json:"entries"`
	After   string       `json:"after,omitempty"` // if set, there may be more: repeat the command with this value
}

type auditEntry struct {
	ID        string       `json:"id"`
	At        time.Time    `json:"at"`
	Mode      string       `json:"mode,omitempty"`
	Actor     audit.Actor  `json:"actor"`
	Operation string       `json:"operation"`
	Subject   string       `json:"subject"`
	Before    audit.Fields `json:"before"`
	After     audit.Fields `json:"after"`
}

const (
	defaultAudit = 100
	// maxAuditBytes limits the changes in one answer. An answer may have 6 MB (AWS: "Lambda quotas").
	maxAuditBytes = 2 << 20
)

func (o operator) listAudit(ctx context.Context, c listAudit) (auditListed, error) {
	if _, err := o.Store.Merchant(ctx, c.MerchantCode); err != nil {
		return auditListed{}, err
	}
	from, to, limit := time.Time{}, o.Now(), limitOr(c.Limit, defaultAudit)
	if c.From != "" {
		from, _ = validate.Time(c.From) // has been checked
	}
	if c.To != "" {
		to, _ = validate.Time(c.To)
	}
	if to.Before(from) {
		return auditListed{}, failure.Invalid("to", "must not be before from")
	}
	listed, bytes := auditListed{Entries: []auditEntry{}}, 0
	for e, err := range o.Store.AuditEntries(ctx, c.MerchantCode, from, to, c.After) {
		if err != nil {
			return listed, err
		}
		mode := ""
		if e.Mode != "" {
			mode = e.Mode.Name()
		}
		listed.Entries = append(listed.Entries, auditEntry{e.ID, e.At, mode, e.Actor, e.Operation, e.Subject, e.Before,
			e.After})
		if bytes += len(e.Before) + len(e.After); len(listed.Entries) == limit || bytes > maxAuditBytes {
			listed.After = store.AuditCursor(e)
			break
		}
	}
	return listed, nil
}
