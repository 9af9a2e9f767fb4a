package virtual_test

import (
	"context"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// settingsChange returns a change of settings; "" means no passcode.
func (w *fixture) settingsChange(menuLock *bool, passcode string) terminal.SettingsChange {
	return terminal.SettingsChange{MenuLock: menuLock, Passcode: secret.New(passcode), Until: w.Now().Add(time.Minute)}
}

func (w *fixture) configuring(pairing string, c terminal.SettingsChange) func(context.Context) error {
	return func(ctx context.Context) error { return w.Configure(ctx, pairing, c) }
}

func (w *fixture) settingsOf(pairing string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := w.Settings(ctx, pairing)
		return err
	}
}

func (w *fixture) wantLocked(pairing string, want bool) {
	w.Helper()
	if got, err := w.Settings(w.Context(), pairing); err != nil || got.MenuLock == nil || *got.MenuLock != want {
		w.Errorf("settings of %s: got %+v, %v, want the menu locked %t", pairing, got, err, want)
	}
}

// TestConfigure checks that a menu can be locked only with a passcode. The passcode stays until the pairing ends.
func TestConfigure(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm("p", "ABCD1234")
	on, off := new(true), new(false)
	w.wantLocked("p", false)
	late := w.settingsChange(on, "4711")
	for _, c := range []struct {
		failing
		locked bool
	}{
		{failing{"lock without a passcode", w.configuring("p", w.settingsChange(on, "")), terminal.ErrNoPasscode}, false},
		{failing{"unlock", w.configuring("p", w.settingsChange(off, "")), nil}, false},
		{failing{"nothing", w.configuring("p", w.settingsChange(nil, "")), nil}, false},
		{failing{"still no passcode", w.configuring("p", w.settingsChange(on, "")), terminal.ErrNoPasscode}, false},
		{failing{"passcode alone", w.configuring("p", w.settingsChange(nil, "4711")), nil}, false},
		{failing{"lock", w.configuring("p", w.settingsChange(on, "")), nil}, true},
		{failing{"lock again", w.configuring("p", w.settingsChange(on, "")), nil}, true},
		{failing{"another passcode", w.configuring("p", w.settingsChange(nil, "0000")), nil}, true},
		{failing{"unlock", w.configuring("p", w.settingsChange(off, "")), nil}, false},
		{failing{"lock by the old passcode", w.configuring("p", w.settingsChange(on, "")), nil}, true},
	} {
		w.wantErrors(c.failing)
		w.wantLocked("p", c.locked)
	}
	w.pairAndConfirm("q", "ABCD1234")
	w.wantLocked("q", false)
	w.wantErrors(failing{"the pairing before", w.settingsOf("p"), terminal.ErrUnpaired},
		failing{"the pairing before", w.configuring("p", w.settingsChange(on, "4711")), terminal.ErrUnpaired},
		failing{"the passcode before", w.configuring("q", w.settingsChange(on, "")), terminal.ErrNoPasscode},
		failing{"both at once", w.configuring("q", w.settingsChange(on, "4711")), nil})
	w.wantLocked("q", true)
	w.Advance(time.Minute)
	if err := w.Configure(t.Context(), "q", late); err == nil {
		t.Error("late: got it taken, want it refused")
	}
}

// TestSettings_NotReached checks that a terminal that is offline or not confirmed takes no change.
func TestSettings_NotReached(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm("p", "ABCD1234").pairAndConfirm("unconfirmed", "WAIT1234")
	lock := w.settingsChange(new(true), "4711")
	w.wantErrors(
		failing{"offline", func(ctx context.Context) error { return w.SetOffline(ctx, tenant, "p", true) }, nil},
		failing{"settings", w.settingsOf("p"), terminal.ErrOffline},
		failing{"configure", w.configuring("p", lock), terminal.ErrOffline},
		failing{"settings, unconfirmed", w.settingsOf("unconfirmed"), terminal.ErrUnpaired},
		failing{"configure, unconfirmed", w.configuring("unconfirmed", lock), terminal.ErrUnpaired},
		failing{"online", func(ctx context.Context) error { return w.SetOffline(ctx, tenant, "p", false) }, nil})
	w.wantLocked("p", false)
}

// TestConfigure_DuringAnOffer changes settings while a checkout is offered. Neither the change nor the checkout may be
// lost.
func TestConfigure_DuringAnOffer(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm("p", "ABCD1234")
	w.wire.Meanwhile("PutItem", 1, func() { w.mustOffer("c", "10") })
	w.wantErrors(failing{"lock", w.configuring("p", w.settingsChange(new(true), "4711")), nil},
		failing{"another", w.offering(w.checkout("other", "p", "10")), terminal.ErrBusy})
	w.wantLocked("p", true)
}
