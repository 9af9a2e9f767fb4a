package readers

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// settingsReply is {data} of contract §13.7.
type settingsReply struct {
	Data settingsView `json:"data"`
}

type settingsView struct {
	MenuLock menuLockView `json:"menu_lock"`
	Status   string       `json:"status,omitempty"` // of a change: applied
}

// menuLockView never has the passcode: only the terminal keeps it.
type menuLockView struct {
	Enabled *bool `json:"enabled,omitempty"`
}

func viewSettings(menuLock *bool, status string) settingsReply {
	return settingsReply{settingsView{menuLockView{menuLock}, status}}
}

// retrieveSettings returns the settings that the reader's terminal reports now, or reported last if it is offline.
// Failures: NotFound, also for an offline terminal that has reported none; SETTINGS_UNAVAILABLE.
func (f family) retrieveSettings(ctx context.Context, req readerPath) (settingsReply, error) {
	t := rest.Caller(ctx).Tenant
	r, err := f.store.CardReader(ctx, t, req.ID)
	if err == nil {
		r, _, err = f.reached(ctx, t, r)
	}
	if err == nil {
		r, err = f.refresh(ctx, t, r)
	}
	if failure.Of(err).Slug == offlineSlug {
		err = nil
		if r.MenuLock == nil {
			err = failure.NotFound("The reader is offline, and its settings are not known.")
		}
	}
	if err != nil {
		return settingsReply{}, err
	}
	return viewSettings(r.MenuLock, ""), nil
}

// refresh asks the reader's terminal for its settings, and records them. Failures: READER_OFFLINE; SETTINGS_UNAVAILABLE
// when the terminal is online and does not report them.
func (f family) refresh(ctx context.Context, t identity.Tenant, r reader.Reader) (reader.Reader, error) {
	s, err := f.processing.Terminal(t).Settings(ctx, r.ID)
	switch {
	case err == nil:
		return f.record(ctx, t, r, func(r reader.Reader) reader.Reader { return r.Locked(s.MenuLock) })
	case errors.Is(err, terminal.ErrOffline), errors.Is(err, terminal.ErrUnpaired):
		return r, unreachable("The reader is offline.")
	default:
		f.silent(ctx, r, err)
		return r, readerFailure("The reader does not return its settings.", "SETTINGS_UNAVAILABLE")
	}
}

// settingsRequest is the body of updateReaderSettings.
type settingsRequest struct {
	readerPath
	MenuLock *menuLockRequest `json:"menu_lock" validate:"required own"`
}

type menuLockRequest struct {
	Enabled  *bool        `json:"enabled"`
	Passcode *secret.Text `json:"passcode" validate:"pattern=^[0-9]{4}$"`
}

// Rule checks that menu_lock sets something.
func (r settingsRequest) Rule(string, time.Time) string {
	if r.MenuLock.Enabled == nil && r.MenuLock.Passcode == nil {
		return "must have enabled or passcode"
	}
	return ""
}

// changeTime limits the way of a change of settings to the terminal.
const changeTime = time.Minute

// updateSettings has the reader's terminal change its settings, and records all but the passcode. Failures: NotFound,
// READER_OFFLINE, PASSCODE_REQUIRED; Timeout when the terminal may have changed them.
func (f family) updateSettings(ctx context.Context, req settingsRequest) (settingsReply, error) {
	t, menuLock := rest.Caller(ctx).Tenant, req.MenuLock.Enabled
	r, err := f.store.CardReader(ctx, t, req.ID)
	if err == nil {
		r, _, err = f.reached(ctx, t, r)
	}
	if err == nil {
		change := terminal.SettingsChange{MenuLock: menuLock, Until: f.store.Now().Add(changeTime)}
		if req.MenuLock.Passcode != nil {
			change.Passcode = *req.MenuLock.Passcode
		}
		err = configuringFailure(f.processing.Terminal(t).Configure(ctx, r.ID, change))
	}
	if err == nil && menuLock != nil {
		_, err = f.record(ctx, t, r, func(r reader.Reader) reader.Reader { return r.Locked(menuLock) })
	}
	if err != nil {
		return settingsReply{}, err
	}
	return viewSettings(menuLock, "applied"), nil
}

// configuringFailure returns what an error of the terminal means for the client.
func configuringFailure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, terminal.ErrNoPasscode):
		return readerFailure("The menu lock has no passcode yet: send menu_lock.passcode with menu_lock.enabled.",
			"PASSCODE_REQUIRED")
	case errors.Is(err, terminal.ErrOffline), errors.Is(err, terminal.ErrUnpaired):
		return unreachable("The reader does not take the settings.")
	default:
		return failure.Timeout(err)
	}
}
