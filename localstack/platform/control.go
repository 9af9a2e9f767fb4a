package platform

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/localstack/control"
	"github.com/cashwrap/cashwrap/localstack/reader"
)

// Paths of what the platform that runs answers to other processes.
const (
	clockPath = "/clock" // moves the clock by a duration, as Go writes one
)

// listen answers the processes that know the folder, until the platform stops: commands, and terminals of
// Folder.Reader, which charge at the acquirer.
func (p *Platform) listen(f Folder, c Config) (control.Host, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return control.Host{}, err
	}
	host := control.Host{Address: "http://" + listener.Addr().String(), Token: rand.Text()}
	charges, err := p.acquirer(c)
	if err != nil {
		return host, errors.Join(err, listener.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("PUT "+reader.ChargesPath, reader.Charges(charges, host.Token))
	mux.HandleFunc("PUT "+clockPath, func(w http.ResponseWriter, r *http.Request) { p.moveClock(f, c, w, r) })
	p.control = &http.Server{Handler: control.Admitted(host.Token, mux), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.control.Serve(listener) }() // until Stop
	return host, nil
}

// moveClock answers Folder.Advance.
func (p *Platform) moveClock(f Folder, c Config, w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 100))
	if err != nil {
		return // the client is gone
	}
	d, err := time.ParseDuration(string(text))
	if err == nil {
		err = p.advance(f, d)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(c.Progress, "The platform's time is now %s.\n", p.Time())
	w.WriteHeader(http.StatusNoContent)
}
