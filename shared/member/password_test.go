package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/secret"
)

const password = "correct horse"

func choose(text string) *Choice { return CheapCost.Choose(secret.New(text)) }

func setPassword(t *testing.T, p Passwords, text, operation string) Passwords {
	t.Helper()
	next, err := p.With(t.Context(), choose(text), operation, clock.Start)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func TestHash_Matches(t *testing.T) {
	t.Parallel()
	h, err := newHash(t.Context(), defaultCost, password)
	if err != nil || !strings.HasPrefix(string(h), "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("got hash %q, error %v, want a PHC string of OWASP's parameters", string(h), err)
	}
	for text, want := range map[string]bool{password: true, "Correct horse": false, password + " ": false, "": false} {
		if got, err := h.matches(t.Context(), text); got != want || err != nil {
			t.Errorf("%q: got %t, %v, want %t", text, got, err, want)
		}
	}
	if other, _ := newHash(t.Context(), defaultCost, password); other == h {
		t.Error("got the same hash twice, want a salt of its own for each")
	}
}

// TestHash_ReferenceImplementation compares our hashes with those of the reference implementation
// (github.com/P-H-C/phc-winner-argon2, by argon2-cffi's hash_secret). Some of them have other parameters than ours,
// because a hash stored under former parameters must still be readable.
func TestHash_ReferenceImplementation(t *testing.T) {
	t.Parallel()
	const salt = "c29tZXNhbHRzb21lc2FsdA"
	for _, h := range []Hash{
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$k9ohroejZy1PN5E1SbHNPug6vB8eQAahb5SOAp6iGF4",
		"$argon2id$v=19$m=64,t=1,p=1$" + salt + "$bIKRw3Ua1pluirFy81fnppmR01EnUxY3hLEBwbWxBG8",
		"$argon2id$v=19$m=256,t=3,p=4$" + salt + "$IqBpbOHvT21qE/6J49rDPZ5bzTYH6uKMxAoQymLwpKc",
	} {
		if got, err := h.matches(t.Context(), password); !got || err != nil {
			t.Errorf("%s: got %t, %v, want true", string(h), got, err)
		}
		if got, err := h.matches(t.Context(), password+"s"); got || err != nil {
			t.Errorf("%s, another password: got %t, %v, want false", string(h), got, err)
		}
	}
}

func TestHash_Foreign(t *testing.T) {
	t.Parallel()
	const salt, tag = "c29tZXNhbHRzb21lc2FsdA", "c29tZXNhbHRzb21lc2FsdHNvbWVzYWx0c29tZXNhbHQ"
	if _, _, _, err := Hash("$argon2id$v=19$m=64,t=1,p=1$" + salt + "$" + tag).parse(); err != nil {
		t.Fatalf("got error %v, want none for what the others are made from", err)
	}
	for _, h := range []Hash{
		"", "x", "$argon2id$v=19$m=64,t=1,p=1$" + salt,
		"$argon2i$v=19$m=64,t=1,p=1$" + salt + "$" + tag,
		"$argon2id$v=16$m=64,t=1,p=1$" + salt + "$" + tag,
		"$argon2id$v=19$m=65537,t=1,p=1$" + salt + "$" + tag, // more memory than a function may take
		"$argon2id$v=19$m=64,t=11,p=1$" + salt + "$" + tag,
		"$argon2id$v=19$m=64,t=0,p=1$" + salt + "$" + tag,
		"$argon2id$v=19$m=64,t=1,p=0$" + salt + "$" + tag,
		"$argon2id$v=19$m=64,t=1,p=9$" + salt + "$" + tag,
		"$argon2id$v=19$m=064,t=1,p=1$" + salt + "$" + tag,
		"$argon2id$v=19$m=64,t=1,p=1 $" + salt + "$" + tag,
		"$argon2id$v=19$m=64,t=1,p=1$" + salt + "=$" + tag,
		"$argon2id$v=19$m=64,t=1,p=1$" + salt + "$" + Hash(tag[:20]),
		"$argon2id$v=19$m=64,t=1,p=1$c2FsdA$" + tag,
		"$argon2id$v=19$m=64,t=1,p=1$" + salt + "$" + tag + "$",
	} {
		if ok, err := h.matches(t.Context(), password); ok || !errors.Is(err, errBadHash) {
			t.Errorf("%s: got %t, %v, want false, %v", string(h), ok, err, errBadHash)
		}
	}
}

func TestPasswords_With_UsedBefore(t *testing.T) {
	t.Parallel()
	var p Passwords
	for i := range Remembered + 1 {
		p = setPassword(t, p, fmt.Sprintf("my password %d", i), fmt.Sprint(i))
	}
	if len(p) != Remembered {
		t.Fatalf("got %d passwords, want %d", len(p), Remembered)
	}
	for i := range Remembered + 1 {
		text, want := fmt.Sprintf("my password %d", i), error(ErrUsedBefore)
		if i == 0 {
			want = nil // the password is older than the remembered ones
		}
		next, err := p.With(t.Context(), choose(text), "next", clock.Start)
		if !errors.Is(err, want) {
			t.Errorf("%s: got error %v, want %v", text, err, want)
		}
		if err != nil && !cmp.Equal(next, p) {
			t.Errorf("%s: got other passwords after the refusal, want the same", text)
		}
	}
}

// TestPasswords_With_RepeatedRequest checks that a repeated operation changes nothing, whether it set the current or an
// earlier password.
func TestPasswords_With_RepeatedRequest(t *testing.T) {
	t.Parallel()
	p := setPassword(t, setPassword(t, nil, "the first one", "1"), "the second one", "2")
	for operation, text := range map[string]string{"1": "the first one", "2": "the second one"} {
		if got, err := p.With(t.Context(), choose(text), operation, clock.Start); err != nil || !cmp.Equal(got, p) {
			t.Errorf("operation %s again: got error %v, want the passwords as they are", operation, err)
		}
	}
}

// TestPasswords_With_UnicodeForms checks that a letter with an accent equals the letter with a combining accent.
func TestPasswords_With_UnicodeForms(t *testing.T) {
	t.Parallel()
	p := setPassword(t, nil, "a pass\u00e9word of mine", "1")
	_, err := p.With(t.Context(), choose("a passe\u0301word of mine"), "2", clock.Start)
	if !errors.Is(err, ErrUsedBefore) {
		t.Errorf("got error %v, want %v", err, ErrUsedBefore)
	}
}

// TestPasswords_With_RetryWithoutSlot checks that a retry needs no slot: it succeeds while no slot is free.
func TestPasswords_With_RetryWithoutSlot(t *testing.T) {
	p := setPassword(t, nil, "the first one", "1")
	c := choose("the second one")
	want, err := p.With(t.Context(), c, "2", clock.Start)
	if err != nil {
		t.Fatal(err)
	}
	occupySlots(t)
	ended, end := context.WithCancel(t.Context())
	end()
	if got, err := p.With(ended, c, "2", clock.Start); err != nil || !cmp.Equal(got, want) {
		t.Errorf("again: got error %v, want the same passwords", err)
	}
}

// TestHash_WaitsForSlot checks that the computation of a hash waits for a slot, and gives up when its request ends.
func TestHash_WaitsForSlot(t *testing.T) {
	release := occupySlots(t)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := newHash(ended, defaultCost, password); !errors.Is(err, context.Canceled) {
		t.Errorf("without a slot: got error %v, want %v", err, context.Canceled)
	}
	done := make(chan error)
	go func() {
		_, err := newHash(t.Context(), defaultCost, password)
		done <- err
	}()
	release()
	if err := <-done; err != nil {
		t.Errorf("with a slot: got error %v, want none", err)
	}
}

// occupySlots takes all slots until release, or until the test ends.
func occupySlots(t *testing.T) (release func()) {
	t.Helper()
	for range maxHashing {
		slots <- struct{}{}
	}
	released := false
	release = func() {
		for range maxHashing {
			if !released {
				<-slots
			}
		}
		released = true
	}
	t.Cleanup(release)
	return release
}

func TestHash_Redacted(t *testing.T) {
	t.Parallel()
	m := Member{Email: "ada@example.com", Passwords: setPassword(t, nil, password, "1")}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("member", "hash", m.Passwords[0].Hash, "text", fmt.Sprint(m))
	slog.New(slog.NewTextHandler(&log, nil)).Info("member", "member", m)
	body, err := json.Marshal(m.Passwords[0])
	if err == nil {
		t.Errorf("JSON: got %s, want an error", body)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		text := fmt.Sprintf(verb, m) + fmt.Sprintf(verb, &m) + fmt.Sprintf(verb, choose(password)) + log.String()
		if strings.Contains(text, "argon2id") || strings.Contains(text, fmt.Sprintf("%x", "argon2id")) ||
			strings.Contains(text, password) || strings.Contains(text, fmt.Sprintf("%x", password)) {
			t.Errorf("%s: got %s, want neither password nor hash", verb, text)
		}
	}
}

// TestCost_Default checks that the zero cost means the default, also if there is no password to compare with. A
// password must be confirmed at the cost of its hash.
func TestCost_Default(t *testing.T) {
	t.Parallel()
	const usual = "$argon2id$v=19$m=19456,t=2,p=1$"
	unnamed := func() *Choice { return Cost{}.Choose(secret.New(password)) }
	first, err := Passwords(nil).With(t.Context(), unnamed(), "set", clock.Start)
	if err != nil || !strings.HasPrefix(string(first[0].Hash), usual) {
		t.Fatalf("got a hash of another cost than %s, or error %v", usual, err)
	}
	nobodys := unnamed()
	same, err := Passwords(nil).Confirms(t.Context(), nobodys)
	if same || err != nil || nobodys.Computed() != 1 {
		t.Errorf("no password: got %t, error %v after %d hashes, want false after 1", same, err, nobodys.Computed())
	}
	for h := range nobodys.compared {
		if !strings.HasPrefix(string(h), usual) {
			t.Errorf("no password: got a comparison at another cost than %s", usual)
		}
	}
	cheap, err := Passwords(nil).With(t.Context(), choose(password), "set", clock.Start)
	if err != nil || strings.HasPrefix(string(cheap[0].Hash), usual) {
		t.Fatalf("cheap: got the usual cost, or error %v", err)
	}
	for _, one := range []struct {
		stored Passwords
		choice *Choice
	}{{first, choose(password)}, {cheap, unnamed()}} {
		if same, err = one.stored.Confirms(t.Context(), one.choice); !same || err != nil {
			t.Errorf("got %t, error %v, want the password confirmed", same, err)
		}
	}
}

// BenchmarkPasswords_With measures how long setting a password takes for a user with a full history: five hashes.
func BenchmarkPasswords_With(b *testing.B) {
	var p Passwords
	for i := range Remembered {
		text := secret.New(fmt.Sprintf("my password %d", i))
		next, err := p.With(b.Context(), Cost{}.Choose(text), fmt.Sprint(i), clock.Start)
		if err != nil {
			b.Fatal(err)
		}
		p = next
	}
	for b.Loop() {
		if _, err := p.With(b.Context(), Cost{}.Choose(secret.New(password)), "next", clock.Start); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHash measures one hash.
func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		if _, err := newHash(b.Context(), defaultCost, password); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHash_Parallel measures 32 concurrent callers, of which two compute a hash at a time.
func BenchmarkHash_Parallel(b *testing.B) {
	b.SetParallelism(32)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := newHash(b.Context(), defaultCost, password); err != nil {
				b.Error(err)
			}
		}
	})
}

// TestUnlinked checks that passwords by mailed links do not count.
func TestUnlinked(t *testing.T) {
	t.Parallel()
	set := func(operations ...string) (p Passwords) {
		for _, one := range operations {
			p = append(p, Password{Operation: one})
		}
		return p
	}
	link := LinkOperation("a")
	for want, p := range map[string]Passwords{"": set(link), "b": set("b", link), "c": set(link, link, "c", "d")} {
		if got := p.Unlinked(); got != want {
			t.Errorf("got %q of %v, want %q", got, p, want)
		}
	}
}
