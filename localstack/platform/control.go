package platform

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/localstack/platform/inspector"
	"github.com/cashwrap/cashwrap/localstack/platform/reader"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// Paths of the messages that the running platform answers.
const (
	clockPath     = "/clock"     // moves the clock by a Go duration
	callbacksPath = "/callbacks" // streams callbacks from now on and optionally forwards them
	requestsPath  = "/requests"  // streams API requests from now on
)

// listen answers messages of commands and of Folder.Reader's terminals until the platform stops.
func (p *Platform) listen(f Folder, c Config) (control.Host, error) {
	own, err := p.openApp(c)
	if err != nil {
		return control.Host{}, err
	}
	token := rand.Text()
	mux := http.NewServeMux()
	mux.Handle("PUT "+reader.ChargesPath, reader.Charges(own.Acquirers[identity.Test], token))
	mux.HandleFunc("PUT "+callbacksPath, p.inspector.StreamCallbacks)
	mux.HandleFunc("PUT "+requestsPath, p.inspector.StreamRequests)
	mux.HandleFunc("PUT "+clockPath, func(w http.ResponseWriter, r *http.Request) { p.moveClock(f, c, w, r) })
	server := &http.Server{Handler: control.Admitted(token, mux), ReadHeaderTimeout: 10 * time.Second}
	p.stopControl = func() error {
		late := time.AfterFunc(controlGrace, func() { server.Close() })
		defer late.Stop()
		return server.Shutdown(context.Background())
	}
	address, _, err := control.Serve(server)
	return control.Host{Address: address, Token: token}, err
}

// openApp returns an App over the running platform's engines, for the acquirer of terminals and for /sandbox.
func (p *Platform) openApp(c Config) (*app.App, error) {
	environment := p.runner.Environment()
	settings, err := app.FromEnvironment(func(name string) string { return environment[name] }, app.Secrets...)
	if err != nil {
		return nil, err
	}
	return app.New(settings, app.Overrides{Now: p.clock.Now, Credentials: p.backend.Credentials(), Log: c.Log,
		HTTP: p.backend.http}), nil
}

func (p *Platform) serveInspector(f Folder, c Config) error {
	own, err := p.openApp(c)
	if err != nil {
		return err
	}
	site := inspector.Platform{
		BaseURL: p.Env["BASE_URL"], App: own, Operator: p.runner.Invoke, Mails: f.Mails(),
		OutOfProcess: c.Runtime == Bootstraps,
		Clock:        func() string { return p.Time().String() },
		Advance:      func(d time.Duration) error { return p.advance(f, c, d) },
	}
	for _, m := range merchants() {
		code, key, secret := m.variableNames()
		site.Merchants = append(site.Merchants, inspector.Merchant{Name: fmt.Sprint(m.Create["name"]),
			Code: p.Env[code], Key: p.Env[key], Secret: p.Env[secret]})
	}
	return p.inspector.Serve(site)
}

func (p *Platform) moveClock(f Folder, c Config, w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 100))
	if err != nil {
		return // the client has gone
	}
	d, err := time.ParseDuration(string(text))
	if err == nil {
		err = p.advance(f, c, d)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// controlGrace is the time that commands have to end their streams after the inspector has ended these streams.
const controlGrace = time.Second
