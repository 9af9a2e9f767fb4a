package mails_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/outbox"
)

// TestSend_ReceiptLinkExpired checks that no mail is sent after its link has expired, for example when an operator
// replays the mail late.
func TestSend_ReceiptLinkExpired(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]string{80 * 24 * time.Hour: outbox.Delivered,
		91 * 24 * time.Hour: outbox.Dropped} {
		o := newOffice(t)
		o.RefuseMails(func(string) string { return "TooManyRequestsException" })
		m := mail.NewReceipt("operation", mail.Receipt, "ada@example.com", "10,00 €")
		o.PutMail(o.Tenant(), m)
		o.Secret("token of a receipt", o.App.ReceiptToken(m.ID))
		for began := o.Clock.Now(); o.readMail(m.ID).State != outbox.Dead; o.RunUntilIdle() {
			if o.Clock.Advance(6 * time.Hour); o.Clock.Now().Sub(began) > 30*24*time.Hour {
				t.Fatalf("got %+v, want it dead", o.readMail(m.ID))
			}
		}
		o.Clock.Advance(after - o.Clock.Now().Sub(o.readMail(m.ID).CreatedAt))
		o.RefuseMails(func(string) string { return "" })
		o.Operate(map[string]any{"command": "replay_mails", "id": m.ID}, nil)
		o.run()
		if got := o.readMail(m.ID); got.State != want {
			t.Errorf("after %s: got %+v, want %s", after, got, want)
		}
	}
}
