package attr

import (
	"encoding/base64"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendMap appends an item or key as JSON, sorted by name.
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

// MarshalJSON returns the text that AppendMap appends.
func (m Map) MarshalJSON() ([]byte, error) { return AppendMap(nil, m), nil }

// MarshalJSON returns the value as JSON: {"S":"…"} for an S.
func (v Value) MarshalJSON() ([]byte, error) { return appendValue(nil, v), nil }

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

// AppendList appends elements as a JSON array. The function one appends a single element.
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

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error only says that s was not UTF-8; AppendQuote corrects that
	return dst
}
