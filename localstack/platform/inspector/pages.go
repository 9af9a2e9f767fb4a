package inspector

import (
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/shared/page"
)

var (
	//go:embed sandbox.js
	script string
	//go:embed sandbox.css
	style string

	plainPage   = page.New("").Styled(style)
	sandboxPage = page.New(script).Styled(style)
)

const maxListed = 10

func (s *site) drawWelcome(*http.Request) (page.Page, error) {
	return plainPage.Draw("Cashwrap", welcomeBody(s))
}

func (s *site) drawOverview(r *http.Request) (page.Page, error) {
	v, err := s.loadView(r.Context())
	if err != nil {
		return page.Page{}, err
	}
	drawn, err := sandboxPage.DrawBelow("Sandbox", headerBody(), overviewBody(v))
	return drawn.Fetching(), err
}

func (s *site) drawRequest(r *http.Request) (page.Page, error) {
	s.digest()
	found := s.Request(r.PathValue("id"))
	if found == nil {
		return page.Page{}, nil
	}
	return plainPage.DrawBelow(found.Method+" "+found.Path, headerBody(), requestBody(found, s.OutOfProcess))
}

func (s *site) drawMail(r *http.Request) (page.Page, error) {
	mails, err := s.readMails()
	at := slices.IndexFunc(mails, func(m ses.Kept) bool { return m.ID == r.PathValue("name") })
	if err != nil || at < 0 {
		return page.Page{}, err
	}
	return plainPage.DrawBelow(mails[at].Subject, headerBody(), mailBody(mails[at]))
}

func class(status int) string {
	switch {
	case status >= http.StatusInternalServerError:
		return "bad"
	case status >= http.StatusBadRequest:
		return "odd"
	default:
		return "good"
	}
}

func goodOrBad(good bool) string {
	if good {
		return "good"
	}
	return "bad"
}

func (s buttonResult) class() string { return goodOrBad(!s.Failed) }

func (c *Callback) class() string {
	return goodOrBad(c.Status >= http.StatusOK && c.Status < http.StatusMultipleChoices)
}

func (c *Callback) answer() string {
	if c.Status == 0 {
		return c.Fail
	}
	return fmt.Sprint(c.Status)
}

// maxLabel is the maximum length of a request's path in the list, in characters.
const maxLabel = 80

func (r *Request) label() string {
	text := []rune(r.Method + " " + r.Path)
	if len(text) > maxLabel {
		return string(text[:maxLabel]) + "…"
	}
	return string(text)
}

type part struct {
	text string
	link bool
}

var link = regexp.MustCompile(`https?://[^\s<>"]+`)

// splitLinks splits a text into parts. Every other part is a link.
func splitLinks(text string) (parts []part) {
	for {
		at := link.FindStringIndex(text)
		if at == nil {
			return append(parts, part{text, false})
		}
		address := strings.TrimRight(text[at[0]:at[1]], ".,")
		parts = append(parts, part{text[:at[0]], false}, part{address, true})
		text = text[at[0]+len(address):]
	}
}

func sorted(fields map[string]string) []string { return slices.Sorted(maps.Keys(fields)) }
