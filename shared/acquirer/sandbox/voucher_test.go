package sandbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestPayVoucher(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for method, lasts := range map[payments.Method]time.Duration{
		payments.Boleto: 72 * time.Hour, payments.Pix: 24 * time.Hour, payments.QRCodePix: 24 * time.Hour,
	} {
		id := string(method)
		o := w.mustCharge(t, methodCharge(id, method, "10.10", "BRL"))
		if o.Decision != payments.Voucher || !o.Code.Until.Equal(w.Now().Add(lasts)) {
			t.Fatalf("%s: got %s, code %+v, want a voucher until %s", id, o.Decision, o.Code, w.Now().Add(lasts))
		}
		if again := must(t)(w.restart().LookUp(t.Context(), id)); *again.Code != *o.Code {
			t.Errorf("%s: got %+v, want %+v", id, again.Code, o.Code)
		}
		for range 2 {
			hint, err := w.PayVoucher(t.Context(), id)
			if err != nil || hint != hintOf(id) {
				t.Errorf("%s: got %+v, %v, want %+v", id, hint, err, hintOf(id))
			}
		}
		if o := must(t)(w.LookUp(t.Context(), id)); o.Decision != payments.Approved || w.countCaptures(t, id) != 1 {
			t.Errorf("%s: got %+v and %d captures, want approved and 1", id, o, w.countCaptures(t, id))
		}
	}
}

func TestCharge_VoucherCodes(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	slip := w.mustCharge(t, methodCharge("boleto", payments.Boleto, "10.10", "BRL")).Code.Text
	// The slip is for 10.10 reais and is due on 23 November 2026.
	if len(slip) != 47 || strings.Trim(slip, "0123456789") != "" || !strings.HasSuffix(slip, "16390000001010") {
		t.Errorf("got boleto %s, want 47 digits that end in 16390000001010", slip)
	}
	code := w.mustCharge(t, methodCharge("pix", payments.Pix, "10.10", "BRL")).Code.Text
	for _, part := range []string{"000201", "br.gov.bcb.pix", "5303986", "540510.10", "5802BR", "5911Corner Shop"} {
		if !strings.Contains(code, part) {
			t.Errorf("got pix code %s, want %s in it", code, part)
		}
	}
	if other := w.mustCharge(t, methodCharge("pix 2", payments.Pix, "10.10", "BRL")).Code.Text; other == code {
		t.Errorf("got code %s of two payments, want codes that differ", code)
	}
}

func TestPayVoucher_NotPayable(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, methodCharge("late", payments.Boleto, "10", "BRL"))
	w.mustCharge(t, methodCharge("cancelled", payments.Pix, "10", "BRL"))
	w.mustCharge(t, cardCharge("card", plainCard, "10"))
	w.mustCharge(t, cardCharge("challenge", askingCard, "10"))
	must(t)(w.Cancel(t.Context(), "cancelled"))
	w.Advance(72 * time.Hour)
	for id, want := range map[string]error{
		"late": sandbox.ErrNotPayable, "cancelled": sandbox.ErrNotPayable, "card": sandbox.ErrNotPayable,
		"challenge": sandbox.ErrNotPayable, "unknown": acquirer.ErrUnknownCharge,
	} {
		if _, err := w.PayVoucher(t.Context(), id); !errors.Is(err, want) {
			t.Errorf("%s: got error %v, want %v", id, err, want)
		}
	}
	if n := w.countCaptures(t, "late"); n != 0 {
		t.Errorf("got %d captures, want none", n)
	}
}
