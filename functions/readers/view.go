package readers

import (
	"context"
	"math"

	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

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

// show returns the view of a reader that was read, after its terminal was asked about the pairing; or the error.
func (f family) show(ctx context.Context, r reader.Reader, err error) (readerView, error) {
	if err == nil {
		r, err = f.readers.Refresh(ctx, rest.Caller(ctx).Tenant, r)
	}
	if err != nil {
		return readerView{}, err
	}
	return f.view(r), nil
}

func (f family) view(r reader.Reader) readerView {
	return readerView{ID: r.ID, Name: r.Name, Status: r.StatusAt(f.store.Now()), Device: deviceView{r.Serial, r.Model},
		Meta: r.Metadata, Metadata: r.Metadata, ServiceAccountID: r.ServiceAccountID,
		CreatedAt: rest.Timestamp(r.CreatedAt), UpdatedAt: rest.Timestamp(r.UpdatedAt)}
}

// The values of a terminal's status (contract §13.7).
const (
	online  = "ONLINE"
	offline = "OFFLINE"
)

// statusReply is {data} of contract §13.7.
type statusReply struct {
	Data statusView `json:"data"`
}

// statusView is the status data of contract §13.7: beside the status what the terminal last reported, if
// it did.
type statusView struct {
	Status       string          `json:"status"`
	State        terminal.State  `json:"state,omitempty"`
	Battery      *int            `json:"battery_level,omitempty"`
	Temperature  *int            `json:"battery_temperature,omitempty"` // typed clients take no fraction
	Connection   string          `json:"connection_type,omitempty"`
	Firmware     string          `json:"firmware_version,omitempty"`
	LastActivity *rest.Timestamp `json:"last_activity,omitempty"`
}

// retrieveStatus returns the last report of the reader's terminal. A terminal that does not answer is offline.
func (f family) retrieveStatus(ctx context.Context, req readerPath) (statusReply, error) {
	h, err := f.readers.AskStatus(ctx, rest.Caller(ctx).Tenant, req.ID)
	switch {
	case err != nil:
		return statusReply{}, err
	case h == nil:
		return statusReply{statusView{Status: offline}}, nil
	default:
		return statusReply{viewStatus(*h)}, nil
	}
}

func viewStatus(h terminal.Heartbeat) statusView {
	temperature := int(math.Round(h.Temperature))
	v := statusView{Status: offline, State: h.State, Battery: &h.Battery, Temperature: &temperature,
		Connection: h.Connection, Firmware: h.Firmware}
	if h.Online {
		v.Status = online
	}
	if !h.LastActivity.IsZero() {
		at := rest.Timestamp(h.LastActivity)
		v.LastActivity = &at
	}
	return v
}
