package checkouts

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/page/pagetest"
)

func renderBoleto(t *testing.T, p boletoContent) string {
	t.Helper()
	var b strings.Builder
	if err := boletoBody(p).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBoletoBody_EscapesTexts checks that each text on the page is escaped, since merchants choose the name and the
// description.
func TestBoletoBody_EscapesTexts(t *testing.T) {
	t.Parallel()
	err := pagetest.Check(6, func(text string) (string, error) {
		return renderBoleto(t, boletoContent{merchant: text, description: text, line: []string{text}, amount: text,
			until: text, image: text}), nil
	})
	if err != nil {
		t.Error(err)
	}
	if body := renderBoleto(t, boletoContent{}); strings.Contains(body, "Descrição") {
		t.Errorf("without a description: got %s, want no Descrição", body)
	}
}

func TestBoletoBody_ScriptAsImage(t *testing.T) {
	t.Parallel()
	for _, address := range pagetest.Scripts {
		if body := renderBoleto(t, boletoContent{image: address}); !strings.Contains(body, `src="about:invalid#`) {
			t.Errorf("%q: got %s, want the source about:invalid", address, body)
		}
	}
}

func TestInReais(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0.05": "0,05", "10.10": "10,10", "999.99": "999,99", "1234.56": "1.234,56", "1234567.80": "1.234.567,80",
	} {
		amount, err := money.Parse(text, "BRL")
		if err != nil {
			t.Fatal(err)
		}
		if got := inReais(amount); got != "R$\u00a0"+want {
			t.Errorf("%s: got %q, want %q", text, got, "R$\u00a0"+want)
		}
	}
}

// TestBoletoBody_TestModeBadge checks that the page has the badge only in test mode. A boleto of live mode has none,
// because it really has to be paid.
func TestBoletoBody_TestModeBadge(t *testing.T) {
	t.Parallel()
	for _, test := range []bool{true, false} {
		if body := renderBoleto(t, boletoContent{test: test}); strings.Contains(body, "Modo de teste") != test {
			t.Errorf("got %s, want Modo de teste in it: %t", body, test)
		}
	}
}
