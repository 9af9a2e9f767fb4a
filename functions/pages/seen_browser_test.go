package pages_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// digitsOf lists the elements of each digit of a barcode, from 0 to 9: "w" is wide, "n" is narrow (ISO/IEC 16390).
const digitsOf = "nnwwn wnnnw nwnnw wwnnn nnwnw wnwnn nwwnn nnnww wnnwn nwnwn"

// readBarcode reads an interleaved 2 of 5 barcode from a row of pixels. "1" is a black pixel.
func readBarcode(t *testing.T, row string) (number string) {
	t.Helper()
	row = strings.Trim(row, "0")
	var widths []int
	for i := range len(row) {
		if i == 0 || row[i] != row[i-1] {
			widths = append(widths, 0)
		}
		widths[len(widths)-1]++
	}
	if len(widths) < 7 {
		t.Fatalf("got %d bars and spaces, want a barcode", len(widths))
	}
	elements, narrow := "", slices.Min(widths)
	for _, w := range widths {
		if 2*w > 3*narrow {
			elements += "w"
		} else {
			elements += "n"
		}
	}
	if !strings.HasPrefix(elements, "nnnn") || !strings.HasSuffix(elements, "wnn") || len(elements)%10 != 7 {
		t.Fatalf("got elements %s, want them between start and stop", elements)
	}
	for pair := elements[4 : len(elements)-3]; pair != ""; pair = pair[10:] {
		bars, spaces := "", ""
		for i := range 5 {
			bars, spaces = bars+pair[2*i:2*i+1], spaces+pair[2*i+1:2*i+2]
		}
		for _, digit := range []string{bars, spaces} {
			at := strings.Index(digitsOf, digit)
			if at%6 != 0 {
				t.Fatalf("got elements %s, want a digit", digit)
			}
			number += string(rune('0' + at/6))
		}
	}
	return number
}

// middleRow returns the row of pixels in the middle of the barcode.
const middleRow = `(async () => {
	const image = document.querySelector(".bars img"), canvas = document.createElement("canvas");
	await image.decode();
	const width = canvas.width = image.naturalWidth, drawing = canvas.getContext("2d");
	drawing.drawImage(image, 0, image.naturalHeight >> 1, width, 1, 0, 0, width, 1);
	return drawing.getImageData(0, 0, width, 1).data.filter((_, i) => i % 4 === 0).reduce((s, v) => s + +(v < 128), "");
})()`

// TestBoleto_WithABrowser checks that the copied text and the barcode are valid for banks.
func TestBoleto_WithABrowser(t *testing.T) {
	t.Parallel()
	o := newOnline(t)
	o.Shop = o.NewShop("BR", "BRL", nil)
	id, page := o.hosted("10.10", nil)
	tab := chromium.Open(t, o.web(), chromium.Options{Language: "pt-BR"}).Visit(page)
	tab.CSS(`[data-method="boleto"] summary`).Click()
	fillPayer(tab, "boleto")
	for name, value := range map[string]string{"tax_id": "529.982.247-25", "address.line_1": "Rua 1",
		"address.city": "São Paulo", "address.postal_code": "01001-000"} {
		tab.CSS(`[data-method="boleto"] [name="personal_details.` + name + `"]`).Fill(value)
	}
	tab.CSS(`[data-method="boleto"] select`).Choose("SP")
	tab.CSS(`[data-method="boleto"] button`).Click()
	tab.CSS(`[data-state="code"]`).Wait()
	tab.Look("flow-boleto", tab.CSS("h1").Text())
	tab.Evaluate(`void (navigator.clipboard.writeText = async (text) => { globalThis.copied = text; })`, nil)
	tab.CSS("#copy").Click()
	tab.Wait("globalThis.copied")
	var line, row string
	tab.Evaluate("globalThis.copied", &line)
	if shown := tab.CSS(".line dd").Text(); len(line) != 47 || strings.Count(shown, ".") != 3 ||
		strings.NewReplacer(".", "", " ", "", "\n", "", "\t", "").Replace(shown) != line {
		t.Fatalf("got %q copied of %q, want its 47 digits", line, shown)
	}
	tab.Evaluate(middleRow, &row)
	// The barcode has bank, currency, check digit, due date and amount, then the free fields without their check digits
	// (FEBRABAN).
	want := line[0:4] + line[32:47] + line[4:9] + line[10:20] + line[21:31]
	if got := readBarcode(t, row); got != want {
		t.Errorf("got barcode %s, want %s of the line %s", got, want, line)
	}
	o.Operate(map[string]any{"command": "pay_voucher", "merchant_code": o.Merchant.Code, "checkout_id": id}, nil)
	tab.WaitURL(arrived + id)
	o.wantPaid(id)
}

// TestShowPaymentPage_LeakedLinkWithABrowser checks that the browser does not send the page's address to the shop as a
// referrer. In another browser, the page's link shows nothing of the payment.
func TestShowPaymentPage_LeakedLinkWithABrowser(t *testing.T) {
	t.Parallel()
	o := newOnline(t)
	id, page := o.hosted("10.10", nil)
	tab := chromium.Open(t, o.web(), chromium.Options{}).Visit(page)
	var loaded int
	tab.Evaluate(`performance.getEntries().reduce((all, e) => all + (e.decodedBodySize ?? 0), 0)`, &loaded)
	if loaded < 10_000 || loaded > 60_000 {
		t.Errorf("got %d bytes loaded, want all of the page, at most 60000", loaded)
	}
	o.enterCard(tab, world.Frictionless)
	tab.Button(payNow).Click()
	o.awaitReturn(tab, id)
	var referrer string
	if tab.Evaluate("document.referrer", &referrer); referrer != "" {
		t.Errorf("got referrer %q, want none", referrer)
	}
	finder := chromium.Open(t, o.web(), chromium.Options{}).Visit(page)
	finder.CSS(`[data-state="ended"]`).Wait()
	for _, part := range []string{"10.10", "Two espressi", "Kaffeehaus"} {
		if text := finder.CSS("html").Text(); strings.Contains(text, part) {
			t.Errorf("got %s, want no %s in it", text, part)
		}
	}
}
