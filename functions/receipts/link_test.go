package receipts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// linksPath returns the path that creates links to a receipt.
func linksPath(s world.Shop, id string, event int64) string {
	return strings.Replace(receiptPath(s, id, event), "?", "/links?", 1)
}

// base is the base URL of each world.
const base = "http://cashwrap.test"

// createLink creates a link to a receipt, and returns the link's path.
func createLink(s world.Shop, id string, event int64) string {
	s.Helper()
	got := s.Send("POST", linksPath(s, id, event), nil)
	path, ours := strings.CutPrefix(got.Text("url"), base)
	if got.Status != 201 || !ours {
		s.Fatalf("link: got %d %s, want 201 and a URL below %s", got.Status, got.Body, base)
	}
	s.Secret("token of a receipt", strings.TrimPrefix(path, "/receipts/"))
	return path
}

// get requests a page as a browser does.
func get(s world.Shop, path string) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey})
}

// readPage returns the page of a valid link.
func readPage(s world.Shop, path string) string {
	s.Helper()
	got := get(s, path)
	if got.Status != 200 {
		s.Fatalf("%s: got %d %s, want 200", path, got.Status, got.Body)
	}
	return string(got.Body)
}

func wantTexts(s world.Shop, page string, texts ...string) {
	s.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			s.Errorf("got %s, want %q in it", page, text)
		}
	}
}

func TestShowReceipt_Page(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	refunded := refundEvent(s, p, "2.5")
	made := s.Send("POST", linksPath(s, p.Code, 0), nil)
	wantEnd := s.Clock.Now().UTC().Truncate(time.Second).AddDate(0, 0, 90).Format("2006-01-02T15:04:05.000Z")
	if made.Status != 201 || made.Text("expires_at") != wantEnd {
		t.Errorf("got %d %s, want 201 with expires_at %s", made.Status, made.Body, wantEnd)
	}
	whole, back := createLink(s, p.ID, 0), createLink(s, p.ID, refunded)
	wantTexts(s, readPage(s, whole), `<html lang="de">`, "Testmodus: Es ist kein Geld geflossen", "<h1>Beleg</h1>",
		"Kaffeehaus",
		"<dt>Belegnummer</dt><dd>1</dd>", "<dt>Transaktion</dt><dd>"+p.Code+"</dd>", "<dd>Visa •••• 0091</dd>",
		"10,10\u00a0€", "−2,50\u00a0€", "Belegnummer 2", whole+".pdf")
	page := readPage(s, back)
	wantTexts(s, page, "<h1>ERSTATTUNGSBELEG</h1>", "<dt>Belegnummer</dt><dd>2</dd>", "2,50\u00a0€")
	if strings.Contains(page, "10,10") {
		t.Errorf("got %s, want only what went back", page)
	}
}

// TestShowReceipt_NoPayouts checks that a payer sees neither payouts nor fees, because these concern only the merchant
// and us.
func TestShowReceipt_NoPayouts(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	if detail := string(receipt(s, p.ID, 0).Body); !strings.Contains(detail, `"9.90"`) {
		t.Fatalf("got %s, want a payout of 9.90 in it", detail)
	}
	if page := readPage(s, createLink(s, p.ID, 0)); strings.Contains(page, "9,90") || strings.Contains(page, "PAYOUT") {
		t.Errorf("got %s, want nothing of the payout", page)
	}
}

// TestShowReceipt_CacheControl checks that no cache stores the page. A browser must revalidate the PDF each time.
func TestShowReceipt_CacheControl(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	path := createLink(s, s.Sell("10").ID, 0)
	for suffix, want := range map[string][]string{
		"":     {"text/html;charset=UTF-8", "", "no-store"},
		".pdf": {"application/pdf", "inline; filename=receipt-", "private, no-cache"},
	} {
		got := get(s, path+suffix)
		name := got.Header.Get("Content-Disposition")
		if got.Status != 200 || got.Header.Get("Content-Type") != want[0] || !strings.HasPrefix(name, want[1]) ||
			(name == "") != (want[1] == "") {
			t.Errorf("%q: got %d %v, want 200, %v", suffix, got.Status, got.Header, want)
		}
		for header, want := range map[string]string{"Cache-Control": want[2], "Referrer-Policy": "no-referrer",
			"X-Content-Type-Options": "nosniff", "Set-Cookie": ""} {
			if value := got.Header.Get(header); value != want {
				t.Errorf("%q: got %s %q, want %q", suffix, header, value, want)
			}
		}
		policy := got.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%q: got policy %s, want %s", suffix, policy, want)
			}
		}
	}
	if pdf := get(s, path+".pdf").Body; !strings.HasPrefix(string(pdf), "%PDF-") {
		t.Errorf("got %.20q, want a PDF", pdf)
	}
}

// TestShowReceipt_NotModified checks that a browser that has the PDF gets 304 until the receipt changes.
func TestShowReceipt_NotModified(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10")
	path := createLink(s, p.ID, 0) + ".pdf"
	ask := func(tag string) world.Response {
		return s.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey,
			Header: map[string]string{"If-None-Match": tag}})
	}
	first := get(s, path)
	tag := first.Header.Get("ETag")
	for _, has := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		if got := ask(has); got.Status != 304 || len(got.Body) != 0 || got.Header.Get("ETag") != tag {
			t.Errorf("%s: got %d with %d bytes and ETag %s, want 304 without a body", has, got.Status, len(got.Body),
				got.Header.Get("ETag"))
		}
	}
	for _, has := range []string{`"x"`, "", strings.Trim(tag, `"`)} {
		if got := ask(has); got.Status != 200 || string(got.Body) != string(first.Body) {
			t.Errorf("%q: got %d with %d bytes, want 200 and the PDF", has, got.Status, len(got.Body))
		}
	}
	refundEvent(s, p, "2.5")
	if got := ask(tag); got.Status != 200 || got.Header.Get("ETag") == tag || string(got.Body) == string(first.Body) {
		t.Errorf("after a refund: got %d and ETag %s, want another PDF", got.Status, got.Header.Get("ETag"))
	}
}

func TestShowReceipt_InvalidToken(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	path := createLink(s, s.Sell("10").ID, 0)
	end := payments.ReceiptLinkEnd(s.Clock.Now())
	token := strings.TrimPrefix(path, "/receipts/")
	for _, other := range []string{strings.Repeat("0a", 16), "x", token + "0", token[:31], strings.ToUpper(token),
		token + ".PDF", token + ".pdf.pdf", ".pdf", token + "%20", "%20" + token, strings.Repeat("a", 3000)} {
		wantGone(s, "/receipts/"+other)
	}
	s.Clock.Advance(end.Sub(s.Clock.Now()) - time.Nanosecond)
	readPage(s, path)
	s.Clock.Advance(time.Nanosecond)
	wantGone(s, path)
	wantGone(s, path+".pdf")
}

// wantGone checks that the page says that the link does not work.
func wantGone(s world.Shop, path string) {
	s.Helper()
	got := get(s, path)
	if got.Status != 404 || !strings.Contains(got.Header.Get("Content-Type"), "text/html") {
		s.Errorf("%s: got %d %s, want a page with 404", path, got.Status, got.Body)
	}
	s.Clock.Advance(time.Second) // time passes because of the limit per address
}

// TestShowReceipt_LaterOutcome checks that a link shows outcomes that came after it was created. A receipt has no
// number until money moves.
func TestShowReceipt_LaterOutcome(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	declined, pending, paid := charge(s, "11", nil), charge(s, "42.25", nil), s.Sell("100")
	refused, waiting := refundEvent(s, paid, "42.01"), refundEvent(s, paid, "42.25")
	const failed, open = "fehlgeschlagen", "in Bearbeitung"
	paths := map[string]string{"declined": createLink(s, declined.ID, 0), "pending": createLink(s, pending.ID, 0),
		"refused": createLink(s, paid.ID, refused), "waiting": createLink(s, paid.ID, waiting)}
	want := map[string]string{"declined": failed, "pending": open, "refused": failed, "waiting": open}
	check := func() {
		t.Helper()
		for name, path := range paths {
			page := readPage(s, path)
			alert := `role="alert"`
			if said := strings.Contains(page, alert) && strings.Contains(page, want[name]); said != (want[name] != "") ||
				said == strings.Contains(page, "<dt>Belegnummer</dt>") {
				t.Errorf("%s: got %s, want it to say %q, and a number only otherwise", name, page, want[name])
			}
		}
	}
	check()
	s.PassMinute()
	s.PassMinute()
	want["pending"], want["waiting"] = "", ""
	check()
}

func TestShowReceipt_CardCheckOnly(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	checkout := s.Create("10", fields{"customer_id": s.Customer(), "purpose": "SETUP_RECURRING_PAYMENT"})
	body := s.Card(world.Frictionless)
	body["mandate"] = fields{"type": "recurrent", "user_agent": "Mozilla/5.0", "user_ip": "203.0.113.7"}
	p := s.Pay(checkout, body)
	wantTexts(s, readPage(s, createLink(s, p.ID, 0)), "Die Karte wurde nur geprüft: Es wurde nichts abgebucht.",
		"0,00\u00a0€")
	world.Holds(t, []byte(world.Fields(t, receipt(s, p.ID, 0).Body)["transaction_data"]), map[string]string{
		"amount": `"0.00"`, "status": `"SUCCESSFUL"`, "events": "[]", "receipt_no": ""})
	if got := receiptNumber(s, charge(s, "10", nil).ID, 0); got != "1" {
		t.Errorf("the first receipt of money: got number %s, want 1", got)
	}
}

// TestShowReceipt_LiveMode checks that a live receipt is not marked as a test.
func TestShowReceipt_LiveMode(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.GoLive()
	live := s.NewShop("BR", "BRL", fields{"sandbox": false})
	page := readPage(live, createLink(live, live.Sell("1234.50").ID, 0))
	wantTexts(live, page, `<html lang="pt">`, "<h1>Comprovante</h1>", "R$\u00a01.234,50")
	if strings.Contains(page, "Modo de teste") {
		t.Errorf("got %s, want nothing of test mode", page)
	}
}

// TestCreateReceiptLink_Repeated checks that a repeated reply lacks the secret URL. The link stays valid.
func TestCreateReceiptLink_Repeated(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	r := world.Request{Method: "POST", Path: linksPath(s, s.Sell("10").ID, 0), IdempotencyKey: "one",
		APIKey: s.Merchant.Key.Plaintext}
	first := s.Do(r)
	s.Secret("token of a receipt", strings.TrimPrefix(first.Text("url"), base+"/receipts/"))
	s.Clock.Advance(time.Hour)
	again := s.Do(r)
	if first.Status != 201 || first.Text("url") == "" || again.Status != 201 ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("got %d %s, then %d %s, want 201 twice, the second replayed", first.Status, first.Body, again.Status,
			again.Body)
	}
	want := fmt.Sprintf(`{"expires_at":%q}`, first.Text("expires_at"))
	if diff := cmp.Diff(want, string(again.Body)); diff != "" {
		t.Errorf("replay (-want +got):\n%s", diff)
	}
	readPage(s, strings.TrimPrefix(first.Text("url"), base))
}

// TestCreateReceiptLink_EachFault checks that a request that is interrupted at any step and repeated creates one link.
func TestCreateReceiptLink_EachFault(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	links := func() int { return count(s, "RECEIPTLINK") }
	request := func(key string) world.Request {
		return world.Request{Method: "POST", Path: linksPath(s, s.Sell("10").ID, 0), IdempotencyKey: key,
			APIKey: s.Merchant.Key.Plaintext}
	}
	world.Everywhere(t, 5, func(step int, fault faults.Fault) []string {
		before, r := links(), request(fmt.Sprint(fault, step))
		doomed := s.Process()
		doomed.Steps.Plan(step, fault)
		doomed.Do(r)
		s.Clock.Advance(time.Minute)
		got := s.Do(r)
		if made := links() - before; got.Status != 201 || made != 1 {
			t.Errorf("%s at step %d: got %d %s and %d links, want 201 and one", fault, step, got.Status, got.Body, made)
		}
		if path, there := strings.CutPrefix(got.Text("url"), base); there {
			readPage(s, path)
		}
		return doomed.Steps.Taken()
	})
}
