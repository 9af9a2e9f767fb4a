// Package ses is an in-memory Amazon SES v2 that takes the mails of an unmodified SDK. Give an Engine to the SDK as
// http.RoundTripper, and read the mails with Sent, or as .eml files from Config.Folder. If a mail is sent again with
// the same X-Mail-Id, the Engine replaces the mail and counts how often it was sent. The real SES does neither.
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

// extension is the extension of a mail's file (RFC 5322).
const extension = ".eml"

const path = "/v2/email/outbound-emails"

// Sends returns true if the request sends a mail.
func Sends(r *http.Request) bool { return r.URL.Path == path }

// Config configures an Engine.
type Config struct {
	Now    func() time.Time // returns the time for a file's Date
	Folder string           // receives a file <id>.eml per mail; "" writes no files
	// Refuse returns SES's error for mails to an address, such as TooManyRequestsException. Nil or "" accepts the mail.
	Refuse func(to string) string
}

// Mail is a sent mail.
type Mail struct {
	mail.Message
	From  string
	Times int // number of times that it was sent
}

// Engine accepts and keeps mails. It is safe for concurrent use.
type Engine struct {
	config Config
	mu     sync.Mutex
	sent   []Mail
}

// New returns an engine without mails.
func New(c Config) *Engine { return &Engine{config: c} }

// Sent returns the mails in the order of their first sending.
func (e *Engine) Sent() []Mail {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.sent)
}

// RoundTrip answers a call from this process.
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

// ServeHTTP answers a call from another process.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in request
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil || r.Method != http.MethodPost || !Sends(r) {
		writeError(w, "BadRequestException", fmt.Sprintf("no SendEmail: %s %s: %v", r.Method, r.URL.Path, err))
		return
	}
	m, problem := in.mail()
	if problem != "" {
		writeError(w, "BadRequestException", problem)
		return
	}
	if e.config.Refuse != nil {
		if code := e.config.Refuse(m.To); code != "" {
			writeError(w, code, "refused by the test")
			return
		}
	}
	if err := e.keep(m); err != nil {
		writeError(w, "InternalServiceErrorException", err.Error())
		return
	}
	writeAnswer(w, http.StatusOK, map[string]string{"MessageId": m.ID})
}

// bareAddress matches the addresses that the real SES accepts: without a name and in 7 bits.
var bareAddress = regexp.MustCompile(`^[!-?A-~]+@[!-?A-~]+$`)

// mail returns the mail that the request sends. problem says why the request is invalid.
func (r request) mail() (m Mail, problem string) {
	simple := r.Content.Simple
	if len(r.Destination.ToAddresses) != 1 || !bareAddress.MatchString(r.Destination.ToAddresses[0]) {
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
	if !idPattern.MatchString(m.ID) || m.From == "" {
		return m, "no sender, or no " + mail.IDHeader
	}
	return m, ""
}

// idPattern matches ids that can safely be file names.
var idPattern = regexp.MustCompile(`^[a-z0-9_]+$`)

var statuses = map[string]int{
	"TooManyRequestsException":      http.StatusTooManyRequests,
	"InternalServiceErrorException": http.StatusInternalServerError,
}

func writeError(w http.ResponseWriter, code, message string) {
	w.Header().Set("X-Amzn-Errortype", code)
	writeAnswer(w, cmp.Or(statuses[code], http.StatusBadRequest), map[string]string{"message": message})
}

func writeAnswer(w http.ResponseWriter, status int, body map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // only fails if the client has gone
}

// keep stores the mail. It replaces an earlier mail with the same id.
func (e *Engine) keep(m Mail) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.config.Folder != "" {
		if err := e.writeFile(m); err != nil {
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

// writeFile writes the mail's file atomically.
func (e *Engine) writeFile(m Mail) error {
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
