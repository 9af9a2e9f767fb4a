package sandbox_test

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func storingCharge(id, number string) acquirer.Charge {
	c := cardCharge(id, number, "10")
	c.Store = true
	return c
}

func tokenCharge(id, token string, unattended bool) acquirer.Charge {
	c := methodCharge(id, payments.CardMethod, "10", "EUR")
	c.Token = token
	if unattended {
		c.Agreement = new(acquirer.Agreement)
	}
	return c
}

func TestCharge_StoredCardKeepsScenario(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	quiet := w.mustCharge(t, storingCharge("quiet", silentCard)).Card
	paRes := w.answerChallenge(t, storingCharge("asking", askingCard), sandbox.Approve)
	asking := must(t)(w.Complete(t.Context(), "asking", paRes)).Card
	for _, c := range []struct {
		name       string
		card       *payments.CardSummary
		unattended bool
		want       payments.Decision
	}{
		{"quiet, payer there", quiet, false, payments.Approved},
		{"quiet, by mandate", quiet, true, payments.Approved},
		{"asking, payer there", asking, false, payments.Challenge},
		{"asking, by mandate", asking, true, payments.Approved},
	} {
		if !regexp.MustCompile(`^sbx_card_[A-Z2-7]{26}$`).MatchString(c.card.AcquirerToken) {
			t.Fatalf("%s: got token %q, want sbx_card_ and 26 letters or digits", c.name, c.card.AcquirerToken)
		}
		o := must(t)(w.restart().Charge(t.Context(), tokenCharge(c.name, c.card.AcquirerToken, c.unattended)))
		if o.Decision != c.want {
			t.Errorf("%s: got %s, want %s", c.name, o.Decision, c.want)
		}
		if o.Card != nil && *o.Card != *c.card {
			t.Errorf("%s: got card %+v, want %+v", c.name, o.Card, c.card)
		}
	}
	declined := tokenCharge("declined", quiet.AcquirerToken, true)
	declined.Amount = cardCharge("", plainCard, "42.01").Amount
	if o := w.mustCharge(t, declined); o.Decision != payments.Declined {
		t.Errorf("a declined amount by token: got %s, want declined", o.Decision)
	}
}

func TestCharge_RepeatedReturnsSameToken(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	first, again := w.mustCharge(t, storingCharge("c", plainCard)), w.mustCharge(t, storingCharge("c", plainCard))
	if first.Card.AcquirerToken != again.Card.AcquirerToken {
		t.Errorf("got tokens %s and %s, want the same", first.Card.AcquirerToken, again.Card.AcquirerToken)
	}
}

func TestCharge_StoresOnlyApprovedCards(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, storingCharge("failed", "4012001037461114"))
	must(t)(w.Complete(t.Context(), "asking", w.answerChallenge(t, storingCharge("asking", askingCard), sandbox.Reject)))
	for _, item := range w.scan(t) {
		if pk := item["pk"].(string); strings.HasPrefix(pk, "SANDBOX#CARD#") {
			t.Errorf("got %v in the records, want no card", item)
		}
	}
}

func TestDeleteCard(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	token := w.mustCharge(t, storingCharge("c", plainCard)).Card.AcquirerToken
	for range 2 {
		if err := w.DeleteCard(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	for _, unattended := range []bool{true, false} {
		o := w.mustCharge(t, tokenCharge(fmt.Sprint(unattended), token, unattended))
		if o.Decision != payments.Declined || o.ReturnCode != "14" {
			t.Errorf("a forgotten card: got %+v, want declined with 14", o)
		}
	}
	if o := w.mustCharge(t, storingCharge("c", plainCard)); o.Card == nil || o.Card.AcquirerToken != token {
		t.Errorf("the charge itself: got card %+v, want token %s", o.Card, token)
	}
}

// traces returns all forms in which a secret might appear in the records.
func traces(secret string) []string {
	m, s1, s2 := md5.Sum([]byte(secret)), sha1.Sum([]byte(secret)), sha256.Sum256([]byte(secret))
	forms := []string{secret}
	for _, sum := range [][]byte{m[:], s1[:], s2[:]} {
		forms = append(forms, hex.EncodeToString(sum), base64.StdEncoding.EncodeToString(sum),
			base64.RawURLEncoding.EncodeToString(sum))
	}
	return forms
}

func TestCharge_StoresNoCardNumber(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	numbers := []string{plainCard, silentCard, askingCard, "4012001037461114"}
	for i, number := range numbers {
		w.mustCharge(t, storingCharge(fmt.Sprintf("store %d", i), number))
		wantUnknown(t)(w.Charge(t.Context(), cardCharge(fmt.Sprintf("unknown %d", i), number, "42.25")))
	}
	must(t)(w.Complete(t.Context(), "asking", w.answerChallenge(t, storingCharge("asking", askingCard), sandbox.Approve)))
	items := w.scan(t)
	if len(items) < 10 {
		t.Fatalf("got %d items, want at least 10", len(items))
	}
	random := regexp.MustCompile(`write_id:\S+|auth_code:\S+|PAGE#\S+`) // any four digits may occur there by chance
	dump := random.ReplaceAllString(fmt.Sprint(items), "")
	for _, secret := range append(numbers, securityCode) {
		for _, trace := range traces(secret) {
			if strings.Contains(dump, trace) {
				t.Errorf("got %s in the records, want none of a card's secrets", trace)
			}
		}
	}
	if !strings.Contains(dump, "1111") || !strings.Contains(dump, "challenged") {
		t.Errorf("got the records %s, want 1111 and challenged in them", dump)
	}
}
