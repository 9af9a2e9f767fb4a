package chromium

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// network is the proxy of a session. Through the proxy the session reaches only the hosts of its Web.
type network struct {
	*httptest.Server
	secure *httptest.Server // serves https, with a certificate that the browser accepts without a check
	web    Web

	mu      sync.Mutex
	refused []problem
}

func startNetwork(tb testing.TB, web Web) *network {
	n := &network{web: web}
	n.secure = httptest.NewUnstartedServer(http.HandlerFunc(n.serve))
	n.secure.Config.ErrorLog = log.New(io.Discard, "", 0) // the browser once tries to get another certificate
	n.secure.StartTLS()
	n.Server = httptest.NewServer(http.HandlerFunc(n.proxy))
	tb.Cleanup(func() {
		for _, s := range []*httptest.Server{n.Server, n.secure} {
			s.CloseClientConnections()
			s.Close()
		}
	})
	return n
}

func (n *network) refusedRequests() []problem {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.refused
}

func (n *network) proxy(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		r.URL.Scheme, r.URL.Host = "", ""
		n.serve(w, r)
		return
	}
	if n.handler(r) == nil {
		n.refuse(w, r)
		return
	}
	n.tunnel(w)
}

func (n *network) handler(r *http.Request) http.Handler {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	return n.web[host]
}

func (n *network) serve(w http.ResponseWriter, r *http.Request) {
	if handler := n.handler(r); handler != nil {
		handler.ServeHTTP(w, r)
		return
	}
	n.refuse(w, r)
}

func (n *network) refuse(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refused = append(n.refused, problem{"elsewhere " + r.Host, r.URL.String()})
	http.Error(w, "not of this test", http.StatusBadGateway)
}

func (n *network) tunnel(w http.ResponseWriter) {
	server, err := net.Dial("tcp", n.secure.Listener.Addr().String())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		server.Close()
		return
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n") // if the write fails, the connection fails too
	relay := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		to.Close()
	}
	go relay(server, client)
	go relay(client, server)
}
