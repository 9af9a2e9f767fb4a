package receipts

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/page/pagetest"
)

func renderPage(t *testing.T, s sheet, download string) string {
	t.Helper()
	var b strings.Builder
	if err := receiptBody(s, download).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReceiptBody_EscapesTexts checks that each text of the page is escaped, since merchants choose the names of shops
// and products.
func TestReceiptBody_EscapesTexts(t *testing.T) {
	t.Parallel()
	s := sampled("en")
	places := 0
	err := pagetest.Check(18, func(text string) (string, error) {
		s.state, s.amount, s.merchant = text, text, []string{text, text}
		s.facts, s.sums, s.refunds = []fact{{text, text}}, []fact{{text, text}}, []fact{{text, text}}
		s.lines, s.rates = []line{{text, text, text, text}}, []rate{{text, text, text, text}}
		places++
		return renderPage(t, s, "/receipts/x.pdf"), nil
	})
	if err != nil || places == 0 {
		t.Error(err)
	}
}

func TestReceiptBody_ScriptAsDownload(t *testing.T) {
	t.Parallel()
	for _, address := range pagetest.Scripts {
		if body := renderPage(t, sampled("en"), address); !strings.Contains(body, `href="about:invalid#`) {
			t.Errorf("%q: got %s, want the address about:invalid", address, body)
		}
	}
}

// TestReceipt_PageAndPDF checks that the page and the PDF have the same texts in each language.
func TestReceipt_PageAndPDF(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de", "pt"} {
		s := sampled(language)
		body := strings.ReplaceAll(renderPage(t, s, "/receipts/x.pdf"), "&amp;", "&")
		text, _ := textOf(t, draw(t, s))
		text = strings.ReplaceAll(text, "\n", " ") // the PDF breaks a long name into several lines
		texts := slices.Concat(s.merchant, []string{s.heading(), s.amount, s.nothingMoved})
		for _, f := range slices.Concat(s.facts, s.sums, s.refunds) {
			texts = append(texts, f.name, f.value)
		}
		for _, one := range texts {
			if !strings.Contains(body, one) || !strings.Contains(text, printable(one)+" ") {
				t.Errorf("%s: got %s and %s, want %q in both", language, body, text, one)
			}
		}
	}
}

func TestFormatRate(t *testing.T) {
	t.Parallel()
	for fraction, want := range map[string][]string{"0": {"0", "0"}, "0.19": {"19", "19"}, "0.07": {"7", "7"},
		"0.055": {"5.5", "5,5"}, "0.2": {"20", "20"}, "1": {"100", "100"}, "0.0025": {"0.25", "0,25"}, "0.10": {"10", "10"}} {
		for i, language := range []string{"en", "de"} {
			if got := sampled(language).formatRate(fraction); got != want[i]+"\u00a0%" {
				t.Errorf("%s, %s: got %q, want %q", fraction, language, got, want[i])
			}
		}
	}
}
