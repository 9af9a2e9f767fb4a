package member

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

// TestPasswords_With_EasyToGuess sets passwords that are too short, common, or long only by repetition.
func TestPasswords_With_EasyToGuess(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"correct horse":                      nil,
		"elevenchars":                        ErrShort,
		"":                                   ErrShort,
		strings.Repeat("ü", 11):              ErrShort, // characters, not bytes
		"aaaaaaaaaaaaaaaa":                   ErrShort,
		"passwordpassword":                   ErrShort,
		"passwordpasswordpass":               ErrShort,
		"PasswordpassWord":                   ErrShort,
		"kqzvkqzvkqzv":                       ErrShort,
		"correct horsecorrect horse":         nil,
		"administrator":                      ErrCommon,
		"ADMINISTRATOR":                      ErrCommon,
		"Password2026!":                      ErrCommon,
		"2026-Password":                      ErrCommon,
		"!!!!iloveyou!!!!":                   ErrCommon,
		"iloveyou🔑🔑🔑🔑":                       ErrCommon,
		"iloveyou    ":                       ErrCommon,
		"Qwertyuiop123":                      ErrCommon,
		"123456789012":                       ErrCommon,
		"987654321098":                       ErrCommon,
		"1q2w3e4r5t6y":                       ErrCommon,
		"Пароль2026!!":                       ErrCommon,
		"my password 1":                      nil, // a common word among other words
		"passwordless":                       nil,
		"kqzv jmwh bxpf":                     nil,
		"518093374462":                       nil,
		strings.Repeat("1", 255) + "x":       nil,
		strings.Repeat("kqzvjmwh", 31) + "x": nil,
		strings.Repeat("0", 128) + "administrator": ErrCommon,
	} {
		if _, err := (Passwords)(nil).With(t.Context(), choose(text), "1", clock.Start); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", text, err, want)
		}
	}
}

// TestCommonPasswords_Form checks that the list of common passwords has the form that isCommon needs.
func TestCommonPasswords_Form(t *testing.T) {
	t.Parallel()
	all := commonPasswords()
	if len(all) < 6000 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("got %d passwords, want some 6,000, sorted and each once", len(all))
	}
	for _, text := range all {
		letters := strings.ContainsFunc(text, unicode.IsLetter)
		if n := len([]rune(text)); n < 4 || n > longestCommon || !letters && n < 6 || text != strings.ToLower(text) {
			t.Errorf("%q: got a password that is not in the form of the list", text)
		}
	}
}
