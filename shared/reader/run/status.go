package run

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// AskStatus returns the last report of the reader's terminal, or nil without an answer or a pairing. Failure: NotFound.
func (d *Driver) AskStatus(ctx context.Context, t identity.Tenant, id string) (*terminal.Heartbeat, error) {
	r, err := d.Store.CardReader(ctx, t, id)
	if err == nil {
		r, err = d.Refresh(ctx, t, r)
	}
	if err != nil || r.StatusAt(d.Store.Now()) == reader.Expired {
		return nil, err
	}
	h, err := d.terminals(t).Heartbeat(ctx, r.ID)
	switch {
	case errors.Is(err, terminal.ErrUnpaired): // the terminal was paired again, or has forgotten the pairing
		_, err = d.recordEnd(ctx, t, r)
		return nil, err
	case err != nil:
		d.logSilence(ctx, r, err)
		return nil, nil
	default:
		return &h, nil
	}
}

// readAndReach reads a reader and reaches its terminal. Failures: NotFound, READER_OFFLINE.
func (d *Driver) readAndReach(ctx context.Context, t identity.Tenant, id string) (reader.Reader, error) {
	r, err := d.Store.CardReader(ctx, t, id)
	if err == nil {
		r, _, err = d.reach(ctx, t, r)
	}
	return r, err
}

// reach asks the terminal of a reader for its heartbeat. Failure: READER_OFFLINE, also if the reader is not paired or
// the terminal does not answer.
func (d *Driver) reach(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader, terminal.Heartbeat,
	error) {
	r, err := d.Refresh(ctx, t, r)
	if err != nil {
		return r, terminal.Heartbeat{}, err
	}
	if r.StatusAt(d.Store.Now()) != reader.Paired {
		return r, terminal.Heartbeat{}, unreachable("The reader is not paired.")
	}
	h, err := d.terminals(t).Heartbeat(ctx, r.ID)
	switch {
	case errors.Is(err, terminal.ErrUnpaired):
		if r, err = d.recordEnd(ctx, t, r); err == nil {
			err = unreachable("The reader is not paired.")
		}
	case err != nil:
		d.logSilence(ctx, r, err)
		err = unreachable("The reader does not answer.")
	case !h.Online:
		err = unreachable("The reader is offline.")
	}
	return r, h, err
}

// AskSettings returns the reader with the settings that its terminal reports now. If the terminal is offline, these are
// the settings that it reported last. Failures: NotFound, also for an offline terminal that has reported none;
// SETTINGS_UNAVAILABLE.
func (d *Driver) AskSettings(ctx context.Context, t identity.Tenant, id string) (reader.Reader, error) {
	r, err := d.readAndReach(ctx, t, id)
	if err == nil {
		r, err = d.refreshSettings(ctx, t, r)
	}
	if failure.Of(err).Code == offlineCode {
		err = nil
		if r.MenuLock == nil {
			err = failure.NotFound("The reader is offline, and its settings are not known.")
		}
	}
	return r, err
}

// refreshSettings stores the settings that the terminal reports. Failures: READER_OFFLINE; SETTINGS_UNAVAILABLE if the
// terminal is online but reports no settings.
func (d *Driver) refreshSettings(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader, error) {
	s, err := d.terminals(t).Settings(ctx, r.ID)
	switch {
	case err == nil:
		return d.saveChange(ctx, t, r, func(r reader.Reader) reader.Reader { return r.WithMenuLock(s.MenuLock) })
	case errors.Is(err, terminal.ErrOffline), errors.Is(err, terminal.ErrUnpaired):
		return r, unreachable("The reader is offline.")
	default:
		d.logSilence(ctx, r, err)
		return r, failure.Unprocessable("The reader does not return its settings.").WithCode("SETTINGS_UNAVAILABLE")
	}
}

// changeTime limits the time that a change of settings may take to reach the terminal. The terminal refuses a later
// change.
const changeTime = time.Minute

// Configure makes the reader's terminal change its settings, and stores the settings without the passcode. Failures:
// NotFound, READER_OFFLINE, PASSCODE_REQUIRED; Timeout when the terminal may have changed the settings.
func (d *Driver) Configure(ctx context.Context, t identity.Tenant, id string, change terminal.SettingsChange) error {
	r, err := d.readAndReach(ctx, t, id)
	if err != nil {
		return err
	}
	change.Until = d.Store.Now().Add(changeTime)
	err = d.terminals(t).Configure(ctx, r.ID, change)
	switch {
	case err == nil && change.MenuLock != nil:
		_, err = d.saveChange(ctx, t, r, func(r reader.Reader) reader.Reader { return r.WithMenuLock(change.MenuLock) })
		return err
	case err == nil:
		return nil
	case errors.Is(err, terminal.ErrNoPasscode):
		return failure.Unprocessable("The menu lock has no passcode yet: send menu_lock.passcode with menu_lock.enabled.").
			WithCode("PASSCODE_REQUIRED")
	case errors.Is(err, terminal.ErrOffline), errors.Is(err, terminal.ErrUnpaired):
		return unreachable("The reader does not take the settings.")
	default:
		return failure.Timeout(err)
	}
}
