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

// Merchant is one of those in .local/env.
type Merchant struct{ Code, Name, Key, Secret string }

// Platform is what the page needs of the one that runs.
type Platform struct {
	BaseURL      string
	Merchants    []Merchant    // the first is the one whose key the welcome shows
	App          *app.App      // over the platform's engines and clock, not watched
	Operator     client.Invoke // calls the provision function
	Clock        func() string // the platform's time, for people
	Advance      func(time.Duration) error
	Mails        string // folder with a file for each mail
	OutOfProcess bool   // functions run in processes of their own, so nothing but their requests is seen
}

type site struct {
	Platform
	*Inspector
	hosts []string // by which a browser may call it; the rest of the platform's links have the base URL
	mux   *http.ServeMux

	mu   sync.Mutex
	said said // what the last button did
}

// Serve shows the page /sandbox, and at the base URL a welcome with a merchant's key.
func (i *Inspector) Serve(p Platform) error {
	address, err := url.Parse(p.BaseURL)
	if err != nil {
		return err
	}
	s := &site{Platform: p, Inspector: i, mux: http.NewServeMux(),
		hosts: []string{address.Host, strings.TrimSuffix(address.Host, ":80")}}
	s.mux.Handle("GET /{$}", s.page(s.welcome))
	s.mux.Handle("GET /sandbox", s.page(s.overview))
	s.mux.Handle("GET /sandbox/requests/{id}", s.page(s.request))
	s.mux.Handle("GET /sandbox/mails/{name}", s.page(s.mail))
	s.mux.Handle("GET /sandbox/changes", &streams{draw: s.events, watch: i.watch, closed: i.closed})
	s.mux.HandleFunc("POST /sandbox/buttons/{button}", s.press)
	s.mux.Handle("POST /sandbox/payer", s.page(s.leadPayer))
	s.mux.HandleFunc("POST "+receiverPath, s.receive)
	i.forget() // what made the seeded merchants
	i.mu.Lock()
	defer i.mu.Unlock()
	i.site = s
	return nil
}

// unseen says why callbacks are not seen; "" if they are.
func (i *Inspector) unseen() string {
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

// servePage answers a request for a page of the inspector; false: it is one to the API.
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
		// The forms of pages lead to the base URL, so pages have to be there, too.
		http.Redirect(w, r, s.BaseURL+r.URL.RequestURI(), http.StatusTemporaryRedirect) //nolint:gosec // begins with /
		return true
	}
	if status, why := s.refuses(r); why != "" {
		http.Error(w, why, status)
		return true
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mux.ServeHTTP(w, r)
	return true
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// crossOrigin refuses what pages of other sites have a browser send.
var crossOrigin = http.NewCrossOriginProtection()

// refuses returns why a request is refused; "" if it is not. A page of another site whose name leads to 127.0.0.1 has
// that name as Host; any other page has its Origin. Our forms send no referrer, so no useful Origin; browsers then say
// where they come from (W3C Fetch Metadata, Sec-Fetch-Site).
func (s *site) refuses(r *http.Request) (status int, why string) {
	if !slices.Contains(s.hosts, r.Host) {
		return http.StatusMisdirectedRequest, "The sandbox is at " + s.BaseURL + "/sandbox."
	}
	origin := r.Header.Get("Origin")
	if reads(r) && origin != "" && origin != "http://"+r.Host || crossOrigin.Check(r) != nil {
		return http.StatusForbidden, "Pages of other sites may not use the sandbox."
	}
	return 0, ""
}

// page answers with a page. A nil one is not found.
func (s *site) page(draw func(*http.Request) (page.Page, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		drawn, err := draw(r)
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError) // to its own developer
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
	signing, _ := s.App.SigningKeys() // those that it has: what is missing verifies nothing
	for _, key := range signing {
		keys = append(keys, key.PublicKey())
	}
	return secrets, keys
}

// receiverPath takes callbacks, for checkouts whose merchant has no receiver yet.
const receiverPath = "/sandbox/callbacks"

func (s *site) receive(w http.ResponseWriter, r *http.Request) {
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
