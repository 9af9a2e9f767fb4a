package checkouts_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// boleto returns a complete request body for a payment by boleto.
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

// download follows a link of a payment code, as a payer's browser does.
func download(s world.Shop, address string) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: "GET", Path: strings.TrimPrefix(address, "http://cashwrap.test"),
		APIKey: world.NoKey})
}

// checkArtefacts checks that both forms of a code have the same text. It returns the links to both forms.
func checkArtefacts(s world.Shop, all []artefact, text string) (links []string) {
	s.Helper()
	if len(all) != 2 || all[0].Name != "barcode" || all[1].Name != "code" {
		s.Fatalf("got artefacts %v, want barcode and code", all)
	}
	image, code := download(s, all[0].Location), download(s, all[1].Location)
	for i, got := range []world.Response{image, code} {
		const created = "2026-11-20T12:00:00.000+00:00"
		kind := got.Header.Get("Content-Type")
		if got.Status != 200 || kind != all[i].ContentType || all[i].CreatedAt != created {
			s.Errorf("%s: got %d, Content-Type %q, created %s, want 200, %q, %s",
				all[i].Name, got.Status, kind, all[i].CreatedAt, all[i].ContentType, created)
		}
	}
	if drawn, err := png.Decode(bytes.NewReader(image.Body)); err != nil {
		s.Errorf("image: got %v, want a PNG", err)
	} else if width := drawn.Bounds().Dx(); width < 200 {
		s.Errorf("image: got a width of %d, want at least 200", width)
	}
	if string(code.Body) != text || all[1].Content != text || all[0].Content != "" {
		s.Errorf("got code %q in %+v, want %q in both and no content of the image", code.Body, all, text)
	}
	return []string{all[0].Location, all[1].Location}
}

// payVoucher pays the checkout's voucher, as the payer's bank does.
func payVoucher(s world.Shop, id string) {
	s.Helper()
	s.Operate(map[string]any{"command": "pay_voucher", "merchant_code": s.Merchant.Code, "checkout_id": id}, nil)
}

// checkAbsent checks that each link answers with the page for a missing code.
func checkAbsent(s world.Shop, links ...string) {
	s.Helper()
	for _, link := range links {
		if got := download(s, link); got.Status != http.StatusNotFound ||
			got.Header.Get("Content-Type") != "text/html;charset=UTF-8" {
			s.Errorf("%s: got %d %v %s, want 404 and an HTML page", link, got.Status, got.Header, got.Body)
		}
	}
}

func TestProcessCheckout_Boleto(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("BR", "BRL", nil)
	id := s.Create("10.10", fields{"description": "Dois <cafés>"})
	got := s.ProcessCheckout(id, boleto())
	var c struct {
		Boleto struct {
			Barcode, URL string
			ValidUntil   string `json:"valid_until"`
		}
		Artefacts []artefact
	}
	if err := got.Into(&c); err != nil || got.Status != 200 {
		t.Fatalf("got %d %s, %v, want 200", got.Status, got.Body, err)
	}
	wantOutcome(t, s, id, outcome{"PENDING PENDING", 0, 0})
	if read := s.Checkout(id); string(read.Body) != string(got.Body) {
		t.Errorf("read: got %s\nwant as answered: %s", read.Body, got.Body)
	}
	if line := c.Boleto.Barcode; len(line) != 47 || !strings.HasSuffix(line, "0000001010") ||
		c.Boleto.ValidUntil != "2026-11-23T12:00:00.000+00:00" {
		t.Errorf("got boleto %+v, want 47 digits that end in 0000001010, valid until 2026-11-23T12:00:00.000+00:00",
			c.Boleto)
	}
	links := append(checkArtefacts(s, c.Artefacts, c.Boleto.Barcode), c.Boleto.URL)
	line := c.Boleto.Barcode
	page := download(s, c.Boleto.URL)
	for _, part := range []string{`<html lang="pt-BR">`, "Modo de teste",
		">" + line[:5] + "." + line[5:10] + "</span> <span>" + line[10:15] + ".", ">" + line[33:] + "<",
		"R$\u00a010,10", "23/11/2026", "Dois &lt;cafés&gt;", c.Artefacts[0].Location} {
		if page.Status != 200 || !strings.Contains(string(page.Body), part) {
			t.Errorf("got %d %s, want 200 and %q in it", page.Status, page.Body, part)
		}
	}
	other := s.Create("10.10", nil)
	checkAbsent(s, strings.Replace(c.Boleto.URL, id, other, 1), c.Boleto.URL+"x",
		strings.Replace(links[0], ".barcode", ".gif", 1),
		strings.Replace(links[0], ".barcode", "", 1), strings.Replace(links[0], "/artefacts/", "/artefacts/x", 1))
	payVoucher(s, id)
	wantOutcome(t, s, id, outcome{"PAID SUCCESSFUL", 1, 1})
	read := s.Checkout(id)
	world.Holds(t, read.Body, map[string]string{"boleto": "", "artefacts": ""})
	world.Holds(t, transactions(t, read)[0], map[string]string{"payment_type": `"BOLETO"`, "entry_mode": `"BOLETO"`})
	payVoucher(s, id) // the bank pays a second time
	wantOutcome(t, s, id, outcome{"PAID SUCCESSFUL", 1, 1})
}

func TestProcessCheckout_BoletoExpires(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("BR", "BRL", nil)
	id := s.Create("10.10", nil)
	s.ProcessCheckout(id, boleto())
	s.Clock.Advance(3*24*time.Hour - time.Second)
	s.RunUntilIdle()
	wantStatuses(t, s, id, "PENDING PENDING")
	s.Clock.Advance(time.Second)
	s.RunUntilIdle()
	wantOutcome(t, s, id, outcome{"FAILED FAILED", 1, 0})
	s.ProcessCheckout(id, boleto())
	payVoucher(s, id)
	wantOutcome(t, s, id, outcome{"PAID FAILED SUCCESSFUL", 2, 1})
}

// TestDownloadArtefact_AbandonedBoleto checks that an abandoned boleto cannot be paid, and that its links no longer
// work.
func TestDownloadArtefact_AbandonedBoleto(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("BR", "BRL", nil)
	id := s.Create("10.10", nil)
	var c struct {
		Boleto    struct{ URL string }
		Artefacts []artefact
	}
	if err := s.ProcessCheckout(id, boleto()).Into(&c); err != nil {
		t.Fatal(err)
	}
	s.MustPay(id, s.Card(world.Frictionless))
	wantOutcome(t, s, id, outcome{"PAID CANCELLED SUCCESSFUL", 1, 1})
	checkAbsent(s, c.Boleto.URL, c.Artefacts[0].Location, c.Artefacts[1].Location)
}

func TestProcessCheckout_BoletoPayerDetails(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("BR", "BRL", nil)
	id := s.Create("10.10", nil)
	for _, field := range []string{"first_name", "last_name", "email", "tax_id", "address.line_1", "address.city",
		"address.postal_code", "address.state", "address.country"} {
		missing("personal_details."+field).Check(t,
			s.ProcessCheckout(id, boleto(change{"personal_details." + field, absent})))
		missing("personal_details."+field).Check(t, s.ProcessCheckout(id, boleto(change{"personal_details." + field, nil})))
	}
	for field, values := range map[string][]string{
		"tax_id":              {"52998224724", "11111111111", "5299822472", "529.982.247-2X", "12.ABC.345/01DE-35"},
		"address.country":     {"DE"},
		"address.postal_code": {"1310-100", "01310100x", "013-10100", "0131010"},
		"address.state":       {"sp", "XX", "São Paulo"},
	} {
		for _, value := range values {
			invalid("personal_details."+field).Check(t,
				s.ProcessCheckout(id, boleto(change{"personal_details." + field, value})))
		}
	}
	missing("personal_details").Check(t, s.ProcessCheckout(id, map[string]any{"payment_type": "boleto"}))
	checkFaults(t,
		s.ProcessCheckout(id, boleto(change{"personal_details.tax_id", "1"}, change{"personal_details.email", absent})),
		fault{"INVALID", "personal_details.tax_id"}, fault{"MISSING", "personal_details.email"})
	wantStatuses(t, s, id, "PENDING")
	for _, good := range []change{{"personal_details.tax_id", "52998224725"},
		{"personal_details.address.postal_code", "01310100"}} {
		s.Want(good.path, 200, s.ProcessCheckout(s.Create("10.10", nil), boleto(good)))
	}
	known := s.Create("10.10", fields{"personal_details": boleto()["personal_details"]})
	s.Want("what the checkout knows", 200,
		s.ProcessCheckout(known, map[string]any{"payment_type": "boleto", "personal_details": map[string]any{
			"address": map[string]any{"city": "Santos"}}}))
}

func TestProcessCheckout_Pix(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("BR", "BRL", nil)
	for method, entry := range map[string]string{"pix": "PIX", "qr_code_pix": "QR_CODE_PIX"} {
		t.Run(method, func(t *testing.T) {
			id := s.Create("10.10", nil)
			got := s.ProcessCheckout(id, map[string]any{"payment_type": method})
			var code struct{ Artefacts []artefact }
			if err := json.Unmarshal([]byte(world.Fields(t, got.Body)[method]), &code); err != nil || got.Status != 200 ||
				len(code.Artefacts) != 2 {
				t.Fatalf("got %d %s, %v, want 200 and two artefacts", got.Status, got.Body, err)
			}
			text := code.Artefacts[1].Content
			if !strings.HasPrefix(text, "000201") || !strings.Contains(text, "br.gov.bcb.pix") ||
				!strings.Contains(text, "540510.10") {
				t.Errorf("got BR Code %s, want 000201 first, br.gov.bcb.pix and 540510.10", text)
			}
			world.Holds(t, got.Body, map[string]string{"status": `"PENDING"`, "boleto": "", "artefacts": ""})
			checkArtefacts(s, code.Artefacts, text)
			payVoucher(s, id)
			read := s.Checkout(id)
			wantOutcome(t, s, id, outcome{"PAID SUCCESSFUL", 1, 1})
			world.Holds(t, read.Body, map[string]string{method: ""})
			world.Holds(t, transactions(t, read)[0], map[string]string{"payment_type": `"ECOM"`,
				"entry_mode": `"` + entry + `"`})
		})
	}
}

func TestProcessCheckout_PixExpires(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("BR", "BRL", nil)
	id := s.Create("10.10", nil)
	s.ProcessCheckout(id, map[string]any{"payment_type": "pix"})
	s.Clock.Advance(24 * time.Hour)
	s.RunUntilIdle()
	wantOutcome(t, s, id, outcome{"FAILED FAILED", 1, 0})
}
