package readers

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

type readerPath struct {
	ID string `path:"reader_id"`
}

// listing holds all of a merchant's readers, without pages.
type listing struct {
	Items []readerView `json:"items"`
}

// list lists the tenant's readers, the oldest first.
func (f family) list(ctx context.Context, _ struct{}) (listing, error) {
	l := listing{Items: []readerView{}}
	for r, err := range f.readers.RefreshAll(ctx, rest.Caller(ctx).Tenant) {
		if err != nil {
			return l, err
		}
		l.Items = append(l.Items, f.view(r))
	}
	return l, nil
}

type createRequest struct {
	PairingCode string           `json:"pairing_code" validate:"required pattern=^[0-9A-Za-z]{8,9}$"`
	Name        string           `json:"name" validate:"text=500"`
	Metadata    *member.Metadata `json:"metadata"`
	Meta        *member.Metadata `json:"meta"` // older name of metadata (contract §9)
}

// create asks the terminal that shows the code to confirm the pairing.
func (f family) create(ctx context.Context, req createRequest) (readerView, error) {
	given := reader.Given{Name: req.Name}
	if m := cmp.Or(req.Metadata, req.Meta); m != nil {
		given.Metadata = *m
	}
	r, err := f.readers.Pair(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, rest.OperationID(ctx),
		strings.ToUpper(req.PairingCode), given)
	return f.view(r), err
}

func (f family) retrieve(ctx context.Context, req readerPath) (readerView, error) {
	r, err := f.store.CardReader(ctx, rest.Caller(ctx).Tenant, req.ID)
	return f.show(ctx, r, err)
}

type updateRequest struct {
	readerPath
	Name     *string          `json:"name" validate:"text=500"`
	Metadata *member.Metadata `json:"metadata"`
	Meta     *member.Metadata `json:"meta"`
}

func (f family) update(ctx context.Context, req updateRequest) (readerView, error) {
	change := reader.Change{Name: req.Name, Metadata: cmp.Or(req.Metadata, req.Meta)}
	r, err := f.store.UpdateCardReader(ctx, rest.By(ctx), rest.Caller(ctx).Tenant, req.ID,
		func(r reader.Reader) reader.Reader {
			return change.Apply(r, f.store.Now())
		})
	return f.show(ctx, r, err)
}

// delete ends the pairing. If a checkout waits at the terminal, it ends that checkout first.
func (f family) delete(ctx context.Context, req readerPath) (rest.Empty, error) {
	return rest.Empty{}, f.readers.Delete(ctx, rest.By(ctx), rest.Caller(ctx), req.ID, rest.OperationID(ctx))
}

// readerView is the response object of contract §9.
type readerView struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	Status           reader.Status   `json:"status"`
	Device           deviceView      `json:"device"`
	Meta             member.Metadata `json:"meta,omitempty"`
	Metadata         member.Metadata `json:"metadata,omitempty"`
	ServiceAccountID string          `json:"service_account_id,omitempty"`
	CreatedAt        rest.Timestamp  `json:"created_at"`
	UpdatedAt        rest.Timestamp  `json:"updated_at"`
}

type deviceView struct {
	Identifier string `json:"identifier"`
	Model      string `json:"model"`
}

// show asks the reader's terminal about the pairing, and returns the reader's view. If the parameter err is not nil, it
// only returns err.
func (f family) show(ctx context.Context, r reader.Reader, err error) (readerView, error) {
	if err == nil {
		r, err = f.readers.Refresh(ctx, rest.Caller(ctx).Tenant, r)
	}
	return f.view(r), err
}

func (f family) view(r reader.Reader) readerView {
	return readerView{ID: r.ID, Name: r.Name, Status: r.StatusAt(f.store.Now()), Device: deviceView{r.Serial, r.Model},
		Meta: r.Metadata, Metadata: r.Metadata, ServiceAccountID: r.ServiceAccountID,
		CreatedAt: rest.Timestamp(r.CreatedAt), UpdatedAt: rest.Timestamp(r.UpdatedAt)}
}

// offline is the status of a terminal that does not answer, or reports that it is offline (contract §13.7).
const offline = "OFFLINE"

// statusView holds the status and, if there is one, the terminal's last report (contract §13.7).
type statusView struct {
	Status       string          `json:"status"`
	State        terminal.State  `json:"state,omitempty"`
	Battery      *int            `json:"battery_level,omitempty"`
	Temperature  *int            `json:"battery_temperature,omitempty"` // rounded, because typed clients expect an integer
	Connection   string          `json:"connection_type,omitempty"`
	Firmware     string          `json:"firmware_version,omitempty"`
	LastActivity *rest.Timestamp `json:"last_activity,omitempty"`
}

// retrieveStatus returns the last report of the reader's terminal. A terminal that does not answer is offline.
func (f family) retrieveStatus(ctx context.Context, req readerPath) (reply[statusView], error) {
	h, err := f.readers.AskStatus(ctx, rest.Caller(ctx).Tenant, req.ID)
	switch {
	case err != nil:
		return reply[statusView]{}, err
	case h == nil:
		return reply[statusView]{statusView{Status: offline}}, nil
	default:
		return reply[statusView]{viewStatus(*h)}, nil
	}
}

func viewStatus(h terminal.Heartbeat) statusView {
	temperature := int(math.Round(h.Temperature))
	v := statusView{Status: offline, State: h.State, Battery: &h.Battery, Temperature: &temperature,
		Connection: h.Connection, Firmware: h.Firmware}
	if h.Online {
		v.Status = "ONLINE"
	}
	if !h.LastActivity.IsZero() {
		at := rest.Timestamp(h.LastActivity)
		v.LastActivity = &at
	}
	return v
}

type settingsView struct {
	MenuLock menuLockView `json:"menu_lock"`
	Status   string       `json:"status,omitempty"` // "applied", after a change
}

// menuLockView omits the passcode, which only the terminal stores.
type menuLockView struct {
	Enabled *bool `json:"enabled,omitempty"`
}

func viewSettings(menuLock *bool, status string) reply[settingsView] {
	return reply[settingsView]{settingsView{menuLockView{menuLock}, status}}
}

// retrieveSettings returns the settings in the terminal's current report. If the terminal is offline, it returns the
// settings in the last report.
func (f family) retrieveSettings(ctx context.Context, req readerPath) (reply[settingsView], error) {
	r, err := f.readers.AskSettings(ctx, rest.Caller(ctx).Tenant, req.ID)
	return viewSettings(r.MenuLock, ""), err
}

type settingsRequest struct {
	readerPath
	MenuLock *menuLockRequest `json:"menu_lock" validate:"required own"`
}

type menuLockRequest struct {
	Enabled  *bool        `json:"enabled"`
	Passcode *secret.Text `json:"passcode" validate:"pattern=^[0-9]{4}$"`
}

// Rule checks that menu_lock contains a setting.
func (r settingsRequest) Rule(string, time.Time) string {
	if r.MenuLock.Enabled == nil && r.MenuLock.Passcode == nil {
		return "must have enabled or passcode"
	}
	return ""
}

// updateSettings makes the reader's terminal change its settings.
func (f family) updateSettings(ctx context.Context, req settingsRequest) (reply[settingsView], error) {
	change := terminal.SettingsChange{MenuLock: req.MenuLock.Enabled}
	if req.MenuLock.Passcode != nil {
		change.Passcode = *req.MenuLock.Passcode
	}
	err := f.readers.Configure(ctx, rest.Caller(ctx).Tenant, req.ID, change)
	return viewSettings(change.MenuLock, "applied"), err
}
