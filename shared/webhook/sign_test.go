package webhook

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSign_PublishedVector uses the test vector of the Standard Webhooks libraries.
func TestSign_PublishedVector(t *testing.T) {
	t.Parallel()
	secret, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	m := Message{ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", Timestamp: time.Unix(1614265330, 0),
		Body: []byte(`{"test": 2432232314}`)}
	headers, err := Sign(m, []SigningKey{testKey(t)}, []Secret{secret})
	if err != nil {
		t.Fatal(err)
	}
	v1, _, _ := strings.Cut(headers.Get("webhook-signature"), " ")
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; v1 != want {
		t.Errorf("got %s, want %s", v1, want)
	}
	if got := headers.Get("webhook-timestamp"); got != "1614265330" {
		t.Errorf("got timestamp %s, want 1614265330", got)
	}
	if got := headers.Get("webhook-id"); got != m.ID {
		t.Errorf("got id %s, want %s", got, m.ID)
	}
}

// TestSign_Ed25519 checks that a receiver can verify the signature with crypto/ed25519 alone, over the documented
// content.
func TestSign_Ed25519(t *testing.T) {
	t.Parallel()
	m := testMessage()
	headers, err := Sign(m, []SigningKey{testKey(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	encoded, ok := strings.CutPrefix(headers.Get("webhook-signature"), "v1a,")
	if !ok {
		t.Fatalf("got %q, want one v1a signature alone", headers.Get("webhook-signature"))
	}
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	public, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(testKey(t).PublicKey().String(), "whpk_"))
	if err != nil {
		t.Fatal(err)
	}
	content := m.ID + "." + strconv.FormatInt(attempt.Unix(), 10) + "." + string(m.Body)
	if !ed25519.Verify(public, []byte(content), signature) {
		t.Errorf("got signature %s, want one of %s", encoded, content)
	}
}

func TestSign_SeveralSecrets(t *testing.T) {
	t.Parallel()
	m, retired, current := testMessage(), testSecret(1), testSecret(2)
	headers, err := Sign(m, []SigningKey{testKey(t)}, []Secret{current, retired})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(strings.Fields(headers.Get("webhook-signature"))); got != 3 {
		t.Errorf("got %d signatures, want two v1 and one v1a", got)
	}
	for _, secret := range []Secret{retired, current} {
		if err := Verify(headers, m.Body, attempt, []Secret{secret}, nil); err != nil {
			t.Errorf("verify with one of the secrets: got %v, want no error", err)
		}
	}
	if err := Verify(headers, m.Body, attempt, []Secret{testSecret(3)}, nil); !errors.Is(err, ErrSignature) {
		t.Errorf("got %v for an unknown secret, want ErrSignature", err)
	}
}

func TestSign_InvalidMessage(t *testing.T) {
	t.Parallel()
	with := func(change func(*Message)) Message {
		m := testMessage()
		change(&m)
		return m
	}
	cases := map[string]struct {
		message Message
		key     SigningKey
		secrets []Secret
		want    error
	}{
		"no id":        {with(func(m *Message) { m.ID = "" }), testKey(t), nil, ErrMessage},
		"bare prefix":  {with(func(m *Message) { m.ID = "msg_" }), testKey(t), nil, ErrMessage},
		"other prefix": {with(func(m *Message) { m.ID = "evt_1" }), testKey(t), nil, ErrMessage},
		"dot in id":    {with(func(m *Message) { m.ID = "msg_1.2" }), testKey(t), nil, ErrMessage},
		"line in id":   {with(func(m *Message) { m.ID = "msg_1\r\nx: y" }), testKey(t), nil, ErrMessage},
		"long id":      {with(func(m *Message) { m.ID = "msg_" + strings.Repeat("a", 200) }), testKey(t), nil, ErrMessage},
		"no timestamp": {with(func(m *Message) { m.Timestamp = time.Time{} }), testKey(t), nil, ErrMessage},
		"zero key":     {testMessage(), SigningKey{}, nil, ErrNoKey},
		"zero secret":  {testMessage(), testKey(t), []Secret{{}}, ErrNoKey},
	}
	for name, c := range cases {
		if _, err := Sign(c.message, []SigningKey{c.key}, c.secrets); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

func TestVerify_Tampered(t *testing.T) {
	t.Parallel()
	m, secret := testMessage(), testSecret(1)
	secrets, keys := []Secret{secret}, []PublicKey{testKey(t).PublicKey()}
	cases := map[string]struct {
		change func(h http.Header)
		body   string
		want   error
	}{
		"untouched":     {func(http.Header) {}, string(m.Body), nil},
		"body":          {func(http.Header) {}, `{"id":"c2"}`, ErrSignature},
		"body extended": {func(http.Header) {}, string(m.Body) + " ", ErrSignature},
		"id":            {func(h http.Header) { h.Set(headerID, "msg_other") }, string(m.Body), ErrSignature},
		"timestamp": {func(h http.Header) {
			h.Set(headerTimestamp, unix(attempt.Add(time.Second)))
		}, string(m.Body), ErrSignature},
		"timestamp plus":     {func(h http.Header) { h.Set(headerTimestamp, "+"+unix(attempt)) }, string(m.Body), ErrHeaders},
		"timestamp zeros":    {func(h http.Header) { h.Set(headerTimestamp, "0"+unix(attempt)) }, string(m.Body), ErrHeaders},
		"timestamp text":     {func(h http.Header) { h.Set(headerTimestamp, "now") }, string(m.Body), ErrHeaders},
		"timestamp negative": {func(h http.Header) { h.Set(headerTimestamp, "-1") }, string(m.Body), ErrHeaders},
		"timestamp huge": {func(h http.Header) {
			h.Set(headerTimestamp, "9223372036854775807")
		}, string(m.Body), ErrTimestamp},
		"no id":            {func(h http.Header) { h.Del(headerID) }, string(m.Body), ErrHeaders},
		"no timestamp":     {func(h http.Header) { h.Del(headerTimestamp) }, string(m.Body), ErrHeaders},
		"no signature":     {func(h http.Header) { h.Del(headerSignature) }, string(m.Body), ErrHeaders},
		"two ids":          {func(h http.Header) { h.Add(headerID, m.ID) }, string(m.Body), ErrHeaders},
		"id moves the dot": {func(h http.Header) { h.Set(headerID, m.ID+"."+unix(attempt)) }, string(m.Body), ErrHeaders},
		"empty signature":  {func(h http.Header) { h.Set(headerSignature, "") }, string(m.Body), ErrSignature},
		"scheme only":      {func(h http.Header) { h.Set(headerSignature, "v1, v1a,") }, string(m.Body), ErrSignature},
		"not base64": {func(h http.Header) {
			h.Set(headerSignature, "v1,%%% v1a,%%%")
		}, string(m.Body), ErrSignature},
		"unknown scheme": {func(h http.Header) {
			h.Set(headerSignature, "v2"+h.Get(headerSignature)[2:47])
		}, string(m.Body), ErrSignature},
		"schemes swapped": {swapSchemes, string(m.Body), ErrSignature},
		"unknown, then good": {func(h http.Header) {
			h.Set(headerSignature, "v9,AAAA "+h.Get(headerSignature))
		}, string(m.Body), nil},
	}
	for name, c := range cases {
		headers, err := Sign(m, []SigningKey{testKey(t)}, secrets)
		if err != nil {
			t.Fatal(err)
		}
		c.change(headers)
		if err := Verify(headers, []byte(c.body), attempt, secrets, keys); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

func swapSchemes(h http.Header) {
	v1, v1a, _ := strings.Cut(h.Get(headerSignature), " ")
	h.Set(headerSignature, "v1a"+strings.TrimPrefix(v1, "v1")+" v1"+strings.TrimPrefix(v1a, "v1a"))
}

func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

func TestVerify_Tolerance(t *testing.T) {
	t.Parallel()
	m := testMessage()
	headers, err := Sign(m, []SigningKey{testKey(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := []PublicKey{testKey(t).PublicKey()}
	for offset, want := range map[time.Duration]error{
		0:                  nil,
		300 * time.Second:  nil,
		-300 * time.Second: nil,
		301 * time.Second:  ErrTimestamp, // a replay after the tolerance
		-301 * time.Second: ErrTimestamp,
		24 * time.Hour:     ErrTimestamp,
	} {
		if err := Verify(headers, m.Body, attempt.Add(offset), nil, keys); !errors.Is(err, want) {
			t.Errorf("received after %v: got %v, want %v", offset, err, want)
		}
	}
}

func TestVerify_ZeroKeys(t *testing.T) {
	t.Parallel()
	m := testMessage()
	headers, err := Sign(m, []SigningKey{testKey(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Anyone who guesses that the secret is empty can compute this signature.
	forged := hmacSHA256(nil, signedContent(m.ID, unix(attempt), m.Body))
	headers.Set(headerSignature, formatSignature(schemeHMAC, forged)+" "+headers.Get(headerSignature))
	if err := Verify(headers, m.Body, attempt, []Secret{{}}, []PublicKey{{}}); !errors.Is(err, ErrSignature) {
		t.Errorf("got %v, want ErrSignature", err)
	}
}

func TestPublicKey_Text(t *testing.T) {
	t.Parallel()
	key := testKey(t)
	body, err := json.Marshal(map[string]any{"id": key.ID(), "public_key": key.PublicKey()})
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		ID        string `json:"id"`
		PublicKey string `json:"public_key"`
	}
	if err = json.Unmarshal(body, &published); err != nil {
		t.Fatal(err)
	}
	parsed, err := ParsePublicKey(published.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	if parsed != key.PublicKey() || parsed.ID() != published.ID {
		t.Errorf("%s: got key %s %s, want %s %s", body, parsed.ID(), parsed, published.ID, key.PublicKey())
	}
	other, err := NewSigningKey(bytes.Repeat([]byte{8}, 32))
	if err != nil {
		t.Fatal(err)
	}
	if other.ID() == key.ID() {
		t.Errorf("got the id %s for two keys, want two ids", other.ID())
	}
}

func TestParsePublicKey_WrongForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "whpk_", "whpk_AAAA", "whsec_" + strings.Repeat("A", 43) + "=",
		"whpk_" + strings.Repeat("A", 44)} {
		if _, err := ParsePublicKey(text); !errors.Is(err, ErrPublicKey) {
			t.Errorf("public key %q: got %v, want ErrPublicKey", text, err)
		}
	}
	for _, size := range []int{0, 31, 33, 64} {
		if _, err := NewSigningKey(make([]byte, size)); !errors.Is(err, ErrSeed) {
			t.Errorf("seed of %d bytes: got %v, want ErrSeed", size, err)
		}
	}
}
