package receipts

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/page/pagetest"
)

func drawnPage(t *testing.T, s sheet, download string) string {
	t.Helper()
	var b strings.Builder
	if err := receiptBody(s, download).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestATextStaysAText in every place of the page: merchants choose their name, and the names of products.
func TestATextStaysAText(t *testing.T) {
	t.Parallel()
	s := sampled("en")
	places := 0
	err := pagetest.Check(18, func(text string) (string, error) {
		s.state, s.amount, s.merchant = text, text, []string{text, text}
		s.facts, s.sums, s.refunds = []fact{{text, text}}, []fact{{text, text}}, []fact{{text, text}}
		s.lines, s.rates = []line{{text, text, text, text}}, []rate{{text, text, text, text}}
		places++
		return drawnPage(t, s, "/receipts/x.pdf"), nil
	})
	if err != nil || places == 0 {
		t.Error(err)
	}
}

func TestTheDownloadIsNoScript(t *testing.T) {
	t.Parallel()
	for _, address := range pagetest.Scripts {
		if body := drawnPage(t, sampled("en"), address); !strings.Contains(body, `href="about:invalid#`) {
			t.Errorf("%q: got %s, want the address about:invalid", address, body)
		}
	}
}

// TestPageAndPDFSayTheSame, in each language.
func TestPageAndPDFSayTheSame(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de", "pt"} {
		s := sampled(language)
		body := strings.ReplaceAll(drawnPage(t, s, "/receipts/x.pdf"), "&amp;", "&")
		text, _ := textOf(t, draw(t, s))
		text = strings.ReplaceAll(text, "\n", " ") // a long name is on several lines
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

func TestPercents(t *testing.T) {
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
