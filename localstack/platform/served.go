package platform

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// served is an engine that listens on a port, for functions that run beside this process.
type served struct {
	host   string
	server *http.Server
	ended  <-chan struct{} // closed when it listens no more
}

func serve(engine http.Handler) (*served, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	s := &served{listener.Addr().String(), &http.Server{Handler: engine, ReadHeaderTimeout: 10 * time.Second}, ended}
	go func() {
		defer close(ended)
		_ = s.server.Serve(listener)
	}()
	return s, nil
}

func (s *served) address() string { return "http://" + s.host }

func (s *served) stop() {
	_ = s.server.Close()
	<-s.ended
}

// engine answers calls of this process without a socket, and those of others.
type engine interface {
	http.Handler
	http.RoundTripper
}

// with returns the backend with another engine, and its address. Calls of this process that are for it, at its host,
// need no socket. After an error everything is stopped.
func (b backend) with(e engine, isFor func(r *http.Request, host string) bool, end func() error,
) (_ backend, address string, _ error) {
	s, err := serve(e)
	if err != nil {
		return b, "", errors.Join(err, b.stop(), end())
	}
	if others := b.http; others != nil {
		b.http = smithyhttp.ClientDoFunc(func(r *http.Request) (*http.Response, error) {
			if isFor(r, s.host) {
				return e.RoundTrip(r)
			}
			return others.Do(r)
		})
	}
	stop := b.stop
	b.stop = sync.OnceValue(func() error {
		s.stop()
		return errors.Join(end(), stop())
	})
	return b, s.address(), nil
}
