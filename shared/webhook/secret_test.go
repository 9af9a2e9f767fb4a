package webhook

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestDeriveSecret(t *testing.T) {
	t.Parallel()
	master := bytes.Repeat([]byte{9}, 32)
	// The value was computed with: printf callback-secret/M1/1 | openssl dgst -sha256 -mac HMAC -macopt hexkey:0909…09
	// -binary | base64
	const want = "whsec_oCEfFI3+ueT/JDDefBPDWUuAo6uK5/JIR2WKZ41plHw="
	if got := DeriveSecret(master, "M1", 1).Reveal(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	seen := map[string]string{}
	for _, merchant := range []string{"M1", "M2", "M1/1", ""} {
		for version := range 12 {
			name := fmt.Sprint(merchant, " version ", version)
			secret := DeriveSecret(master, merchant, version).Reveal()
			if other, ok := seen[secret]; ok {
				t.Errorf("%s: got %s, the secret of %s, want one of its own", name, secret, other)
			}
			seen[secret] = name
		}
	}
}

func TestDeriveSecret_WeakMaster(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a master key of 31 bytes: got no panic, want one")
		}
	}()
	DeriveSecret(make([]byte, 31), "M1", 1)
}

func TestParseSecret(t *testing.T) {
	t.Parallel()
	text := testSecret(1).Reveal()
	secret, err := ParseSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := secret.Reveal(); got != text {
		t.Errorf("a parsed secret: got %s, want %s", got, text)
	}
	short := base64.StdEncoding.EncodeToString(make([]byte, 23))
	long := base64.StdEncoding.EncodeToString(make([]byte, 65))
	for _, bad := range []string{"", "whsec_", text[6:], "WHSEC_" + text[6:], text + "!", text + "\n",
		"whsec_" + short, "whsec_" + long} {
		if _, err := ParseSecret(bad); !errors.Is(err, ErrSecret) {
			t.Errorf("%q: got %v, want ErrSecret", bad, err)
		}
	}
	if got := (Secret{}).Reveal(); got != "" {
		t.Errorf("the zero secret: got %q, want nothing", got)
	}
}

func TestKeys_NeverPrint(t *testing.T) {
	t.Parallel()
	secret, key := testSecret(1), testKey(t)
	type config struct {
		Exported   Secret
		unexported Secret // fmt cannot call the methods of an unexported field
		pointer    *Secret
		key        SigningKey
	}
	values := []any{
		secret, &secret, key, &key, []Secret{secret}, map[string]Secret{"x": secret},
		config{secret, secret, &secret, key}, &config{secret, secret, &secret, key},
	}
	var out bytes.Buffer
	verbs := []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b", "%U", "%c", "%t"}
	for _, verb := range verbs {
		if got := fmt.Sprintf(verb+verb, secret, key); got != redacted+redacted {
			t.Errorf("%s: got %s, want %s", verb, got, redacted+redacted)
		}
	}
	for _, value := range values {
		for _, verb := range verbs {
			fmt.Fprintf(&out, verb+"\n", value)
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(encoded)
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "value", value)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "value", value)
	}
	fmt.Fprintln(&out, secret.String(), secret.GoString(), key.String(), key.GoString())
	for name, leak := range leaks(secret.reveal(), key.reveal()) {
		if strings.Contains(strings.ToLower(out.String()), strings.ToLower(leak)) {
			t.Errorf("got output %s, want no key as %s in it", &out, name)
		}
	}
	if !strings.Contains(out.String(), redacted) {
		t.Errorf("got output %s, want %q in it", &out, redacted)
	}
}

// leaks lists the beginning of each key in every notation that a printer might use.
func leaks(keys ...[]byte) map[string]string {
	found := map[string]string{}
	for i, key := range keys {
		for name, text := range map[string]string{
			"base64":  base64.StdEncoding.EncodeToString(key[:6]),
			"hex":     hex.EncodeToString(key[:4]),
			"hex, 0x": strings.Trim(strings.TrimPrefix(fmt.Sprintf("%#v", key[:4]), "[]byte"), "{}"),
			"decimal": strings.Trim(fmt.Sprintf("%d", key[:4]), "[]"),
			"raw":     string(key[:4]),
		} {
			found[fmt.Sprint(name, " of key ", i)] = text
		}
	}
	return found
}
