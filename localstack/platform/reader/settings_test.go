package reader_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// TestMenuLock checks that a locked menu prevents unpairing at the terminal. The lock ends with the pairing.
func TestMenuLock(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	none, locked, unlocked := terminal.Settings{}, terminal.Settings{MenuLock: new(true)},
		terminal.Settings{MenuLock: new(false)}
	w.pair("p", w.waitFor(`code is (\w{8})`))
	w.waitFor("(Pair with)")
	w.configure("p", new(true), "4711", terminal.ErrUnpaired)
	w.wantSettings("p", none, terminal.ErrUnpaired)
	w.enter("y")
	w.waitFor("(Ready)")
	w.wantSettings("p", unlocked, nil)
	w.configure("p", new(true), "", terminal.ErrNoPasscode)
	w.wantSettings("p", unlocked, nil)
	w.configure("p", new(true), "4711", nil)
	w.configure("p", new(true), "4711", nil)
	w.waitFor("(The menu is locked)")
	w.wantSettings("p", locked, nil)
	w.enter("u") // not one of the choices
	w.waitFor("(none of the choices)")
	late := terminal.SettingsChange{MenuLock: new(false), Passcode: secret.New("4711"), Until: w.Now()}
	if err := w.Configure(t.Context(), "p", late); err == nil {
		t.Error("late: got it taken, want it refused")
	}
	w.enter("l")
	w.waitFor("(line to the platform is off)")
	w.wantSettings("p", none, terminal.ErrOffline)
	w.configure("p", new(false), "", terminal.ErrOffline)
	w.enter("l")
	w.waitFor(`(\[l\]ine off)`)
	w.wantSettings("p", locked, nil)
	w.configure("p", new(false), "", nil)
	w.waitFor(`(\[u\]npair)`)
	w.configure("p", new(true), "", nil)
	w.waitFor("(The menu is locked)")
	if err := w.Unpair(t.Context(), "p"); err != nil {
		t.Error(err)
	}
	w.wantSettings("p", none, terminal.ErrUnpaired)
	w.pair("q", w.waitFor(`code is (\w{8})`))
	w.waitFor("(Pair with)")
	w.enter("y")
	w.waitFor(`(\[u\]npair)`)
	w.wantSettings("q", unlocked, nil)
	w.configure("q", new(true), "", terminal.ErrNoPasscode)
	w.configure("p", new(true), "4711", terminal.ErrUnpaired)
}
