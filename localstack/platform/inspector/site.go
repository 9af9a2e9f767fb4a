package inspector

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Merchant is a merchant of .local/env.
type Merchant struct{ Code, Name, Key, Secret string }

// Platform is the page's access to the running platform.
type Platform struct {
	BaseURL      string
	Merchants    []Merchant    // the welcome page shows the first merchant's key
	App          *app.App      // uses the platform's engines and clock; the inspector does not record its calls
	Operator     client.Invoke // calls the provision function
	Clock        func() string // returns the platform's time, for people
	Advance      func(time.Duration) error
	Mails        string // folder with a file per mail
	OutOfProcess bool   // functions run in other processes, so only their requests are seen
}

type site struct {
	Platform
	*Inspector
	hosts []string // allowed Host headers: the base URL's, because the platform's links have the base URL
	mux   *http.ServeMux

	mu   sync.Mutex
	said buttonResult // result of the last button
}

// Serve serves the page /sandbox, and at the base URL a welcome page with a merchant's key.
func (i *Inspector) Serve(p Platform) error {
	address, err := url.Parse(p.BaseURL)
	if err != nil {
		return err
	}
	s := &site{Platform: p, Inspector: i, mux: http.NewServeMux(),
		hosts: []string{address.Host, strings.TrimSuffix(address.Host, ":80")}}
	s.mux.Handle("GET /{$}", s.pageHandler(s.drawWelcome))
	s.mux.Handle("GET /sandbox", s.pageHandler(s.drawOverview))
	s.mux.Handle("GET /sandbox/requests/{id}", s.pageHandler(s.drawRequest))
	s.mux.Handle("GET /sandbox/mails/{name}", s.pageHandler(s.drawMail))
	s.mux.Handle("GET /sandbox/changes", &streams{draw: s.drawSections, watch: i.watch, closed: i.closed})
	s.mux.HandleFunc("POST /sandbox/buttons/{button}", s.pressButton)
	s.mux.Handle("POST /sandbox/payer", s.pageHandler(s.drawPayer))
	s.mux.HandleFunc("POST "+receiverPath, s.receiveCallback)
	i.dropRecords() // the requests that made the seeded merchants
	i.mu.Lock()
	defer i.mu.Unlock()
	i.site = s
	return nil
}

// unseenReason returns the reason why callbacks cannot be seen, or "".
func (i *Inspector) unseenReason() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.site == nil:
		return "the platform is still starting"
	case i.site.OutOfProcess:
		return "functions run in processes of their own (RUNTIME=bootstrap), whose callbacks are not seen"
	default:
		return ""
	}
}

// servePage answers a request for a page of the inspector. It returns false for a request to the API.
func (i *Inspector) servePage(w http.ResponseWriter, r *http.Request) bool {
	ours := r.URL.Path == "/sandbox" || strings.HasPrefix(r.URL.Path, "/sandbox/") ||
		r.URL.Path == "/" && reads(r) && rest.TakesPage(r.Header)
	if !ours {
		return false
	}
	i.mu.Lock()
	s := i.site
	i.mu.Unlock()
	if s == nil {
		return false
	}
	if host, _, _ := strings.Cut(r.Host, ":"); host == "localhost" && reads(r) {
		// Forms on pages post to the base URL, so the pages must be at the base URL, too.
		http.Redirect(w, r, s.BaseURL+r.URL.RequestURI(), http.StatusTemporaryRedirect) //nolint:gosec // begins with /
		return true
	}
	if status, why := s.checkOrigin(r); why != "" {
		http.Error(w, why, status)
		return true
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mux.ServeHTTP(w, r)
	return true
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// crossOrigin refuses requests that pages of other sites make a browser send.
var crossOrigin = http.NewCrossOriginProtection()

// checkOrigin returns the reason to refuse a request, or "". It refuses a foreign Host header, because the name of
// another site may resolve to 127.0.0.1. It also refuses the Origin of another site's page. Our forms send no referrer,
// and so no useful Origin. For them crossOrigin reads Sec-Fetch-Site, where browsers name the source of a request (W3C
// Fetch Metadata).
func (s *site) checkOrigin(r *http.Request) (status int, why string) {
	if !slices.Contains(s.hosts, r.Host) {
		return http.StatusMisdirectedRequest, "The sandbox is at " + s.BaseURL + "/sandbox."
	}
	origin := r.Header.Get("Origin")
	if reads(r) && origin != "" && origin != "http://"+r.Host || crossOrigin.Check(r) != nil {
		return http.StatusForbidden, "Pages of other sites may not use the sandbox."
	}
	return 0, ""
}

// pageHandler returns a handler that answers with a page, or 404 if draw returns none.
func (s *site) pageHandler(draw func(*http.Request) (page.Page, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		drawn, err := draw(r)
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError) // only the platform's developer sees it
		case drawn.HTML == nil:
			http.Error(w, "There is no such page; the sandbox keeps the latest only.", http.StatusNotFound)
		default:
			rest.Document{HTML: drawn.HTML, CSP: drawn.CSP}.Write(w, r)
		}
	})
}

func (s *site) verifiers() (secrets []webhook.Secret, keys []webhook.PublicKey) {
	for _, m := range s.Merchants {
		if secret, err := webhook.ParseSecret(m.Secret); err == nil {
			secrets = append(secrets, secret)
		}
	}
	signing, _ := s.App.SigningKeys() // a missing key verifies nothing
	for _, key := range signing {
		keys = append(keys, key.PublicKey())
	}
	return secrets, keys
}

// receiverPath receives callbacks for checkouts of merchants without a receiver.
const receiverPath = "/sandbox/callbacks"

func (s *site) receiveCallback(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		secrets, keys := s.verifiers()
		err = webhook.Verify(r.Header, body, time.Now(), secrets, keys)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
