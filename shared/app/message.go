package app

import (
	"context"
	"encoding/json"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// Message is the body of a message in a queue. It only names an item, which says what to do, so messages that come
// late, twice or not at all are harmless.
type Message interface {
	// Names returns the named item's tenant, zero where only the item has it; false for a message that names nothing.
	Names() (identity.Tenant, bool)
}

// CallbackMessage names a callback that is to be tried.
type CallbackMessage struct {
	ID string `json:"callback"`
}

// MailMessage names a mail that is to be sent.
type MailMessage struct {
	ID string `json:"mail"`
}

// PayoutMessage names a payout that is to be run.
type PayoutMessage struct {
	Tenant string `json:"tenant"`
	ID     string `json:"payout"`
}

// PayoutShardMessage names a shard of the due index in which to open and resume what is due when it is handled. A
// message that continues a walk says from where, and by which time entries were due.
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

// FileMessage names an object whose content is to be deleted, by file.ObjectID; or a shard in which objects are to be
// compared with their records, maybe after one object.
type FileMessage struct {
	Object string `json:"object,omitempty"`
	Shard  *int   `json:"shard,omitempty"` // one of file.Shards
	After  string `json:"after,omitempty"` // any text: S3 may have keys that are not ours
}

// Names wants an id.
func (m CallbackMessage) Names() (identity.Tenant, bool) { return identity.Tenant{}, m.ID != "" }

// Names wants an id.
func (m MailMessage) Names() (identity.Tenant, bool) { return identity.Tenant{}, m.ID != "" }

// Names wants a tenant and an id.
func (m PayoutMessage) Names() (identity.Tenant, bool) {
	t, ok := identity.ParseTenant(m.Tenant)
	return t, ok && m.ID != ""
}

// Names wants a shard.
func (m PayoutShardMessage) Names() (identity.Tenant, bool) {
	return identity.Tenant{}, m.Shard != nil && *m.Shard >= 0 && (m.After == "" || !m.By.IsZero())
}

// Names wants a tenant and one of the two.
func (m PollMessage) Names() (identity.Tenant, bool) {
	t, ok := identity.ParseTenant(m.Tenant)
	return t, ok && (m.Checkout == "") != (m.Refund == "")
}

// Names wants an object or a shard, and what it comes after only with a shard.
func (m FileMessage) Names() (identity.Tenant, bool) {
	if m.Shard == nil {
		return identity.Tenant{}, file.IsObjectID(m.Object) && m.After == ""
	}
	return identity.Tenant{}, m.Object == "" && *m.Shard >= 0 && *m.Shard < file.Shards
}

// Consume returns the handler of a queue with one kind of messages. It logs and drops a malformed message, which would
// be redelivered forever, and handles repetitions in a batch once.
func Consume[M Message](a *App, handle func(context.Context, identity.Tenant, M) error) func(ctx context.Context,
	body string) error {
	var running singleflight.Group // by body
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
