package secret_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

const (
	panText = "4200000000000091"
	cvvText = "9173-CVV" // the digits alone occur in some times of a log
)

// holder has a card in an unexported field, which fmt prints without calling the card's methods.
type holder struct {
	card    payments.Card
	Shown   secret.Text
	pointer *secret.Text
}

func secretCarriers() map[string]any {
	text := secret.New(panText)
	card := payments.Card{Name: "Ada", Number: text, CVV: secret.New(cvvText)}
	return map[string]any{
		"secret": text, "pointer": &text, "card": card, "pointer to card": &card,
		"unexported": holder{card: card, Shown: text, pointer: &text},
		"list":       []secret.Text{text}, "map": map[string]secret.Text{"n": text},
	}
}

// leaks returns true if a text shows the card number or the CVV: as text, in hex or as a list of bytes.
func leaks(text string) bool {
	for _, secret := range []string{panText, cvvText} {
		for _, form := range []string{"%s", "%x", "%X", "% x", "%v", "%d"} {
			if strings.Contains(text, fmt.Sprintf(form, secret)) ||
				strings.Contains(text, strings.Trim(fmt.Sprintf(form, []byte(secret)), "[]")) {
				return true
			}
		}
	}
	return false
}

func TestText_NotPrinted(t *testing.T) {
	t.Parallel()
	for name, carrier := range secretCarriers() {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%c", "%U", "%t",
			"%T", "%20s", "%!"} {
			if text := fmt.Sprintf(verb, carrier); leaks(text) {
				t.Errorf("%s with %s: got %s, want no secret in it", name, verb, text)
			}
		}
		if text := fmt.Sprint(carrier) + fmt.Errorf("card %v: %w", carrier, errDetail).Error(); leaks(text) {
			t.Errorf("%s in an error: got %s, want no secret in it", name, text)
		}
	}
	if text := secret.New(panText).String(); text != "[redacted]" {
		t.Errorf("got %s, want [redacted]", text)
	}
}

var errDetail = fmt.Errorf("declined %v", secret.New(cvvText))

func TestText_NotLogged(t *testing.T) {
	t.Parallel()
	for name, carrier := range secretCarriers() {
		var out bytes.Buffer
		for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
			log := slog.New(handler).With("with", carrier)
			log.Info("charge", "card", carrier, slog.Group("group", "card", carrier))
			log.Info(fmt.Sprint("charge ", carrier))
		}
		if leaks(out.String()) || !strings.Contains(out.String(), "charge") {
			t.Errorf("%s: got log %s, want the charge without a secret", name, out.String())
		}
	}
}

func TestText_NotEncoded(t *testing.T) {
	t.Parallel()
	for name, carrier := range secretCarriers() {
		var binary bytes.Buffer
		_ = gob.NewEncoder(&binary).Encode(carrier)
		body, _ := json.Marshal(carrier)
		document, _ := xml.Marshal(carrier)
		item, _ := dynamo.MarshalItem(carrier)
		byGuregu, _ := dynamo.Marshal(carrier)
		byAWS, _ := attributevalue.Marshal(carrier)
		plain, _ := json.Marshal([]any{item, byGuregu, byAWS})
		if text := binary.String() + string(body) + string(document) + string(plain); leaks(text) {
			t.Errorf("%s, encoded: got %s, want no secret in it", name, text)
		}
	}
}

// TestText_EncodingFails checks that encoders refuse a secret. If they left it out silently, a mistake would stay
// hidden.
func TestText_EncodingFails(t *testing.T) {
	t.Parallel()
	card := payments.Card{Number: secret.New(panText)}
	if body, err := json.Marshal(card); err == nil || leaks(err.Error()) {
		t.Errorf("JSON: got %s, error %v, want an error without the secret", body, err)
	}
	if item, err := dynamo.MarshalItem(card); err == nil || leaks(err.Error()) {
		t.Errorf("table: got %v, error %v, want an error without the secret", item, err)
	}
}

func TestText_UnmarshalJSON(t *testing.T) {
	t.Parallel()
	var card payments.Card
	if err := json.Unmarshal([]byte(`{"number":"`+panText+`","cvv":null}`), &card); err != nil {
		t.Fatal(err)
	}
	if got := card.Number.Reveal(); got != panText || card.Number.IsZero() {
		t.Errorf("got number %q, zero %t, want %q, false", got, card.Number.IsZero(), panText)
	}
	if got := card.CVV.Reveal(); got != "" || !card.CVV.IsZero() {
		t.Errorf("null: got CVV %q, zero %t, want none, true", got, card.CVV.IsZero())
	}
	for _, body := range []string{panText, `["` + panText + `"]`, `{"n":"` + panText + `"}`, `true`} {
		var s secret.Text
		if err := json.Unmarshal([]byte(body), &s); err == nil || leaks(err.Error()) || !s.IsZero() {
			t.Errorf("%.2s…: got zero %t, error %v, want true, an error without the secret", body, s.IsZero(), err)
		}
	}
}

func TestText_Empty(t *testing.T) {
	t.Parallel()
	for _, s := range []secret.Text{{}, secret.New("")} {
		if got := s.Reveal(); !s.IsZero() || got != "" {
			t.Errorf("no secret: got %q, zero %t, want none, true", got, s.IsZero())
		}
	}
}
