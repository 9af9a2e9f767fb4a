package s3

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// attachment is the Content-Disposition of a download (RFC 6266): the name twice, for readers of RFC 8187 and, without
// what is not ASCII, for others. Whoever uploaded the file chose the name, so nothing in it may end the header's value,
// name a folder, or show the end of the name elsewhere than it is.
func attachment(name string) string {
	name = safe(name)
	ascii := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || strings.ContainsRune(`"%`, r) {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + ascii + `"; filename*=UTF-8''` + encoded(name)
}

const (
	maxName      = 255 // bytes that file systems take
	maxExtension = 16  // likewise bytes; more of what follows a dot is just name
)

// safe is a name with _ in place of control and format characters, such as those that change the direction of text,
// and of separators of paths. Its extension, which has been checked, stays its end.
func safe(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsGraphic(r) || strings.ContainsRune(`/\:*?<>|`, r) {
			return '_'
		}
		return r
	}, name)
	extension := path.Ext(name)
	if len(extension) > maxExtension {
		extension = ""
	}
	base := strings.TrimLeft(strings.TrimSuffix(name, extension), ". ") // no hidden file, no folder above
	if base == "" {
		base = "file"
	}
	for len(base)+len(extension) > maxName {
		_, last := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-last]
	}
	return base + extension
}

// encoded is a value in the characters that RFC 8187 gives it.
func encoded(value string) string {
	const hexadecimal = "0123456789ABCDEF"
	var out strings.Builder
	for _, b := range []byte(value) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', strings.IndexByte("!#$&+-.^_`|~", b) >= 0:
			out.WriteByte(b)
		default:
			out.WriteByte('%')
			out.WriteByte(hexadecimal[b>>4])
			out.WriteByte(hexadecimal[b&15])
		}
	}
	return out.String()
}
