package webhook

import (
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
)

var timedHeader = regexp.MustCompile(`^(X-[0-9A-Za-z-]{1,62})?$`)

// CheckTimedHeader checks the name of the header for timed signatures; "" is none. No other header of a callback begins
// with X-.
func CheckTimedHeader(name string) error {
	if !timedHeader.MatchString(name) {
		return errors.New("must be X- and up to 62 letters, digits and hyphens")
	}
	return nil
}

// WithTimedSignatures makes the sender also sign in the form t=<unix seconds>,v1=<hex> (contract §11.2), under a header
// that [CheckTimedHeader] takes.
func (s *Sender) WithTimedSignatures(header string) *Sender {
	s.timed = header
	return s
}

// signTimed signs the attempt with the text of the secret, whsec_ included, as receivers of this form use it.
func signTimed(m Message, s Secret) string {
	timestamp := strconv.FormatInt(m.Timestamp.Unix(), 10)
	content := append([]byte("v1:"+timestamp+":"), m.Body...)
	return "t=" + timestamp + ",v1=" + hex.EncodeToString(hmacSHA256([]byte(s.Reveal()), content))
}
