package identity

import (
	"crypto/rand"
	"strings"
)

// crockford is Crockford's base 32. It leaves out letters that look like another letter or a digit.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const (
	codePrefix = "MC"
	codeLength = 8 // characters after the prefix
)

// NewMerchantCode returns MC and 8 random characters of crockford.
func NewMerchantCode() string {
	b := make([]byte, codeLength)
	_, _ = rand.Read(b) // never fails
	for i := range b {
		b[i] = crockford[int(b[i])%len(crockford)] // 256 is a multiple of 32: no bias
	}
	return codePrefix + string(b)
}

// IsMerchantCode returns true if the text has the form of a merchant code.
func IsMerchantCode(text string) bool {
	digits, ok := strings.CutPrefix(text, codePrefix)
	return ok && len(digits) == codeLength && strings.Trim(digits, crockford) == ""
}
