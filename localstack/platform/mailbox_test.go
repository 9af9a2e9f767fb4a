package platform

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/localstack/clock"
	"github.com/cashwrap/cashwrap/localstack/faults"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/mail/ses"
)

// TestMailsAreInTheFolder, whether they come from this process or from another; calls that send none go on.
func TestMailsAreInTheFolder(t *testing.T) {
	t.Parallel()
	place := Folder(t.TempDir())
	stopped := false
	engines := backend{http: faults.Down{}, stop: func() error { stopped = true; return nil }}
	b, err := engines.withMailbox(place, clock.New().Now)
	if err != nil {
		t.Fatal(err)
	}
	for id, client := range map[string]aws.HTTPClient{"mail_here": b.http, "mail_there": http.DefaultClient} {
		sender := ses.New(aws.Config{Region: "eu-central-1", BaseEndpoint: &b.SES, HTTPClient: client,
			Credentials: credentials.NewStaticCredentialsProvider("any", "none", "")}, "no-reply@cashwrap.example")
		m := mail.Message{ID: id, To: "ada@example.com", Subject: "Hello", Text: "Hello", HTML: "<p>Hello</p>"}
		if err = sender.Send(t.Context(), m); err != nil {
			t.Errorf("%s: got error %v, want it sent", id, err)
		}
		if _, err = os.Stat(filepath.Join(string(place), "mail", id+".eml")); err != nil {
			t.Errorf("%s: got error %v, want its file", id, err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://dynamodb.test/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if response, refused := b.http.Do(r); refused == nil {
		_ = response.Body.Close()
		t.Error("got an answer of the mailbox to another call, want it passed on")
	}
	if err = b.stop(); err != nil || !stopped {
		t.Errorf("got error %v and the engines stopped: %t, want them stopped", err, stopped)
	}
}
