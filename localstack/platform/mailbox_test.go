package platform

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/mail/ses"
)

// TestStart_MailFolder checks mails from this process and from another.
func TestStart_MailFolder(t *testing.T) {
	t.Parallel()
	place := Folder(t.TempDir())
	b := startMemoryAt(t, place)
	for id, client := range map[string]aws.HTTPClient{"mail_here": b.http, "mail_there": http.DefaultClient} {
		sender := ses.New(aws.Config{Region: "eu-central-1", BaseEndpoint: &b.SES, HTTPClient: client,
			Credentials: credentials.NewStaticCredentialsProvider("any", "none", "")}, "no-reply@cashwrap.example")
		m := mail.Message{ID: id, To: "ada@example.com", Subject: "Hello", Text: "Hello", HTML: "<p>Hello</p>"}
		if err := sender.Send(t.Context(), m); err != nil {
			t.Errorf("%s: got error %v, want it sent", id, err)
		}
		if _, err := os.Stat(filepath.Join(string(place), "mail", id+".eml")); err != nil {
			t.Errorf("%s: got error %v, want its file", id, err)
		}
	}
}
