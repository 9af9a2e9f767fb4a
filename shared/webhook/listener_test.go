package webhook

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"testing"
)

// countingListener is an HTTP server that answers 204 and counts connections.
type countingListener struct {
	net.Listener
	addr    netip.AddrPort
	accepts atomic.Int64
}

func (l *countingListener) port() string { return strconv.Itoa(int(l.addr.Port())) }

// Accept counts a connection before any byte of it is read.
func (l *countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.accepts.Add(1)
	}
	return conn, err
}

func listen(t testing.TB, address string) *countingListener {
	t.Helper()
	listener, err := net.Listen("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, listener)
}

func serve(t testing.TB, inner net.Listener) *countingListener {
	listener := &countingListener{Listener: inner, addr: netip.MustParseAddrPort(inner.Addr().String())}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // always http.ErrServerClosed, from the cleanup
	}()
	t.Cleanup(func() { server.Close(); <-done })
	return listener
}

// listenPair listens on one port of two loopback addresses.
func listenPair(t testing.TB, first, second string) (a, b *countingListener) {
	t.Helper()
	for range 20 {
		one, err := net.Listen("tcp4", first+":0")
		if err != nil {
			t.Fatal(err)
		}
		port := strconv.Itoa(one.Addr().(*net.TCPAddr).Port)
		two, err := net.Listen("tcp4", second+":"+port)
		if err == nil {
			return serve(t, one), serve(t, two)
		}
		one.Close() // the port is in use at the second address
	}
	t.Fatal("got no port in 20 tries, want one that is free on both addresses")
	return nil, nil
}
