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

// rotationDelay is the time from the deployment until the new secret comes into use.
const rotationDelay = 20 * time.Minute

// verifier is a merchant's server that knows only its own secret.
type verifier struct {
	*world.World
	url    string
	secret webhook.Secret
	mu     sync.Mutex
	signed []string // signatures of each verified callback
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

// countPlatformSignatures returns for each callback so far the number of platform keys that signed it.
func (v *verifier) countPlatformSignatures() (counts []int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, signatures := range v.signed {
		counts = append(counts, strings.Count(signatures, "v1a,"))
	}
	return counts
}

// fetchKeys returns the callbacks' published keys, the newest first.
func fetchKeys(w *world.World) (keys []string) {
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

// rotating is a scenario during which the platform gets a new secret.
type rotating struct{ *examples.Scenario }

// requestWith returns a request with an Idempotency-Key.
func (t rotating) requestWith(key string) world.Request {
	return world.Request{Method: "POST", Path: "/v0.1/checkouts", IdempotencyKey: key,
		Body: map[string]any{"checkout_reference": key, "amount": 10.10, "currency": "EUR", "merchant_code": t.Merchant.Code}}
}

// checkReplay checks that a request with the same key gets the first answer again. The request must not run again.
func (t rotating) checkReplay(key string, first world.Response) {
	t.Helper()
	again := t.Do(t.requestWith(key))
	if again.Header.Get("Idempotency-Replayed") != "true" || !bytes.Equal(again.Body, first.Body) {
		t.Errorf("%s again: got %d %s, Idempotency-Replayed %q; want it replayed with %s", key, again.Status, again.Body,
			again.Header.Get("Idempotency-Replayed"), first.Body)
	}
}

// openChallenged starts a payment and answers the bank's challenge. It returns the request of the returning payer.
func (t rotating) openChallenged(returnURL string) world.Request {
	t.Open(map[string]any{"return_url": returnURL})
	t.StartChallenge("approve")
	return t.Complete()
}

// returnPayer sends the returning payer's request and checks that it completes the payment.
func (t rotating) returnPayer(complete world.Request) {
	t.Helper()
	t.CheckoutID = strings.Split(complete.Path, "/")[3]
	back, read := t.Do(complete), t.Checkout(t.CheckoutID)
	if back.Status >= 400 || read.Text("status") != "PAID" {
		t.Errorf("back: got %d %s and checkout %s, want a status below 400 and PAID", back.Status, back.Body, read.Body)
	}
}

// TestSecretRotation_WorkInProgress checks that work in progress completes. The work began before the deployment, or
// before the new secret came into use.
func TestSecretRotation_WorkInProgress(t *testing.T) {
	t.Parallel()
	one := rotating{examples.New(t)} // the receiver verifies with the keys from before the rotation
	w := one.World
	shop, waiting := newVerifier(w), examples.NewBoleto(w)
	before, boleto := fetchKeys(w), waiting.Link()
	first := w.Do(one.requestWith("first"))
	one.SaveCard()
	begun := []world.Request{one.openChallenged(one.Receiver.URL), one.openChallenged(shop.url)}

	old := w.Main()
	w.Rotate(rotationDelay)
	second := w.Do(one.requestWith("second"))
	if r := old.Do(one.requestWith("second")); r.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("a process that is not replaced yet: got %d %s, want it replayed", r.Status, r.Body)
	}
	begun = append(begun, one.openChallenged(shop.url))

	w.Clock.Advance(rotationDelay)
	begun = append(begun, one.openChallenged(shop.url))
	for _, complete := range begun {
		one.returnPayer(complete)
	}
	one.checkReplay("first", first)
	one.checkReplay("second", second)
	one.wantToken()
	if again := waiting.Link(); again != boleto {
		t.Errorf("got the boleto at %s, want it at %s still", again, boleto)
	}
	if after := fetchKeys(w); len(after) != 2 || len(before) != 1 || after[1] != before[0] || after[0] == before[0] {
		t.Errorf("got keys %v, want another one before the only one of %v", after, before)
	}
	w.RunUntilIdle()
	if got := one.Receiver.Deliveries(); len(got) != 1 {
		t.Errorf("got callbacks %v that the old key verifies, want one", got)
	}
	if by, want := shop.countPlatformSignatures(), []int{2, 2, 2}; !slices.Equal(by, want) {
		t.Errorf("got callbacks with the secret signed by %v keys, want %v", by, want)
	}
}

// TestSecretRotation_End checks that the old key is no longer published, and that tokens and merchants' secrets still
// work.
func TestSecretRotation_End(t *testing.T) {
	t.Parallel()
	one := rotating{examples.New(t)}
	w := one.World
	shop := newVerifier(w)
	one.SaveCard()
	w.Rotate(rotationDelay)
	w.Clock.Advance(rotationDelay)
	both := fetchKeys(w)
	w.Clock.Advance(31 * 24 * time.Hour)
	w.EndRotation()
	if alone := fetchKeys(w); len(alone) != 1 || alone[0] != both[0] {
		t.Errorf("got keys %v, want only the first of %v", alone, both)
	}
	one.wantToken()
	one.returnPayer(one.openChallenged(shop.url))
	w.RunUntilIdle()
	if by, want := shop.countPlatformSignatures(), []int{1}; !slices.Equal(by, want) {
		t.Errorf("got callbacks with the secret signed by %v keys, want %v", by, want)
	}
}

// wantToken fails unless the saved card gets its former token when it is saved again.
func (t rotating) wantToken() {
	t.Helper()
	if again := t.PayAndSave(); again != t.CardToken || t.CardToken == "" {
		t.Errorf("got token %q, want that which the card had, %q", again, t.CardToken)
	}
}
