package receipts_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/store"
)

const payer = "ada@example.com"

// requestMail requests a mail with a receipt.
func requestMail(s world.Shop, id string, event int64, to string) world.Response {
	s.Helper()
	path := strings.Replace(receiptPath(s, id, event), "?", "/emails?", 1)
	return s.Send("POST", path, fields{"email": to})
}

// sendMail requests a mail with a receipt, and returns the only mail sent.
func sendMail(s world.Shop, id string, event int64) ses.Mail {
	s.Helper()
	before := len(s.Mails.Sent())
	if got := requestMail(s, id, event, payer); got.Status != 202 || string(got.Body) != "{}" {
		s.Fatalf("mail: got %d %s, want 202 {}", got.Status, got.Body)
	}
	s.RunUntilIdle()
	sent := s.Mails.Sent()[before:]
	if len(sent) != 1 || sent[0].To != payer || sent[0].Times != 1 {
		s.Fatalf("got mails %+v, want one to %s", sent, payer)
	}
	return sent[0]
}

var inMail = regexp.MustCompile(`/receipts/([0-9a-f]{32})\b`)

// linkIn returns the path of the link in a mail.
func linkIn(s world.Shop, m ses.Mail) string {
	s.Helper()
	found := inMail.FindStringSubmatch(m.Text)
	if found == nil || !strings.Contains(m.HTML, base+found[0]) {
		s.Fatalf("got %s and %s, want a link to a receipt", m.Text, m.HTML)
	}
	s.Secret("token of a receipt", found[1])
	return found[0]
}

func TestEmailReceipt_Link(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("1010.10")
	refunded := refundEvent(s, p, "2.5")
	m := sendMail(s, p.ID, 0)
	if m.Subject != "[Test] Ihr Beleg von Kaffeehaus" {
		t.Errorf("got subject %q, want the merchant and a test", m.Subject)
	}
	wantTexts(s, m.Text, "Dies ist ein Test: Es ist kein Geld geflossen.", "1.010,10 € an Kaffeehaus")
	wantTexts(s, readPage(s, linkIn(s, m)), "<dt>Belegnummer</dt><dd>1</dd>", "1.010,10\u00a0€")
	back := sendMail(s, p.ID, refunded)
	wantTexts(s, back.Subject, "Ihre Erstattung von Kaffeehaus")
	wantTexts(s, back.Text, "2,50 €")
	wantTexts(s, readPage(s, linkIn(s, back)), "<h1>ERSTATTUNGSBELEG</h1>", "<dt>Belegnummer</dt><dd>2</dd>")
}

// TestEmailReceipt_MerchantsLanguageAndName checks that the mail uses the merchant's language, and the name that payers
// know.
func TestEmailReceipt_MerchantsLanguageAndName(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.GoLive()
	live := s.NewShop("GB", "GBP", fields{"sandbox": false})
	live.Operate(fields{"command": "update_account", "merchant_code": live.Merchant.Code, "account": fields{
		"merchant_profile": fields{"doing_business_as": fields{"business_name": "Corner Shop"}}}}, nil)
	m := sendMail(live, live.Sell("10").ID, 0)
	if m.Subject != "Your receipt from Corner Shop" || strings.Contains(m.Text, "This is a test") {
		t.Errorf("got %q and %s, want the shop's name, and nothing of a test", m.Subject, m.Text)
	}
	wantTexts(live, m.Text, "£10.00 to Corner Shop")
	page := readPage(live, linkIn(live, m))
	wantTexts(live, page, `<html lang="en">`, "<h1>Receipt</h1>", "Corner Shop")
}

// TestEmailReceipt_NoMoneyMoved checks that the mail does not claim a payment if no money moved.
func TestEmailReceipt_NoMoneyMoved(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	paid := s.Sell("100")
	waiting := refundEvent(s, paid, "42.25")
	for _, m := range []ses.Mail{sendMail(s, charge(s, "11", nil).ID, 0), sendMail(s, paid.ID, waiting)} {
		if strings.Contains(m.Subject+m.Text, "Beleg") {
			t.Errorf("got %q, %s, want no receipt", m.Subject, m.Text)
		}
		wantTexts(s, m.Text, "bisher nicht abgeschlossen")
		linkIn(s, m)
	}
}

func TestEmailReceipt_Repeated(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	r := world.Request{Method: "POST", Path: strings.Replace(receiptPath(s, s.Sell("10").ID, 0), "?", "/emails?", 1),
		Body: fields{"email": payer}, IdempotencyKey: "one", APIKey: s.Merchant.Key.Plaintext}
	for range 10 {
		s.Must(202, s.Do(r))
		s.RunUntilIdle()
	}
	if n := len(s.Mails.Sent()); n != 1 {
		t.Errorf("got %d mails, want 1", n)
	}
}

// TestEmailReceipt_EachFault checks that a request that is interrupted at any step and repeated sends one mail, and
// counts one mail.
func TestEmailReceipt_EachFault(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	request := func(key string) world.Request {
		return world.Request{Method: "POST", Path: strings.Replace(receiptPath(s, s.Sell("10").ID, 0), "?", "/emails?", 1),
			Body: fields{"email": payer}, IdempotencyKey: key, APIKey: s.Merchant.Key.Plaintext}
	}
	world.Everywhere(t, 5, func(step int, fault faults.Fault) []string {
		before, r := len(s.Mails.Sent()), request(fmt.Sprint(fault, step))
		doomed := s.Process()
		doomed.Steps.Plan(step, fault)
		doomed.Do(r)
		s.RunUntilIdle()
		s.Clock.Advance(time.Minute)
		got := s.Do(r)
		s.RunUntilIdle()
		if sent := len(s.Mails.Sent()) - before; got.Status != 202 || sent != 1 {
			t.Errorf("%s at step %d: got %d %s and %d mails, want 202 and one", fault, step, got.Status, got.Body, sent)
		}
		return doomed.Steps.Taken()
	})
}

// TestEmailReceipt_Limits checks the limits of contract §2.9.
func TestEmailReceipt_Limits(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.OtherShop()
	p, theirs := s.Sell("10"), other.Sell("10")
	refunded := refundEvent(s, p, "2.5")
	limited := func(got world.Response, wait string) {
		t.Helper()
		world.Refused(429, "TOO_MANY_REQUESTS", "", "too-many-requests").Check(t, got)
		if after := got.Header.Get("Retry-After"); after != wait {
			t.Errorf("got Retry-After %s, want %s", after, wait)
		}
	}
	for range 5 {
		sendMail(s, p.ID, 0)
	}
	limited(requestMail(s, p.ID, 0, "another@example.com"), "17280") // a fifth of a day, in seconds
	day := store.Bucket{Every: 24 * time.Hour / 500, Burst: 500}
	used := "mails of receipts " + s.Tenant().String()
	if granted, _, err := s.App.Store.LeaseTokens(t.Context(), used, day, 495, time.Time{}); granted != 495 {
		t.Fatalf("got %d of the 495 mails that are left of a day, error %v", granted, err)
	}
	limited(requestMail(s, p.ID, refunded, payer), "173")
	s.RunUntilIdle()
	sendMail(other, theirs.ID, 0)
	s.Clock.Advance(173 * time.Second)
	sendMail(s, p.ID, refunded)
	if sent := count(s, "MAIL"); sent != 7 {
		t.Errorf("got %d mails, want 7", sent)
	}
}

func TestEmailReceipt_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10")
	path := strings.Replace(receiptPath(s, p.ID, 0), "?", "/emails?", 1)
	for name, c := range map[string]struct {
		body any
		want world.Refusal
	}{
		"nothing":             {fields{}, world.Missing("email")},
		"null":                {fields{"email": nil}, world.Missing("email")},
		"empty":               {fields{"email": ""}, world.Missing("email")},
		"no address":          {fields{"email": "ada"}, world.Invalid("email")},
		"a name":              {fields{"email": "Ada <ada@example.com>"}, world.Invalid("email")},
		"two":                 {fields{"email": "a@b.c, d@e.f"}, world.Invalid("email")},
		"a quoted name":       {fields{"email": `"a b"@example.com`}, world.Invalid("email")},
		"another header":      {fields{"email": "a@b.c\r\nBcc: d@e.f"}, world.Invalid("email")},
		"longer than allowed": {fields{"email": strings.Repeat("a", 251) + "@b.cde"}, world.Invalid("email")},
		"a number":            {fields{"email": 1}, world.Invalid("email")},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Check(t, s.Main().DoUnchecked(world.Request{Method: "POST", Path: path, Body: c.body,
				APIKey: s.Merchant.Key.Plaintext}))
		})
	}
	s.RunUntilIdle()
	if sent := s.Mails.Sent(); len(sent) != 0 || receiptNumber(s, p.ID, 0) != "1" {
		t.Errorf("got mails %+v, want none", sent)
	}
}

// TestReceiptLink_RefusedLikeReceipt checks that links and mails are refused in the same cases as the receipt itself
// (contract §6.6).
func TestReceiptLink_RefusedLikeReceipt(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.OtherShop()
	p, theirs := s.Sell("10"), other.Sell("10")
	absent := world.Refused(404, "NOT_FOUND", "", "not-found")
	payout := fmt.Sprint("?tx_event_id=", lastEvent(s, p, "PAYOUT"), "&mid=")
	for _, suffix := range []string{"/links", "/emails"} {
		for query, want := range map[string]world.Refusal{
			p.ID + suffix: world.Missing("mid"),
			p.ID + suffix + "?mid=" + other.Merchant.Code:           world.Invalid("mid"),
			theirs.ID + suffix + "?mid=" + s.Merchant.Code:          absent,
			theirs.Code + suffix + "?mid=" + s.Merchant.Code:        absent,
			p.ID + suffix + "?tx_event_id=1&mid=" + s.Merchant.Code: absent,
			p.ID + suffix + payout + s.Merchant.Code:                absent,
		} {
			want.Check(t, s.Main().DoUnchecked(world.Request{Method: "POST", Path: "/v1.1/receipts/" + query,
				Body: fields{"email": payer}, APIKey: s.Merchant.Key.Plaintext}))
		}
	}
	s.RunUntilIdle()
	if sent, links := s.Mails.Sent(), count(s, "RECEIPTLINK"); len(sent) != 0 || links != 0 {
		t.Errorf("got mails %+v and %d links, want none", sent, links)
	}
}

// TestEmailReceipt_Scopes checks that a credential that can only read sends no mail.
func TestEmailReceipt_Scopes(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10")
	for scope, want := range map[string]int{"payments": 202, "checkouts.write": 202, "receipts.read": 403,
		"transactions.read": 403, "transactions.history": 403, "checkouts.read": 403, "refunds.write": 403} {
		s.Want(scope, want, requestMail(s.WithKey(s.NewKey("secret", scope)), p.ID, 0, payer))
	}
	s.RunUntilIdle()
	sent := slices.DeleteFunc(s.Mails.Sent(), func(m ses.Mail) bool { return m.To != payer }) // omits mails about keys
	if len(sent) != 2 {
		t.Errorf("got %d mails, want 2", len(sent))
	}
}
