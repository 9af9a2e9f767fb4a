package mail

import (
	"context"
	"errors"
	"strings"
	"unicode"
)

// Message is a mail as it is sent.
type Message struct {
	ID      string // the mail's; the same each time that it is sent
	To      string // one address, without a name
	Subject string
	Text    string
	HTML    string
}

// IDHeader is the header with the mail's id. A mail that was sent twice has the same id in
// both.
const IDHeader = "X-Mail-Id"

// Sender sends mails. After an error other than [ErrRefused] the message is sent again,
// although it may have been sent. So it may arrive twice, but is never lost.
type Sender interface {
	// Send sends the message once. Error: ErrRefused when sending it again cannot help,
	// such as to an invalid address.
	Send(ctx context.Context, m Message) error
}

// ErrRefused is the error of a message that the service will never take.
var ErrRefused = errors.New("mail: refused")

// Plain reports whether an address has none of the characters that could add a header or
// another address. All else about it is for the service to check.
func Plain(address string) bool {
	return address != "" && !strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune(`,;<>"`, r)
	})
}
