package receipts

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

var paidAt = time.Date(2026, 7, 1, 22, 30, 0, 0, time.UTC)

// sampled returns the sheet of a payment at a reader, with every field that a receipt can have.
func sampled(language string) sheet {
	amount := money.MustParse("1111.11", "EUR")
	zero := money.Zero("EUR")
	r := store.Record{Receipts: map[string]int64{"id": 42, "refund": 43}, Events: []payments.Event{
		{ID: "refund", Type: payments.RefundEvent, Status: payments.EventRefunded, Amount: money.MustParse("2.5", "EUR"),
			CreatedAt: paidAt.Add(time.Hour)},
		{ID: "open", Type: payments.RefundEvent, Status: payments.EventPending, Amount: money.MustParse("3", "EUR"),
			CreatedAt: paidAt.Add(2 * time.Hour)},
		{ID: "failed", Type: payments.RefundEvent, Status: payments.EventFailed, Amount: money.MustParse("4", "EUR"),
			CreatedAt: paidAt.Add(2 * time.Hour)}}}
	r.ID, r.Code, r.Amount, r.Captured, r.Refunded = "id", "T1A2B3C4D5", amount, amount, zero
	r.Status, r.CreatedAt, r.AuthCode, r.TerminalID = payments.TransactionSuccessful, paidAt, "053201", "TEST0001"
	r.EntryMode, r.PaymentType, r.Installments = "CHIP", "POS", 3
	r.Card = &payments.CardSummary{Brand: "MASTERCARD", LastFour: "0007"}
	r.Reader, r.ReaderModel, r.Verification = "SERIAL-1", "solo", payments.OnlinePIN
	r.EMV = payments.EMV{AID: "A0000000041010", ApplicationLabel: "MASTERCARD"}
	r.Tip, r.ProductSummary = money.MustParse("1.01", "EUR"), "Zwei Käsespätzle"
	a := account.Account{Profile: account.Profile{Language: language, DoingBusinessAs: account.DoingBusinessAs{
		BusinessName: "Kaffeehaus Ελλάς & Кофе", VATID: "DE123456789", RegistrationNumber: "HRB 1",
		Website: "https://kaffee.example", Email: "kaffee@example.com",
		Address: merchant.Address{Line1: "Ring 1", City: "Berlin", PostCode: "10115", Country: "DE"}}}}
	return newSheet(newPaymentSubject(r),
		merchant.Merchant{Code: "MC0A1B2C3D", Country: "DE", TimeZone: "Europe/Berlin"}, a, true)
}

// textOf returns a PDF's text, with a line for each cell, and its number of pages. The PDF has its text as UTF-16.
func textOf(t *testing.T, drawn []byte) (text string, pages int) {
	t.Helper()
	r, err := pdf.NewReader(bytes.NewReader(drawn), int64(len(drawn)))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := 1; n <= r.NumPage(); n++ {
		pdf.Interpret(r.Page(n).V.Key("Contents"), func(stack *pdf.Stack, op string) {
			for stack.Len() > 0 {
				if shown := stack.Pop(); op == "Tj" {
					b.WriteString(fromUTF16(shown.RawString()) + "\n")
				}
			}
		})
	}
	return strings.ReplaceAll(b.String(), "\u00a0", " "), r.NumPage()
}

func fromUTF16(text string) string {
	var units []uint16
	for i := 0; i+1 < len(text); i += 2 {
		units = append(units, uint16(text[i])<<8|uint16(text[i+1]))
	}
	return string(utf16.Decode(units))
}

func draw(t *testing.T, s sheet) []byte {
	t.Helper()
	drawn, err := s.renderPDF()
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv("CASHWRAP_SCREENSHOTS"); folder != "" {
		name := strings.ReplaceAll(t.Name(), "/", "-") + "-" + string(s.language) + ".pdf"
		if err := os.WriteFile(filepath.Join(folder, name), drawn, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return drawn
}

func TestRenderPDF_AllFields(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][]string{
		"en": {"Test mode: no money has moved\nReceipt\nKaffeehaus Ελλάς & Кофе\nRing 1\n10115 Berlin\nDeutschland\n" +
			"VAT ID: DE123456789\nCompany number: HRB 1\n", "\n€1,111.11\nReceipt number\n42\nTransaction\nT1A2B3C4D5\n" +
			"Date and time\n2 July 2026, 00:30 (UTC+02:00)\nPaid with\nMastercard •••• 0007\nEntry\nChip\n" +
			"Verification\nPIN\nInstalments\n3\nAuthorisation code\n053201\nTerminal\nTEST0001\nCard reader\nSERIAL-1\n" +
			"Application\nMASTERCARD\nAID\nA0000000041010\n",
			"Zwei Käsespätzle\n1\n1,110.10\n1,110.10\nTip\n€1.01\nTotal\n€1,111.11\n", "0 %\n1,110.10\n0.00\n1,110.10\n",
			"Refunds\n2 July 2026, 01:30 (UTC+02:00), Receipt number 43\n−€2.50\n" +
				"2 July 2026, 02:30 (UTC+02:00)\n−€3.00 (pending)\n1 / 1\n"},
		"de": {"Testmodus: Es ist kein Geld geflossen\nBeleg\n", "Belegnummer\n42\n",
			"Datum und Uhrzeit\n02.07.2026, 00:30 (UTC+02:00)\n", "Trinkgeld\n1,01 €\nGesamt\n1.111,11 €\n",
			"−3,00 € (in Bearbeitung)\n"},
		"pt": {"Modo de teste: nenhum dinheiro foi movimentado\nComprovante\n",
			"Data e hora\n02/07/2026, 00:30 (UTC+02:00)\n",
			"Gorjeta\n€ 1,01\nTotal\n€ 1.111,11\n"},
		"fr": {"Receipt number\n42\n"},
	} {
		text, pages := textOf(t, draw(t, sampled(language)))
		for _, one := range want {
			if !strings.Contains(text, one) {
				t.Errorf("%s: got %s, want %q in it", language, text, one)
			}
		}
		if pages != 1 || strings.Contains(text, "4.00") || strings.Contains(text, "4,00") {
			t.Errorf("%s: got %d pages and %s, want one, without the refund that failed", language, pages, text)
		}
	}
}

// TestRenderPDF_SameBytes checks that a PDF depends only on the receipt.
func TestRenderPDF_SameBytes(t *testing.T) {
	t.Parallel()
	s := sampled("de")
	first := draw(t, s)
	for range 10 {
		if again := draw(t, s); !bytes.Equal(first, again) {
			t.Fatal("got another PDF of the same receipt, want the same bytes")
		}
	}
	for _, want := range []string{"/Lang (de)", "/CreationDate (D:20260701223000"} {
		if !bytes.Contains(first, []byte(want)) {
			t.Errorf("got no %s in the PDF, want it", want)
		}
	}
	r, err := pdf.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	const title = "Beleg Kaffeehaus Ελλάς & Кофе"
	if got := r.Trailer().Key("Info").Key("Title").Text(); got != title {
		t.Errorf("got title %q, want %q", got, title)
	}
}

// crowded returns a sheet with 100 products that have long names.
func crowded() sheet {
	s := sampled("de")
	s.lines = nil
	for i := range 100 {
		s.lines = append(s.lines, line{fmt.Sprintf("Artikel %d: %s", i, strings.Repeat("Donaudampfschifffahrt ", i%12)),
			"1", "1.234.567,89", "1.234.567,89"})
	}
	s.lines[50].name = strings.Repeat("Ohnezwischenraum", 16)
	return s
}

func TestRenderPDF_SeveralPages(t *testing.T) {
	t.Parallel()
	drawn := draw(t, crowded())
	text, pages := textOf(t, drawn)
	if pages < 3 || pages > 15 || len(drawn) >= 100_000 {
		t.Errorf("got %d pages of %d bytes, want a few, below 100,000 bytes", pages, len(drawn))
	}
	for i := range 100 {
		if name := fmt.Sprintf("Artikel %d:", i); i != 50 && strings.Count(text, name) != 1 {
			t.Errorf("got %q %d times, want once", name, strings.Count(text, name))
		}
	}
	if headings := strings.Count(text, "Artikel\nMenge\nPreis\nSumme\n"); headings < pages-1 {
		t.Errorf("got %d headings on %d pages, want one on each with products", headings, pages)
	}
	if last := fmt.Sprintf("%d / %d", pages, pages); !strings.Contains(text, last) {
		t.Errorf("got %s, want %q in it", text, last)
	}
}

// TestRenderPDF_LongTexts checks that texts of any length stay within the margins.
func TestRenderPDF_LongTexts(t *testing.T) {
	t.Parallel()
	long := sampled("de")
	long.merchant = slices.Repeat([]string{strings.Repeat("W", 300)}, 12)
	long.facts = append(long.facts, fact{strings.Repeat("M", 200), strings.Repeat("M ", 5000)})
	long.lines[0] = line{strings.Repeat("W", 5000), "1", "99.999.999.999,99", "99.999.999.999,99"}
	for _, s := range []sheet{crowded(), long} {
		drawn := draw(t, s)
		r, err := pdf.NewReader(bytes.NewReader(drawn), int64(len(drawn)))
		if err != nil {
			t.Fatal(err)
		}
		const point = 72 / 25.4
		for n := 1; n <= r.NumPage(); n++ {
			for _, c := range r.Page(n).Content().Text {
				if c.X < margin*point-1 || c.X > (margin+width)*point || c.Y < (margin-3*leading)*point ||
					c.Y > (297-margin)*point {
					t.Fatalf("page %d: got %q at %.0f, %.0f, want it within the margins", n, c.S, c.X, c.Y)
				}
			}
		}
	}
}

// TestWrap_LongWords checks that each line fits its column, even if a word is longer than the column.
func TestWrap_LongWords(t *testing.T) {
	t.Parallel()
	d := newDrawing(sampled("de"))
	rapid.Check(t, func(r *rapid.T) {
		text, column := rapid.String().Draw(r, "text"), rapid.Float64Range(narrow-2, width).Draw(r, "column")
		d.useFont(rapid.SampledFrom([]string{"", "B"}).Draw(r, "style"), large)
		lines := d.wrap(text, column)
		for _, one := range lines {
			if got := d.GetStringWidth(one); got > column {
				r.Errorf("got line %q, %.1f mm wide, want at most %.1f", one, got, column)
			}
		}
		if err := d.Error(); err != nil || len(lines) > maxLines {
			r.Errorf("got %d lines, %v, want at most %d", len(lines), err, maxLines)
		}
	})
}

func TestWrap_LineBreaks(t *testing.T) {
	t.Parallel()
	d := newDrawing(sampled("de"))
	d.useFont("", normal)
	got := d.wrap("Two coffees\n\twith milk\r\nand\ra cake", width)
	if want := []string{"Two coffees", "with milk", "and", "a cake"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Zürich, Łódź, Ștefan, Ёлка, Ωμέγα":   "Zürich, Łódź, Ștefan, Ёлка, Ωμέγα",
		"e\u0301\tu\u0308\r\n x":              "é ü x",
		"Phở":                                 "Pho",
		"\u202eabc\u200b\u0000":               "abc",
		"茶, كافيه, ☕":                         "?, ?????, ?",
		"\U0001F600":                          "?",
		"a\u0336":                             "a",
		"":                                    "",
		"{pages}":                             "{pages}",
		string([]byte{0xff, 0xfe}) + "broken": "\ufffd\ufffdbroken",
	} {
		if got := printable(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
