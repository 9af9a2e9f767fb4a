package sdk_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// verifySignature checks that the SDK verifies callbacks. The installation must configure the name of the signature
// header (contract §11.2).
func verifySignature(t *testing.T, interpreter string) {
	t.Helper()
	const header = "X-Shop-Webhook-Signature"
	var signature, body string
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		signature, body = r.Header.Get(header), string(text)
	}))
	t.Cleanup(receiver.Close)
	a := world.New(t).AppWith(func(c *app.Config, _ *app.Overrides) { c.SignatureHeader = header })
	sender, err := a.CallbackSender()
	if err != nil {
		t.Fatal(err)
	}
	secret := a.CallbackSecret("MC0A1B2C3D", 1)
	m := webhook.Message{ID: "msg_1", Timestamp: time.Now(), Body: []byte(`{"id":"é"}`)}
	if err := sender.Send(t.Context(), "tenant", receiver.URL, m, []webhook.Secret{secret}); err != nil {
		t.Fatal(err)
	}
	verify := func(body string) error {
		program := exec.Command(interpreter, "verify.py", signature)
		program.Env, program.Stdin = []string{"SECRET=" + secret.Reveal()}, strings.NewReader(body)
		return program.Run()
	}
	if err := verify(body); err != nil {
		t.Errorf("%s: got error %v, want none", signature, err)
	}
	if err := verify(body + " "); err == nil {
		t.Error("another body: got no error, want one")
	}
}
