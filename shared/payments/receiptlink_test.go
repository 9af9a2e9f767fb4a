package payments_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestNewReceiptToken(t *testing.T) {
	t.Parallel()
	const bits = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\xff"
	token, err := payments.NewReceiptToken(strings.NewReader(bits))
	if err != nil || token != "000102030405060708090a0b0c0d0eff" {
		t.Errorf("got %q, %v, want the 16 bytes in hexadecimal", token, err)
	}
	random, err := payments.NewReceiptToken(rand.Reader)
	if err != nil || !payments.IsReceiptToken(random) {
		t.Errorf("got %q, %v, want a token", random, err)
	}
	broken := errors.New("no bits")
	if _, err = payments.NewReceiptToken(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the source", err)
	}
	for _, text := range []string{"", "0", token[:31], token + "0", strings.ToUpper(token), token[:31] + "g",
		" " + token[:31]} {
		if payments.IsReceiptToken(text) {
			t.Errorf("%q: got a token, want none", text)
		}
	}
	if hash := identity.Hash(token); hash == identity.Hash(random) || len(hash) != 64 {
		t.Errorf("got hash %q, want 64 digits, others for another token", hash)
	}
}

func TestReceiptLinkEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 999, time.UTC)
	want := time.Date(2027, 2, 18, 12, 0, 0, 0, time.UTC)
	if got := payments.ReceiptLinkEnd(now); !got.Equal(want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
