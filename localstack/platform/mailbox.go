package platform

import (
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
)

// mailDir in the folder has a file for each mail that was sent.
const mailDir = "mail"

// Mails is the folder with a file for each mail that was sent.
func (f Folder) Mails() string { return f.path(mailDir) }

// withMailbox is the backend with an SES that keeps mails as files.
func (b backend) withMailbox(f Folder, now func() time.Time) (backend, error) {
	sends := func(r *http.Request, _ string) bool { return ses.Sends(r) }
	b, address, err := b.with(ses.New(ses.Config{Now: now, Folder: f.Mails()}), sends, func() error { return nil })
	b.SES = address
	return b, err
}
