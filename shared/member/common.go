package member

import (
	_ "embed"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// MinPassword is the minimum length of a new password, in characters (PCI DSS 8.3.6).
const MinPassword = 12

// Errors of a new password that is easy to guess.
var (
	ErrShort  = errors.New("member: the password is too short")
	ErrCommon = errors.New("member: the password is one of the commonest")
)

// RefusedPassword returns the failure Invalid of the field for ErrShort and ErrCommon, and other errors unchanged.
func RefusedPassword(field string, err error) error {
	switch {
	case errors.Is(err, ErrShort):
		return failure.Invalid(field, "must have at least 12 characters; repeated text counts once")
	case errors.Is(err, ErrCommon):
		return failure.Invalid(field, "must not be one of the commonest passwords, with or without digits or punctuation "+
			"around it")
	default:
		return err
	}
}

// commonText lists the commonest passwords, one a line, in lower case and sorted: the first 10,000 of Django's
// common-passwords.txt.gz (version 5.2, by Royce Williams from leaked passwords; licence in common.LICENSE). The
// list leaves out passwords in which isCommon finds another common password, such as password1. It also leaves out
// passwords of fewer than four characters, and passwords of fewer than six characters without a letter.
//
//go:embed common.txt
var commonText string

var (
	readCommon sync.Once
	commonList []string
)

// commonPasswords returns the list in commonText. Nothing else refers to commonText, so only programs that set
// passwords link its 49 KB.
func commonPasswords() []string {
	readCommon.Do(func() { commonList = strings.Fields(commonText) })
	return commonList
}

// longestCommon is the length of the longest common password, in characters.
const longestCommon = 30

// checkNew checks that a new password, given in Unicode NFC, is not easy to guess. Errors: ErrShort, ErrCommon.
func checkNew(password string) error {
	text := shortestPeriod([]rune(strings.ToLower(password)))
	switch {
	case len(text) < MinPassword:
		return ErrShort
	case isCommon(text):
		return ErrCommon
	default:
		return nil
	}
}

// shortestPeriod returns the shortest part of the text that, repeated, makes the text. The last repetition may be cut
// off. If nothing repeats, it returns the whole text.
func shortestPeriod(text []rune) []rune {
	for period := 1; period <= len(text)/2; period++ {
		if slices.Equal(text[period:], text[:len(text)-period]) {
			return text[:period]
		}
	}
	return text
}

// isCommon returns true if the text is a common password, or a common password with non-letters before or after it.
func isCommon(text []rune) bool {
	isLetter := func(r rune) bool { return unicode.IsLetter(r) }
	for from := 0; from < len(text) && !slices.ContainsFunc(text[:from], isLetter); from++ {
		for to := min(len(text), from+longestCommon); to > from; to-- {
			if slices.ContainsFunc(text[to:], isLetter) {
				break
			}
			if _, found := slices.BinarySearch(commonPasswords(), string(text[from:to])); found {
				return true
			}
		}
	}
	return false
}
