package ses_test

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	ours "github.com/cashwrap/cashwrap/shared/mail"
	sender "github.com/cashwrap/cashwrap/shared/mail/ses"
)

var message = ours.Message{ID: "mail_1", To: "ada@example.com",
	Subject: "Bankkonto geändert: " + strings.Repeat("ä", 60), Text: "Grüße\n", HTML: "<p>Grüße</p>"}

// newSender returns a sender that uses the SDK over an HTTP client.
func newSender(client aws.HTTPClient, endpoint string) *sender.Sender {
	return sender.New(aws.Config{Region: "eu-central-1", BaseEndpoint: aws.String(endpoint), HTTPClient: client,
		Credentials: credentials.NewStaticCredentialsProvider("any", "none", "")}, "Cashwrap <no-reply@cashwrap.example>")
}

// TestEngine_MailFile sends a mail twice over a port. It checks that there is one file, and that a mail program can
// read the file.
func TestEngine_MailFile(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "mail")
	engine := ses.New(ses.Config{Now: clock.New().Now, Folder: folder})
	server := httptest.NewServer(engine)
	t.Cleanup(server.Close)
	for range 2 {
		if err := newSender(server.Client(), server.URL).Send(t.Context(), message); err != nil {
			t.Fatal(err)
		}
	}
	if sent := engine.Sent(); len(sent) != 1 || sent[0].Times != 2 || sent[0].Message != message {
		t.Errorf("got %+v, want the message twice", sent)
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 || files[0].Name() != "mail_1.eml" {
		t.Fatalf("got files %v, error %v, want mail_1.eml", files, err)
	}
	file, err := os.Open(filepath.Join(folder, "mail_1.eml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := mail.ReadMessage(file)
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if err != nil || subject != message.Subject || got.Header.Get("To") != "<ada@example.com>" ||
		got.Header.Get(ours.IDHeader) != "mail_1" || got.Header.Get("From") != `"Cashwrap" <no-reply@cashwrap.example>` {
		t.Errorf("got header %v, subject %q, error %v, want the message's", got.Header, subject, err)
	}
	_, parameters, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := multipart.NewReader(got.Body, parameters["boundary"])
	for _, want := range []string{message.Text, message.HTML} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil || strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")) != strings.TrimSpace(want) {
			t.Errorf("got part %q, error %v, want %q", text, err, want)
		}
	}
}

// TestSender_NoRetry checks that the sender does not retry after any answer, because the outbox repeats mails.
func TestSender_NoRetry(t *testing.T) {
	t.Parallel()
	for answer, final := range map[string]bool{"BadRequestException": true, "TooManyRequestsException": false,
		"InternalServiceErrorException": false, "MessageRejected": false} {
		calls := 0
		engine := ses.New(ses.Config{Refuse: func(string) string { calls++; return answer }})
		err := newSender(&http.Client{Transport: engine}, "http://ses.test").Send(t.Context(), message)
		var said smithy.APIError
		if calls != 1 || errors.Is(err, ours.ErrRefused) != final || !errors.As(err, &said) || said.ErrorCode() != answer {
			t.Errorf("%s: got %d calls and error %v, want one, and it refused for good: %t", answer, calls, err, final)
		}
	}
}

func TestEngine_Refusals(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*ours.Message){
		"no address":  func(m *ours.Message) { m.To = "" },
		"not ASCII":   func(m *ours.Message) { m.To = "jürgen@example.com" },
		"two of them": func(m *ours.Message) { m.To = "a@b.c, d@e.f" },
		"no id":       func(m *ours.Message) { m.ID = "../x" },
	} {
		m := message
		change(&m)
		engine := ses.New(ses.Config{})
		err := newSender(&http.Client{Transport: engine}, "http://ses.test").Send(t.Context(), m)
		if !errors.Is(err, ours.ErrRefused) {
			t.Errorf("%s: got error %v, want %v", name, err, ours.ErrRefused)
		}
	}
}

// TestRead reads a mail's file, and checks that Read refuses files that no Engine wrote.
func TestRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	engine := ses.New(ses.Config{Now: clock.New().Now, Folder: folder})
	if err := newSender(&http.Client{Transport: engine}, "http://ses.test").Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	got, err := ses.Read(filepath.Join(folder, "mail_1.eml"))
	want := ses.Kept{ID: "mail_1", To: message.To, Subject: message.Subject, Text: message.Text, Date: clock.Start}
	if got.Date = got.Date.UTC(); err != nil || got != want {
		t.Errorf("got %+v and error %v, want %+v", got, err, want)
	}
	other := filepath.Join(folder, "other.eml")
	for _, text := range []string{"", "To: a@example.com\r\n\r\nhello",
		"Date: Fri, 20 Nov 2026 12:00:00 +0000\r\nTo: a@example.com\r\nContent-Type: text/plain\r\n\r\nhello"} {
		if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ses.Read(other); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}
