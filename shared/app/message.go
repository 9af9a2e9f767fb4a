package app

import (
	"context"
	"encoding/json"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// Message is the body of a queue message. It only names an item. The item's state decides what to do, so it does no
// harm if a message comes late, twice or not at all.
type Message interface {
	// Names returns the tenant of the named item. It returns the zero Tenant if only the item itself shows its tenant, and
	// false for a message that names nothing.
	Names() (identity.Tenant, bool)
}

// CallbackMessage names a callback to try.
type CallbackMessage struct {
	ID string `json:"callback"`
}

// MailMessage names a mail to send.
type MailMessage struct {
	ID string `json:"mail"`
}

// PayoutMessage names a payout to run.
type PayoutMessage struct {
	Tenant string `json:"tenant"`
	ID     string `json:"payout"`
}

// PayoutShardMessage names a shard of the due index. The handler opens and resumes the payouts that are due there. A
// message that continues a walk also has the position of the walk (After), and the time by which an entry must be due
// (By).
type PayoutShardMessage struct {
	Shard *int      `json:"shard"`
	After string    `json:"after,omitempty"`
	By    time.Time `json:"by,omitzero"`
}

// PollMessage names a checkout or a refund to ask the acquirer about.
type PollMessage struct {
	Tenant   string `json:"tenant"`
	Checkout string `json:"checkout,omitempty"`
	Refund   string `json:"refund,omitempty"`
}

// FileMessage names an object to delete, by file.ObjectID, or a shard. For a shard, the handler compares the shard's
// objects with their records. With After, the comparison begins after that object.
type FileMessage struct {
	Object string `json:"object,omitempty"`
	Shard  *int   `json:"shard,omitempty"` // one of file.Shards
	After  string `json:"after,omitempty"` // any text, because S3 may have keys that are not ours
}

// ProofMessage names a segment of a proof of the whole table. The stored progress of the segment tells where to go on.
type ProofMessage struct {
	Run     string `json:"run"`
	Segment *int   `json:"segment"`
}

// Names returns false without an id.
func (m CallbackMessage) Names() (identity.Tenant, bool) { return identity.Tenant{}, m.ID != "" }

// Names returns false without an id.
func (m MailMessage) Names() (identity.Tenant, bool) { return identity.Tenant{}, m.ID != "" }

// Names returns false without a tenant and an id.
func (m PayoutMessage) Names() (identity.Tenant, bool) {
	t, ok := identity.ParseTenant(m.Tenant)
	return t, ok && m.ID != ""
}

// Names returns false for a message without a shard, or with After but without By.
func (m PayoutShardMessage) Names() (identity.Tenant, bool) {
	return identity.Tenant{}, m.Shard != nil && *m.Shard >= 0 && (m.After == "" || !m.By.IsZero())
}

// Names returns false unless the message has a tenant, and either a checkout or a refund.
func (m PollMessage) Names() (identity.Tenant, bool) {
	t, ok := identity.ParseTenant(m.Tenant)
	return t, ok && (m.Checkout == "") != (m.Refund == "")
}

// Names returns false unless the message has either an object or a shard. After is allowed only with a shard.
func (m FileMessage) Names() (identity.Tenant, bool) {
	if m.Shard == nil {
		return identity.Tenant{}, file.IsObjectID(m.Object) && m.After == ""
	}
	return identity.Tenant{}, m.Object == "" && *m.Shard >= 0 && *m.Shard < file.Shards
}

// Names returns false without a run and a segment.
func (m ProofMessage) Names() (identity.Tenant, bool) {
	return identity.Tenant{}, m.Run != "" && m.Segment != nil && *m.Segment >= 0
}

// Consume returns the handler of a queue with one kind of message. It logs and drops a malformed message, because SQS
// would otherwise deliver the message again and again. Equal messages that arrive together are handled once.
func Consume[M Message](a *App, handle func(context.Context, identity.Tenant, M) error) func(ctx context.Context,
	body string) error {
	var running singleflight.Group // keyed by the body
	return func(ctx context.Context, body string) error {
		var m M
		err := json.Unmarshal([]byte(body), &m)
		t, ok := m.Names()
		if err != nil || !ok {
			a.Log.ErrorContext(ctx, "malformed message dropped", "bytes", len(body))
			return nil
		}
		_, err, _ = running.Do(body, func() (any, error) { return nil, handle(ctx, t, m) })
		return err
	}
}
