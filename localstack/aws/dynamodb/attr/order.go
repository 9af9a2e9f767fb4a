package attr

import (
	"encoding/binary"
	"strings"
)

// KeyTerminator ends an attribute in a compound key. It sorts below all bytes of AppendKey, so "a" sorts before "ab".
const KeyTerminator = "\x00\x01"

// AppendKey appends an S, N or B as bytes that sort like the values. This also holds if dst already has attributes and
// terminators.
func AppendKey(dst []byte, v Value) []byte {
	if v.kind == N {
		return appendNumberKey(dst, canonicalDecimal(v.text))
	}
	s := v.text
	for {
		i := strings.IndexByte(s, 0)
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		dst = append(dst, 0, 0xFF)
		s = s[i+1:]
	}
}

const (
	negativeMark = 0x40
	zeroMark     = 0x80
	positiveMark = 0xC0
	exponentBias = 256 // keeps both bytes of the exponent above zero
)

func appendNumberKey(dst []byte, d decimal) []byte {
	exponent := uint16(d.exp+130) + exponentBias
	switch {
	case d.digits == "":
		return append(dst, zeroMark)
	case !d.negative:
		dst = append(dst, positiveMark)
		return append(appendExponent(dst, exponent), d.digits...)
	}
	dst = appendExponent(append(dst, negativeMark), 2*exponentBias+256-exponent)
	for i := 0; i < len(d.digits); i++ {
		dst = append(dst, '9'-d.digits[i]+'0')
	}
	return append(dst, 0xFF) // of two negative numbers, the one with more digits is smaller
}

// appendExponent appends e in base 128 with the high bits set, so that no byte is zero.
func appendExponent(dst []byte, e uint16) []byte {
	return binary.BigEndian.AppendUint16(dst, (e/128|0x80)<<8|(e%128|0x80))
}

// PrefixEnd returns the least key above all keys with the prefix, or "" if no key is above them.
func PrefixEnd(prefix string) string {
	end := []byte(prefix)
	for len(end) > 0 {
		last := len(end) - 1
		if end[last] != 0xFF {
			end[last]++
			return string(end)
		}
		end = end[:last]
	}
	return ""
}
