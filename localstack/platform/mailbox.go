package platform

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
)

// mailDir in the folder has a file for each mail that was sent.
const mailDir = "mail"

// Mails is the folder with a file for each mail that was sent.
func (f Folder) Mails() string { return f.path(mailDir) }

// withMailbox is the backend with an SES that keeps mails as files. It listens on a port, for functions that run beside
// this process.
func (b backend) withMailbox(f Folder, now func() time.Time) (backend, error) {
	mails := ses.New(ses.Config{Now: now, Folder: f.Mails()})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return b, errors.Join(err, b.stop())
	}
	server := &http.Server{Handler: mails, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(listener) }()
	b.SES = "http://" + listener.Addr().String()
	if b.http != nil {
		b.http = mailbox{mails, b.http}
	}
	engines := b.stop
	b.stop = sync.OnceValue(func() error {
		_ = server.Close()
		<-ended
		return engines()
	})
	return b, nil
}

// mailbox carries mails without a socket.
type mailbox struct {
	mails  *ses.Engine
	others aws.HTTPClient
}

// Do carries a call of this process.
func (m mailbox) Do(r *http.Request) (*http.Response, error) {
	if ses.Sends(r) {
		return m.mails.RoundTrip(r)
	}
	return m.others.Do(r)
}
