package faults_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// rotationTakes is how long after the deployment the new secret comes into use.
const rotationTakes = 20 * time.Minute

// verifier is a merchant's server that knows its own secret only.
type verifier struct {
	*world.World
	url    string
	secret webhook.Secret
	mu     sync.Mutex
	signed []string // the signatures of each callback, which the secret verified
}

func newVerifier(w *world.World) *verifier {
	v := &verifier{World: w, secret: w.Shop().RotateSecret()}
	server := httptest.NewServer(v)
	w.Cleanup(server.Close)
	v.url = server.URL
	return v
}

func (v *verifier) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = webhook.Verify(r.Header, body, v.Clock.Now(), []webhook.Secret{v.secret}, nil)
	}
	if err != nil {
		v.Errorf("callback: got error %v, want a valid signature", err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.signed = append(v.signed, r.Header.Get("webhook-signature"))
}

// byPlatform is how many keys of the platform signed each callback so far.
func (v *verifier) byPlatform() (counts []int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, signatures := range v.signed {
		counts = append(counts, strings.Count(signatures, "v1a,"))
	}
	return counts
}

// published are the keys of callbacks, the newest first.
func published(w *world.World) (keys []string) {
	var body struct {
		Keys []struct {
			PublicKey string `json:"public_key"`
		}
	}
	r := w.Do(world.Request{Method: "GET", Path: "/.well-known/webhook-keys", APIKey: world.NoKey})
	if err := r.Into(&body); err != nil || r.Status != 200 {
		w.Fatalf("webhook keys: got %d %s, error %v; want 200 and JSON", r.Status, r.Body, err)
	}
	for _, key := range body.Keys {
		keys = append(keys, key.PublicKey)
	}
	return keys
}

// rotating is a scenario in which the platform gets a new secret.
type rotating struct{ *examples.Scenario }

// under is a request with an Idempotency-Key.
func (t rotating) under(key string) world.Request {
	return world.Request{Method: "POST", Path: "/v0.1/checkouts", IdempotencyKey: key,
		Body: map[string]any{"checkout_reference": key, "amount": 10.10, "currency": "EUR", "merchant_code": t.Merchant.Code}}
}

// replays checks that the request under the key is answered as it was, and not run again.
func (t rotating) replays(key string, first world.Response) {
	t.Helper()
	again := t.Do(t.under(key))
	if again.Header.Get("Idempotency-Replayed") != "true" || !bytes.Equal(again.Body, first.Body) {
		t.Errorf("%s again: got %d %s, Idempotency-Replayed %q; want it replayed with %s", key, again.Status, again.Body,
			again.Header.Get("Idempotency-Replayed"), first.Body)
	}
}

// challenged starts a payment and has the payer's bank answer it; the payer
// has yet to come back.
func (t rotating) challenged(returnURL string) world.Request {
	t.Open(map[string]any{"return_url": returnURL})
	t.StartChallenge("approve")
	return t.Complete()
}

// payerReturns brings the payer back, whose payment then is done.
func (t rotating) payerReturns(complete world.Request) {
	t.Helper()
	t.CheckoutID = strings.Split(complete.Path, "/")[3]
	back, read := t.Do(complete), t.Checkout(t.CheckoutID)
	if back.Status >= 400 || read.Text("status") != "PAID" {
		t.Errorf("back: got %d %s and checkout %s, want a status below 400 and PAID", back.Status, back.Body, read.Body)
	}
}

// TestARotationInterruptsNothing: whatever was begun before the
// deployment, or before the new secret comes into use, ends well after it.
func TestARotationInterruptsNothing(t *testing.T) {
	t.Parallel()
	one := rotating{examples.New(t)} // its receiver verifies by the platform's keys of now
	w := one.World
	shop, waiting := newVerifier(w), examples.NewBoleto(w)
	before, boleto := published(w), waiting.Link()
	first := w.Do(one.under("first"))
	one.SaveCard()
	begun := []world.Request{one.challenged(one.Receiver.URL), one.challenged(shop.url)}

	old := w.Main()
	w.Rotate(rotationTakes)
	second := w.Do(one.under("second"))
	if r := old.Do(one.under("second")); r.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("a process that is not replaced yet: got %d %s, want it replayed", r.Status, r.Body)
	}
	begun = append(begun, one.challenged(shop.url))

	w.Clock.Advance(rotationTakes)
	begun = append(begun, one.challenged(shop.url))
	for _, complete := range begun {
		one.payerReturns(complete)
	}
	one.replays("first", first)
	one.replays("second", second)
	one.wantToken()
	if again := waiting.Link(); again != boleto {
		t.Errorf("got the boleto at %s, want it at %s still", again, boleto)
	}
	if after := published(w); len(after) != 2 || len(before) != 1 || after[1] != before[0] || after[0] == before[0] {
		t.Errorf("got keys %v, want another one before the only one of %v", after, before)
	}
	w.RunUntilIdle()
	if got := one.Receiver.Deliveries(); len(got) != 1 {
		t.Errorf("got callbacks %v that the old key verifies, want one", got)
	}
	if by, want := shop.byPlatform(), []int{2, 2, 2}; !slices.Equal(by, want) {
		t.Errorf("got callbacks with the secret signed by %v keys, want %v", by, want)
	}
}

// TestARotationEnds, with the old key no longer published; what merchants
// hold on to is as it was.
func TestARotationEnds(t *testing.T) {
	t.Parallel()
	one := rotating{examples.New(t)}
	w := one.World
	shop := newVerifier(w)
	one.SaveCard()
	w.Rotate(rotationTakes)
	w.Clock.Advance(rotationTakes)
	both := published(w)
	w.Clock.Advance(31 * 24 * time.Hour)
	w.EndRotation()
	if alone := published(w); len(alone) != 1 || alone[0] != both[0] {
		t.Errorf("got keys %v, want only the first of %v", alone, both)
	}
	one.wantToken()
	one.payerReturns(one.challenged(shop.url))
	w.RunUntilIdle()
	if by, want := shop.byPlatform(), []int{1}; !slices.Equal(by, want) {
		t.Errorf("got callbacks with the secret signed by %v keys, want %v", by, want)
	}
}

// wantToken fails unless the card that is saved again has the token it had.
func (t rotating) wantToken() {
	t.Helper()
	if again := t.PayAndSave(); again != t.CardToken || t.CardToken == "" {
		t.Errorf("got token %q, want that which the card had, %q", again, t.CardToken)
	}
}
