// Package ses is Amazon SES v2's sending of mails, in memory, under the unmodified SDK. It keeps mails for tests, and
// as .eml files. Unlike SES it replaces and counts a mail sent again with the same X-Mail-Id.
package ses

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/cashwrap/cashwrap/localstack/aws/reply"
	"github.com/cashwrap/cashwrap/shared/mail"
)

// extension of a mail's file (RFC 5322).
const extension = ".eml"

const path = "/v2/email/outbound-emails"

// Sends reports whether the request is one to send a mail.
func Sends(r *http.Request) bool { return r.URL.Path == path }

// Config says what the engine does.
type Config struct {
	Now    func() time.Time // of the files' Date
	Folder string           // gets a file <id>.eml for each mail; "": none
	// Refuse returns SES's error for a mail to an address, such as TooManyRequestsException; "" or a nil func: none.
	Refuse func(to string) string
}

// Mail is a mail that was sent.
type Mail struct {
	mail.Message
	From  string
	Times int // how often it was sent
}

// Engine takes mails. It is safe for concurrent use.
type Engine struct {
	config Config
	mu     sync.Mutex
	sent   []Mail
}

// New returns an engine that has sent nothing.
func New(c Config) *Engine { return &Engine{config: c} }

// Sent returns the mails, in the order in which each was first sent.
func (e *Engine) Sent() []Mail {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.sent)
}

// RoundTrip answers a call of this process.
func (e *Engine) RoundTrip(r *http.Request) (*http.Response, error) { return reply.From(e, r) }

type content struct{ Data, Charset string }

type request struct {
	FromEmailAddress string
	Destination      struct{ ToAddresses []string }
	Content          struct {
		Simple struct {
			Subject content
			Body    struct{ Text, Html content } //nolint:revive // as SES calls it
			Headers []struct{ Name, Value string }
		}
	}
}

// ServeHTTP answers a call of another process.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in request
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil || r.Method != http.MethodPost || !Sends(r) {
		fail(w, "BadRequestException", fmt.Sprintf("no SendEmail: %s %s: %v", r.Method, r.URL.Path, err))
		return
	}
	m, problem := in.mail()
	if problem != "" {
		fail(w, "BadRequestException", problem)
		return
	}
	if e.config.Refuse != nil {
		if code := e.config.Refuse(m.To); code != "" {
			fail(w, code, "refused by the test")
			return
		}
	}
	if err := e.keep(m); err != nil {
		fail(w, "InternalServiceErrorException", err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]string{"MessageId": m.ID})
}

// bare is an address as SES takes it. The real service wants it in 7 bits.
var bare = regexp.MustCompile(`^[!-?A-~]+@[!-?A-~]+$`)

// mail is the one that the request sends; problem is why it cannot.
func (r request) mail() (m Mail, problem string) {
	simple := r.Content.Simple
	if len(r.Destination.ToAddresses) != 1 || !bare.MatchString(r.Destination.ToAddresses[0]) {
		return m, "Illegal address"
	}
	if strings.ContainsFunc(simple.Subject.Data, func(c rune) bool { return c < ' ' || c > '~' }) {
		return m, "the subject is not in 7 bits"
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(simple.Subject.Data)
	if err != nil {
		return m, err.Error()
	}
	m = Mail{From: r.FromEmailAddress, Times: 1, Message: mail.Message{To: r.Destination.ToAddresses[0], Subject: subject,
		Text: simple.Body.Text.Data, HTML: simple.Body.Html.Data}}
	for _, h := range simple.Headers {
		if h.Name == mail.IDHeader {
			m.ID = h.Value
		}
	}
	if !id.MatchString(m.ID) || m.From == "" {
		return m, "no sender, or no " + mail.IDHeader
	}
	return m, ""
}

// id is one that can be the name of a file.
var id = regexp.MustCompile(`^[a-z0-9_]+$`)

var statuses = map[string]int{
	"TooManyRequestsException":      http.StatusTooManyRequests,
	"InternalServiceErrorException": http.StatusInternalServerError,
}

func fail(w http.ResponseWriter, code, message string) {
	w.Header().Set("X-Amzn-Errortype", code)
	answer(w, cmp.Or(statuses[code], http.StatusBadRequest), map[string]string{"message": message})
}

func answer(w http.ResponseWriter, status int, body map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only when the client is gone
}

// keep takes the place of the same mail, if it was sent before.
func (e *Engine) keep(m Mail) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.config.Folder != "" {
		if err := e.write(m); err != nil {
			return err
		}
	}
	at := slices.IndexFunc(e.sent, func(other Mail) bool { return other.ID == m.ID })
	if at < 0 {
		e.sent = append(e.sent, m)
		return nil
	}
	m.Times += e.sent[at].Times
	e.sent[at] = m
	return nil
}

// write makes the mail's file, whole or not at all.
func (e *Engine) write(m Mail) error {
	message := gomail.NewMsg()
	if err := message.From(m.From); err != nil {
		return err
	}
	if err := message.To(m.To); err != nil {
		return err
	}
	message.Subject(m.Subject)
	message.SetGenHeader(gomail.Header(mail.IDHeader), m.ID)
	message.SetMessageIDWithValue(m.ID + "@localhost")
	message.SetDateWithValue(e.config.Now())
	message.SetBodyString(gomail.TypeTextPlain, m.Text)
	message.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	if err := os.MkdirAll(e.config.Folder, 0o700); err != nil {
		return err
	}
	var text bytes.Buffer
	if _, err := message.WriteTo(&text); err != nil {
		return err
	}
	name := filepath.Join(e.config.Folder, m.ID+extension)
	if err := os.WriteFile(name+".new", text.Bytes(), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
