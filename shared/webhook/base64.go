package webhook

import "encoding/base64"

// decodeBase64 accepts only the canonical form: encoding/base64 alone would ignore
// line breaks.
func decodeBase64(text string) ([]byte, bool) {
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	return data, err == nil && base64.StdEncoding.EncodedLen(len(data)) == len(text)
}
