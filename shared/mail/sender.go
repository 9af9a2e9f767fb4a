package mail

import (
	"context"
	"errors"
)

// Message is a mail as it is sent.
type Message struct {
	ID      string // the mail's; the same each time that it is sent
	To      string // one address, without a name
	Subject string
	Text    string
	HTML    string
}

// IDHeader is the header of a sent mail with its id, by which people can tell that two
// are the same.
const IDHeader = "X-Mail-Id"

// Sender sends mails. After an error that is not [ErrRefused] nobody knows whether the
// message was sent, unless the service said so; it is sent again. So a message may
// arrive twice, and never gets lost.
type Sender interface {
	// Send sends the message once. Error: ErrRefused when sending it again cannot help,
	// as to an address that cannot be.
	Send(ctx context.Context, m Message) error
}

// ErrRefused is the error of a message that the service will never take.
var ErrRefused = errors.New("mail: refused")
