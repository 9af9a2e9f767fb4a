package virtual_test

import (
	"context"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// change is a change of settings; "" is no passcode.
func (w *fixture) change(menuLock *bool, passcode string) terminal.SettingsChange {
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

// TestConfigure: a menu is locked only with a passcode, which lasts as long as the pairing.
func TestConfigure(t *testing.T) {
	t.Parallel()
	w := newFixture(t).paired("p", "ABCD1234")
	on, off := new(true), new(false)
	w.wantLocked("p", false)
	late := w.change(on, "4711")
	for _, c := range []struct {
		failing
		locked bool
	}{
		{failing{"lock without a passcode", w.configuring("p", w.change(on, "")), terminal.ErrNoPasscode}, false},
		{failing{"unlock", w.configuring("p", w.change(off, "")), nil}, false},
		{failing{"nothing", w.configuring("p", w.change(nil, "")), nil}, false},
		{failing{"still no passcode", w.configuring("p", w.change(on, "")), terminal.ErrNoPasscode}, false},
		{failing{"passcode alone", w.configuring("p", w.change(nil, "4711")), nil}, false},
		{failing{"lock", w.configuring("p", w.change(on, "")), nil}, true},
		{failing{"lock again", w.configuring("p", w.change(on, "")), nil}, true},
		{failing{"another passcode", w.configuring("p", w.change(nil, "0000")), nil}, true},
		{failing{"unlock", w.configuring("p", w.change(off, "")), nil}, false},
		{failing{"lock by the old passcode", w.configuring("p", w.change(on, "")), nil}, true},
	} {
		w.wantErrors(c.failing)
		w.wantLocked("p", c.locked)
	}
	w.paired("q", "ABCD1234")
	w.wantLocked("q", false)
	w.wantErrors(failing{"the pairing before", w.settingsOf("p"), terminal.ErrUnpaired},
		failing{"the pairing before", w.configuring("p", w.change(on, "4711")), terminal.ErrUnpaired},
		failing{"the passcode before", w.configuring("q", w.change(on, "")), terminal.ErrNoPasscode},
		failing{"both at once", w.configuring("q", w.change(on, "4711")), nil})
	w.wantLocked("q", true)
	w.Advance(time.Minute)
	if err := w.Configure(t.Context(), "q", late); err == nil {
		t.Error("late: got it taken, want it refused")
	}
}

// TestSettings_NotReached: a terminal that is offline, or that nobody has confirmed, takes no change.
func TestSettings_NotReached(t *testing.T) {
	t.Parallel()
	w := newFixture(t).paired("p", "ABCD1234").paired("unconfirmed", "WAIT1234")
	lock := w.change(new(true), "4711")
	w.wantErrors(
		failing{"offline", func(ctx context.Context) error { return w.SetOffline(ctx, tenant, "p", true) }, nil},
		failing{"settings", w.settingsOf("p"), terminal.ErrOffline},
		failing{"configure", w.configuring("p", lock), terminal.ErrOffline},
		failing{"settings, unconfirmed", w.settingsOf("unconfirmed"), terminal.ErrUnpaired},
		failing{"configure, unconfirmed", w.configuring("unconfirmed", lock), terminal.ErrUnpaired},
		failing{"online", func(ctx context.Context) error { return w.SetOffline(ctx, tenant, "p", false) }, nil})
	w.wantLocked("p", false)
}

// TestConfigure_DuringAnOffer loses neither the change nor the checkout.
func TestConfigure_DuringAnOffer(t *testing.T) {
	t.Parallel()
	w := newFixture(t).paired("p", "ABCD1234")
	w.wire.Meanwhile("PutItem", 1, func() { w.offer("c", "10") })
	w.wantErrors(failing{"lock", w.configuring("p", w.change(new(true), "4711")), nil},
		failing{"another", w.offering(w.checkout("other", "p", "10")), terminal.ErrBusy})
	w.wantLocked("p", true)
}
