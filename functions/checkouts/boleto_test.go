package checkouts

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/page/pagetest"
)

func drawnBoleto(t *testing.T, p printed) string {
	t.Helper()
	var b strings.Builder
	if err := boletoBody(p).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestATextStaysAText in every place of the boleto's page: merchants choose
// the name and the description.
func TestATextStaysAText(t *testing.T) {
	t.Parallel()
	err := pagetest.Check(6, func(text string) (string, error) {
		return drawnBoleto(t, printed{merchant: text, description: text, line: text, amount: text, until: text, image: text}), nil
	})
	if err != nil {
		t.Error(err)
	}
	if body := drawnBoleto(t, printed{}); strings.Contains(body, "For") {
		t.Errorf("a description that is not there: %s", body)
	}
}

func TestTheImageIsNoScript(t *testing.T) {
	t.Parallel()
	for _, address := range pagetest.Scripts {
		if body := drawnBoleto(t, printed{image: address}); !strings.Contains(body, `src="about:invalid#`) {
			t.Errorf("%q: %s", address, body)
		}
	}
}
