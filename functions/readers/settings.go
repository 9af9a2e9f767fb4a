package readers

import (
	"context"
	"time"

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
func (f family) retrieveSettings(ctx context.Context, req readerPath) (settingsReply, error) {
	r, err := f.readers.AskSettings(ctx, rest.Caller(ctx).Tenant, req.ID)
	return viewSettings(r.MenuLock, ""), err
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

// updateSettings has the reader's terminal change its settings.
func (f family) updateSettings(ctx context.Context, req settingsRequest) (settingsReply, error) {
	change := terminal.SettingsChange{MenuLock: req.MenuLock.Enabled}
	if req.MenuLock.Passcode != nil {
		change.Passcode = *req.MenuLock.Passcode
	}
	if err := f.readers.Configure(ctx, rest.Caller(ctx).Tenant, req.ID, change); err != nil {
		return settingsReply{}, err
	}
	return viewSettings(change.MenuLock, "applied"), nil
}
