// Package ses sends mails by Amazon SES (API version 2). New returns a Sender for package mail's port.
package ses

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/cashwrap/cashwrap/shared/mail"
)

// Sender sends mails from one address. It is safe for concurrent use.
type Sender struct {
	client *sesv2.Client
	from   string
}

// New returns a sender that sends from the address. It makes no call. The address must belong to a verified identity.
func New(c aws.Config, from string) *Sender {
	return &Sender{from: from, client: sesv2.NewFromConfig(c, func(o *sesv2.Options) {
		// SES does not recognise a repeated request, so an immediate retry after a lost reply would send the mail twice. The
		// outbox repeats the mail later.
		o.Retryer = aws.NopRetryer{}
	})}
}

// Send sends the message in one call.
func (s *Sender) Send(ctx context.Context, m mail.Message) error {
	_, err := s.client.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(s.from),
		Destination:      &types.Destination{ToAddresses: []string{m.To}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: content(encodeSubject(m.Subject)),
			Body:    &types.Body{Text: content(m.Text), Html: content(m.HTML)},
			Headers: []types.MessageHeader{{Name: aws.String(mail.IDHeader), Value: aws.String(m.ID)}},
		}},
	})
	if _, malformed := errors.AsType[*types.BadRequestException](err); malformed {
		return fmt.Errorf("%w: %w", mail.ErrRefused, err)
	}
	return err
}

func content(text string) *types.Content {
	return &types.Content{Data: aws.String(text), Charset: aws.String("UTF-8")}
}

// encodeSubject returns the subject on one line, in the 7-bit characters that SES accepts, as encoded words (RFC 2047).
func encodeSubject(subject string) string {
	return strings.ReplaceAll(mime.QEncoding.Encode("utf-8", subject), "\r\n", "")
}
