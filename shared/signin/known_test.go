package signin_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
)

const known = "a key of the platform's"

func newAccount(change func(*signin.Account)) signin.Account {
	a := signin.Account{Kind: identity.Operator, ID: "mem_a", Tenant: there, Name: "till@example.com",
		Passwords: member.Passwords{{Operation: "now"}, {Operation: "before"}}}
	change(&a)
	return a
}

// TestDevice_OtherAccountOrPassword checks that a device cookie and a known address do not count for another account or
// after a new password.
func TestDevice_OtherAccountOrPassword(t *testing.T) {
	t.Parallel()
	key, now := signin.KnownKey(known), clock.Start
	hers := newAccount(func(*signin.Account) {})
	cookie := key.WithDevice("", hers, now)
	for name, c := range map[string]struct {
		change func(*signin.Account)
		want   bool
	}{
		"itself":            {func(*signin.Account) {}, true},
		"another address":   {func(a *signin.Account) { a.Name = "x@example.com" }, true},
		"nobody":            {func(a *signin.Account) { *a = signin.Account{} }, false},
		"the last password": {func(a *signin.Account) { a.Passwords = a.Passwords[1:] }, false},
		"none":              {func(a *signin.Account) { a.Passwords = nil }, false},
		"another kind":      {func(a *signin.Account) { a.Kind = identity.User }, false},
		"another id":        {func(a *signin.Account) { a.ID = "mem_b" }, false},
		"the other mode":    {func(a *signin.Account) { a.Tenant.Mode = identity.Live }, false},
		"another merchant":  {func(a *signin.Account) { a.Tenant.Merchant = "MCOTHER000" }, false},
		"parts that run on": {func(a *signin.Account) { a.Kind, a.ID = identity.Operator+"m", "em_a" }, false},
	} {
		a := newAccount(c.change)
		if got := key.Device(cookie, a, now) != ""; got != c.want {
			t.Errorf("%s: got the device its: %t, want %t", name, got, c.want)
		}
		if got := key.Address("here", a) == key.Address("here", hers); got != c.want {
			t.Errorf("%s: got the same address: %t, want %t", name, got, c.want)
		}
	}
	if key.Address("here", hers) == key.Address("there", hers) || signin.KnownKey("x").Address("here", hers) ==
		key.Address("here", hers) {
		t.Error("got the same id for another address or key, want another")
	}
	without := newAccount(func(a *signin.Account) { a.Passwords = nil })
	if got := key.Device(key.WithDevice("", without, now), without, now); got != "" {
		t.Errorf("got device %s of an account without a password, want none", got)
	}
}

// TestDevice_ForgedOrOld checks that a forged or expired device does not count.
func TestDevice_ForgedOrOld(t *testing.T) {
	t.Parallel()
	key, now := signin.KnownKey(known), clock.Start
	hers := newAccount(func(*signin.Account) {})
	cookie := key.WithDevice("", hers, now)
	id := key.Device(cookie, hers, now)
	for after, want := range map[time.Duration]string{0: id, signin.KnownLasts - time.Second: id, signin.KnownLasts: "",
		-time.Second: ""} {
		if got := key.Device(cookie, hers, now.Add(after)); got != want {
			t.Errorf("after %s: got device %q, want %q", after, got, want)
		}
	}
	if got := signin.KnownKey("another").Device(cookie, hers, now); got != "" {
		t.Errorf("another key: got device %s, want none", got)
	}
	raw, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil {
		t.Fatal(err)
	}
	for at := range raw {
		forged := slices.Clone(raw)
		forged[at] ^= 1
		if got := key.Device(base64.RawURLEncoding.EncodeToString(forged), hers, now); got != "" {
			t.Errorf("byte %d forged: got device %s, want none", at, got)
		}
	}
	for _, text := range []string{"", ".", "x", cookie[1:], cookie + "AA", strings.Repeat(".", 4096)} {
		if got := key.Device(text, hers, now); got != "" {
			t.Errorf("%q: got device %s, want none", text, got)
		}
	}
}

// TestDevice_LastFiveAccounts checks that a browser's cookie holds one device for each of the last five accounts that
// signed in. When an account signs in again, a new device replaces the account's old device.
func TestDevice_LastFiveAccounts(t *testing.T) {
	t.Parallel()
	key, now := signin.KnownKey(known), clock.Start
	of := func(n int) signin.Account {
		return newAccount(func(a *signin.Account) { a.ID += strings.Repeat("x", n) })
	}
	cookie, first := "", ""
	for n := range 6 {
		cookie = key.WithDevice(cookie, of(n), now)
		if n == 1 {
			first = key.Device(cookie, of(1), now)
		}
	}
	cookie = key.WithDevice(cookie, of(1), now)
	for n, want := range []bool{false, true, true, true, true, true} {
		if got := key.Device(cookie, of(n), now); (got != "") != want {
			t.Errorf("account %d: got device %q, want one: %t", n, got, want)
		}
	}
	if got := key.Device(cookie, of(1), now); got == first || strings.Count(cookie, ".") != 4 {
		t.Errorf("got device %s and cookie %s, want another device in place of %s", got, cookie, first)
	}
}
