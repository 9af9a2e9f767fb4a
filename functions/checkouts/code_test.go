package checkouts_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// boleto is a body with all that a boleto needs.
func boleto(changes ...change) map[string]any {
	return edited(map[string]any{"payment_type": "boleto", "personal_details": map[string]any{"first_name": "Ada",
		"last_name": "Lovelace",
		"email":     "ada@example.com", "tax_id": "529.982.247-25",
		"address": map[string]any{"line_1": "Rua Um, 1", "city": "São Paulo",
			"postal_code": "01310-100", "state": "SP", "country": "BR"}}}, changes...)
}

// artefact is one form of a payment code, as the checkout shows it.
type artefact struct {
	Name        string
	ContentType string `json:"content_type"`
	Location    string
	Content     string
	CreatedAt   string `json:"created_at"`
}

// download follows a link as a payer's browser does.
func (s *shop) download(address string) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: "GET", Path: strings.TrimPrefix(address, "http://cashwrap.test"),
		APIKey: world.NoKey})
}

// artefacts checks a code's two forms, which lead to the same text, and
// answers where they are.
func (s *shop) artefacts(t *testing.T, all []artefact, text string) (links []string) {
	t.Helper()
	if len(all) != 2 || all[0].Name != "barcode" || all[1].Name != "code" {
		t.Fatalf("artefacts %v", all)
	}
	image, code := s.download(all[0].Location), s.download(all[1].Location)
	for i, got := range []world.Response{image, code} {
		if got.Status != 200 || got.Header.Get("Content-Type") != all[i].ContentType ||
			all[i].CreatedAt != "2026-11-20T12:00:00.000+00:00" {
			t.Errorf("%s: %d %v, %+v", all[i].Name, got.Status, got.Header, all[i])
		}
	}
	if drawn, err := png.Decode(bytes.NewReader(image.Body)); err != nil || drawn.Bounds().Dx() < 200 {
		t.Errorf("image: %v", err)
	}
	if string(code.Body) != text || all[1].Content != text || all[0].Content != "" {
		t.Errorf("code %q in %+v, want %q", code.Body, all, text)
	}
	return []string{all[0].Location, all[1].Location}
}

// payVoucher plays the payer's bank.
func (s *shop) payVoucher(id string) {
	s.Helper()
	s.Operate(map[string]any{"command": "pay_voucher", "merchant_code": s.Merchant.Code, "checkout_id": id}, nil)
}

// allAbsent checks that links lead nowhere, and show it as a page.
func (s *shop) allAbsent(t *testing.T, links ...string) {
	t.Helper()
	for _, link := range links {
		if got := s.download(link); got.Status != http.StatusNotFound ||
			got.Header.Get("Content-Type") != "text/html;charset=UTF-8" {
			t.Errorf("%s: %d %s", link, got.Status, got.Body)
		}
	}
}

func TestBoleto(t *testing.T) {
	t.Parallel()
	s := open(t).abroad("BR", "BRL")
	id := s.create(t, change{"description", "Dois <cafés>"})
	got := s.put(id, boleto())
	var c struct {
		Boleto struct {
			Barcode, URL string
			ValidUntil   string `json:"valid_until"`
		}
		Artefacts []artefact
	}
	if err := got.Into(&c); err != nil || got.Status != 200 || s.seen(id) != "PENDING PENDING" || s.told(id) != 0 {
		t.Fatalf("%d %s: %v", got.Status, got.Body, err)
	}
	if read := s.get(id); string(read.Body) != string(got.Body) {
		t.Errorf("answered %s\nbut reads %s", got.Body, read.Body)
	}
	if line := c.Boleto.Barcode; len(line) != 47 || !strings.HasSuffix(line, "0000001010") ||
		c.Boleto.ValidUntil != "2026-11-23T12:00:00.000+00:00" {
		t.Errorf("boleto %+v", c.Boleto)
	}
	links := append(s.artefacts(t, c.Artefacts, c.Boleto.Barcode), c.Boleto.URL)
	line := c.Boleto.Barcode
	page := s.download(c.Boleto.URL)
	for _, part := range []string{`<html lang="pt-BR">`, "Modo de teste",
		">" + line[:5] + "." + line[5:10] + "</span> <span>" + line[10:15] + ".", ">" + line[33:] + "<",
		"R$\u00a010,10", "23/11/2026", "Dois &lt;cafés&gt;", c.Artefacts[0].Location} {
		if page.Status != 200 || !strings.Contains(string(page.Body), part) {
			t.Errorf("the page lacks %q: %d %s", part, page.Status, page.Body)
		}
	}
	other := s.create(t)
	s.allAbsent(t, strings.Replace(c.Boleto.URL, id, other, 1), c.Boleto.URL+"x",
		strings.Replace(links[0], ".barcode", ".gif", 1),
		strings.Replace(links[0], ".barcode", "", 1), strings.Replace(links[0], "/artefacts/", "/artefacts/x", 1))
	s.payVoucher(id)
	if s.seen(id) != "PAID SUCCESSFUL" || s.told(id) != 1 || s.Books(id).Captured != 1 {
		t.Errorf("%s, told %d times", s.seen(id), s.told(id))
	}
	read := s.get(id)
	world.Holds(t, read.Body, map[string]string{"boleto": "", "artefacts": ""})
	world.Holds(t, transactions(t, read)[0], map[string]string{"payment_type": `"BOLETO"`, "entry_mode": `"BOLETO"`})
	if s.payVoucher(id); s.told(id) != 1 || s.Books(id).Captured != 1 {
		t.Errorf("paid twice: told %d times, captured %d", s.told(id), s.Books(id).Captured)
	}
}

func TestABoletoIsOverAfterThreeDays(t *testing.T) {
	t.Parallel()
	s := open(t).abroad("BR", "BRL")
	id := s.create(t)
	s.put(id, boleto())
	s.Clock.Advance(3*24*time.Hour - time.Second)
	if s.Settle(); s.seen(id) != "PENDING PENDING" {
		t.Errorf("too early: %s", s.seen(id))
	}
	s.Clock.Advance(time.Second)
	if s.Settle(); s.seen(id) != "FAILED FAILED" || s.told(id) != 1 {
		t.Errorf("%s, told %d times", s.seen(id), s.told(id))
	}
	s.put(id, boleto())
	if s.payVoucher(id); s.seen(id) != "PAID FAILED SUCCESSFUL" || s.told(id) != 2 {
		t.Errorf("a second one: %s, told %d times", s.seen(id), s.told(id))
	}
}

// TestABoletoGivenUp can no longer be paid, and its links lead nowhere.
func TestABoletoGivenUp(t *testing.T) {
	t.Parallel()
	s := open(t).abroad("BR", "BRL")
	id := s.create(t)
	var c struct {
		Boleto    struct{ URL string }
		Artefacts []artefact
	}
	if err := s.put(id, boleto()).Into(&c); err != nil {
		t.Fatal(err)
	}
	s.pay(t, id, s.card(world.Frictionless))
	if got := s.seen(id); got != "PAID CANCELLED SUCCESSFUL" || s.told(id) != 1 {
		t.Errorf("%s, told %d times", got, s.told(id))
	}
	s.allAbsent(t, c.Boleto.URL, c.Artefacts[0].Location, c.Artefacts[1].Location)
}

func TestWhatABoletoMustKnowOfThePayer(t *testing.T) {
	t.Parallel()
	s := open(t).abroad("BR", "BRL")
	id := s.create(t)
	for _, field := range []string{"first_name", "last_name", "email", "tax_id", "address.line_1", "address.city",
		"address.postal_code", "address.state", "address.country"} {
		missing("personal_details."+field).Check(t, s.put(id, boleto(change{"personal_details." + field, absent})))
		missing("personal_details."+field).Check(t, s.put(id, boleto(change{"personal_details." + field, nil})))
	}
	for field, values := range map[string][]string{
		"tax_id":              {"52998224724", "11111111111", "5299822472", "529.982.247-2X", "12.ABC.345/01DE-35"},
		"address.country":     {"DE"},
		"address.postal_code": {"1310-100", "01310100x", "013-10100", "0131010"},
		"address.state":       {"sp", "XX", "São Paulo"},
	} {
		for _, value := range values {
			invalid("personal_details."+field).Check(t, s.put(id, boleto(change{"personal_details." + field, value})))
		}
	}
	missing("personal_details").Check(t, s.put(id, map[string]any{"payment_type": "boleto"}))
	several(t, s.put(id, boleto(change{"personal_details.tax_id", "1"}, change{"personal_details.email", absent})),
		fault{"INVALID", "personal_details.tax_id"}, fault{"MISSING", "personal_details.email"})
	if got := s.seen(id); got != "PENDING" {
		t.Errorf("%s", got)
	}
	for _, good := range []change{{"personal_details.tax_id", "52998224725"},
		{"personal_details.address.postal_code", "01310100"}} {
		if got := s.put(s.create(t), boleto(good)); got.Status != 200 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	known := s.create(t, change{"personal_details", boleto()["personal_details"]})
	if got := s.put(known, map[string]any{"payment_type": "boleto", "personal_details": map[string]any{
		"address": map[string]any{"city": "Santos"}}}); got.Status != 200 {
		t.Errorf("what the checkout knows: %d %s", got.Status, got.Body)
	}
}

func TestPix(t *testing.T) {
	t.Parallel()
	s := open(t).abroad("BR", "BRL")
	for method, entry := range map[string]string{"pix": "PIX", "qr_code_pix": "QR_CODE_PIX"} {
		t.Run(method, func(t *testing.T) {
			id := s.create(t)
			got := s.put(id, map[string]any{"payment_type": method})
			var code struct{ Artefacts []artefact }
			if err := json.Unmarshal([]byte(world.Members(t, got.Body)[method]), &code); err != nil || got.Status != 200 ||
				len(code.Artefacts) != 2 {
				t.Fatalf("%d %s: %v", got.Status, got.Body, err)
			}
			text := code.Artefacts[1].Content
			if !strings.HasPrefix(text, "000201") || !strings.Contains(text, "br.gov.bcb.pix") ||
				!strings.Contains(text, "540510.10") {
				t.Errorf("BR Code %s", text)
			}
			world.Holds(t, got.Body, map[string]string{"status": `"PENDING"`, "boleto": "", "artefacts": ""})
			s.artefacts(t, code.Artefacts, text)
			s.payVoucher(id)
			read := s.get(id)
			if s.seen(id) != "PAID SUCCESSFUL" || s.told(id) != 1 || s.Books(id).Captured != 1 {
				t.Errorf("%s, told %d times", s.seen(id), s.told(id))
			}
			world.Holds(t, read.Body, map[string]string{method: ""})
			world.Holds(t, transactions(t, read)[0], map[string]string{"payment_type": `"ECOM"`,
				"entry_mode": `"` + entry + `"`})
		})
	}
}

func TestAPixCodeIsOverAfterADay(t *testing.T) {
	t.Parallel()
	s := open(t).abroad("BR", "BRL")
	id := s.create(t)
	s.put(id, map[string]any{"payment_type": "pix"})
	s.Clock.Advance(24 * time.Hour)
	if s.Settle(); s.seen(id) != "FAILED FAILED" || s.told(id) != 1 {
		t.Errorf("%s, told %d times", s.seen(id), s.told(id))
	}
}
