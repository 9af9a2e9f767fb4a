package attr

import (
	"encoding/base64"
	"strconv"
)

// AppendMap appends an item or key as JSON, its names in order.
func AppendMap(dst []byte, m Map) []byte {
	dst = append(dst, '{')
	for i, f := range m {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, f.Name)
		dst = append(dst, ':')
		dst = appendValue(dst, f.Value)
	}
	return append(dst, '}')
}

// MarshalJSON returns what AppendMap appends.
func (m Map) MarshalJSON() ([]byte, error) { return AppendMap(nil, m), nil }

// appendValue appends {"S":"…"} and the like.
func appendValue(dst []byte, v Value) []byte {
	dst = append(dst, '{', '"')
	dst = append(dst, v.kind.String()...)
	dst = append(dst, '"', ':')
	return append(appendContent(dst, v), '}')
}

func appendContent(dst []byte, v Value) []byte {
	switch v.kind {
	case S, N:
		return AppendString(dst, v.text)
	case B:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(v.text))
		return append(dst, '"')
	case BOOL:
		return strconv.AppendBool(dst, v.flag)
	case NULL:
		return append(dst, "true"...)
	case M:
		return AppendMap(dst, v.Fields())
	}
	if v.kind == L {
		return AppendList(dst, v.Elements(), appendValue)
	}
	return AppendList(dst, v.Elements(), appendContent)
}

// AppendList appends a JSON array, whose elements one appends.
func AppendList[T any](dst []byte, elements []T, one func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, e := range elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, e)
	}
	return append(dst, ']')
}

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		if c < 0x20 {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, '\\', c)
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
