package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var loopbackOnly = Policy{AllowLoopback: true}

// startReceiver starts a local HTTP receiver. The function send posts the test message to the receiver.
func startReceiver(t *testing.T, handler http.HandlerFunc) (send func(ctx context.Context) error, sender *Sender) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	sender = NewSender(loopbackOnly, testKey(t))
	return func(ctx context.Context) error {
		return sender.Send(ctx, "M0", server.URL+"/hook?token=hush", testMessage(), []Secret{testSecret(1)})
	}, sender
}

func TestSend_SignedMessage(t *testing.T) {
	t.Parallel()
	var problem error
	send, _ := startReceiver(t,
		func(_ http.ResponseWriter, r *http.Request) { problem = verifyRequest(r, testKey(t).PublicKey()) })
	if err := send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if problem != nil {
		t.Errorf("got error %v at the receiver, want none", problem)
	}
}

// verifyRequest verifies a request as a receiver does, once with the secret alone and once with the public key alone.
func verifyRequest(r *http.Request, key PublicKey) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	got := fmt.Sprint(r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.UserAgent(), string(body))
	want := fmt.Sprint("POST", "/hook?token=hush", "application/json", "Cashwrap-Webhooks/1", `{"id":"c1"}`)
	if got != want {
		return fmt.Errorf("got %s, want %s", got, want)
	}
	return errors.Join(
		Verify(r.Header, body, attempt, []Secret{testSecret(1)}, nil),
		Verify(r.Header, body, attempt, nil, []PublicKey{key}),
	)
}

func TestSend_Statuses(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]Reason{
		200: "", 201: "", 202: "", 204: "", 299: "",
		301: ReasonRedirect, 304: ReasonRedirect, 399: ReasonRedirect,
		400: ReasonStatus, 401: ReasonStatus, 404: ReasonStatus, 410: ReasonStatus, 429: ReasonStatus,
		500: ReasonStatus, 503: ReasonStatus, 599: ReasonStatus,
	} {
		send, _ := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		err := send(t.Context())
		if want == "" {
			if err != nil {
				t.Errorf("status %d: got error %v, want none", status, err)
			}
			continue
		}
		wantReason(t, err, want)
		var delivery *DeliveryError
		if errors.As(err, &delivery) && delivery.Status != status {
			t.Errorf("got status %d, want %d", delivery.Status, status)
		}
	}
}

func TestSend_Redirect(t *testing.T) {
	t.Parallel()
	elsewhere := listen(t, "127.0.0.1:0") // the policy permits this listener, so only the redirect rule protects it
	for _, status := range []int{301, 302, 303, 307, 308} {
		send, _ := startReceiver(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+elsewhere.addr.String()+"/", status)
		})
		wantReason(t, send(t.Context()), ReasonRedirect)
	}
	if got := elsewhere.accepts.Load(); got != 0 {
		t.Errorf("got %d connections to the redirect's target, want none", got)
	}
}

// TestNewTransport_RedirectToLoopback checks that the transport also checks addresses. Even a client that follows
// redirects cannot reach a forbidden address.
func TestNewTransport_RedirectToLoopback(t *testing.T) {
	t.Parallel()
	forbidden := listen(t, "127.0.0.1:0")
	policy := Policy{AllowPorts: []uint16{forbidden.addr.Port()}}
	client := &http.Client{Transport: redirectOnce{to: "http://" + forbidden.addr.String(),
		rest: newTransport(newDialer(policy))}}
	response, err := client.Get("https://shop.example.com/")
	if err == nil {
		response.Body.Close()
	}
	wantReason(t, err, ReasonAddress)
	if got := forbidden.accepts.Load(); got != 0 {
		t.Errorf("got %d connections, want none", got)
	}
}

// redirectOnce simulates a public host that redirects.
type redirectOnce struct {
	to   string
	rest http.RoundTripper
}

// RoundTrip answers the public host itself and passes on every other request.
func (r redirectOnce) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host != "shop.example.com" {
		return r.rest.RoundTrip(request)
	}
	return &http.Response{
		StatusCode: http.StatusFound, Header: http.Header{"Location": {r.to}},
		Body: http.NoBody, Request: request,
	}, nil
}

func TestSend_LargeAnswer(t *testing.T) {
	t.Parallel()
	written := make(chan error, 1)
	send, _ := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		// This is far more than the sockets' buffers hold.
		_, err := io.CopyN(w, zeros{}, 64<<20)
		written <- err
	})
	if err := send(t.Context()); err != nil {
		t.Fatalf("huge body after 200: got error %v, want none", err)
	}
	if err := <-written; err == nil {
		t.Error("got a body of 64 MiB read to its end, want the connection closed before")
	}
	send, _ = startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Padding", strings.Repeat("x", 2*maxAnswerSize))
	})
	wantReason(t, send(t.Context()), ReasonProtocol)
}

// zeros is an endless source of zeros.
type zeros struct{}

// Read never fails.
func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestSend_NoAnswer(t *testing.T) {
	t.Parallel()
	send, sender := startReceiver(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a closed connection only after it has read the body
		<-r.Context().Done()
	})
	if sender.client.Timeout != 10*time.Second {
		t.Errorf("got a timeout of %v, want 10s", sender.client.Timeout)
	}
	sender.client.Timeout = 20 * time.Millisecond // the receiver never answers
	wantReason(t, send(t.Context()), ReasonTimeout)
}

func TestSend_Cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	send, _ := startReceiver(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	wantReason(t, send(ctx), ReasonCancelled)
}

func TestSend_BadResponse(t *testing.T) {
	t.Parallel()
	send, _ := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Errorf("got error %v, want the connection", err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.9\r\n")
	})
	wantReason(t, send(t.Context()), ReasonProtocol)
}

func TestSend_ConnectionRefused(t *testing.T) {
	t.Parallel()
	wantReason(t, NewSender(loopbackOnly, testKey(t)).Send(t.Context(), "M0", "http://"+refusingAddress(t)+"/",
		testMessage(), nil), ReasonConnect)
}

// refusingAddress returns an address that refuses connections. Until the test ends, the address is bound, but no server
// listens there.
func refusingAddress(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		t.Cleanup(func() { _ = syscall.Close(socket) })
		err = syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(name.(*syscall.SockaddrInet4).Port))
}

func TestSend_TLS(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		trusted    bool
		maxVersion uint16
		want       Reason
	}{
		{"trusted", true, 0, ""},
		{"TLS 1.2", true, tls.VersionTLS12, ""},
		{"unknown authority", false, 0, ReasonTLS},
		{"TLS 1.1", true, tls.VersionTLS11, ReasonTLS},
	} {
		server, proto := startTLSReceiver(t, c.maxVersion)
		sender := NewSender(loopbackOnly, testKey(t))
		if c.trusted {
			roots := x509.NewCertPool()
			roots.AddCert(server.Certificate())
			sender.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = roots
		}
		err := sender.Send(t.Context(), "M0", server.URL, testMessage(), nil)
		switch {
		case c.want != "":
			wantReason(t, err, c.want)
		case err != nil:
			t.Errorf("%s: got error %v, want none", c.name, err)
		case proto.Load() != 2:
			t.Errorf("%s: got HTTP/%d, want HTTP/2", c.name, proto.Load())
		}
	}
}

func startTLSReceiver(t *testing.T, maxVersion uint16) (*httptest.Server, *atomic.Int64) {
	proto := &atomic.Int64{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		proto.Store(int64(r.ProtoMajor))
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // failed handshakes are the point
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: maxVersion}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, proto
}

func TestDeliveryError_SafeToLog(t *testing.T) {
	t.Parallel()
	send, _ := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "stack trace of the merchant", http.StatusInternalServerError)
	})
	err := send(t.Context())
	if got, want := err.Error(), "webhook: not delivered: status 500"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := errors.Unwrap(err); got != nil {
		t.Errorf("got an error around %v, which may quote the URL, want none in it", got)
	}
}

func TestSend_UnsignableMessage(t *testing.T) {
	t.Parallel()
	listener := listen(t, "127.0.0.1:0")
	target := "http://" + listener.addr.String() + "/"
	if err := NewSender(loopbackOnly, testKey(t)).Send(t.Context(), "M0", target, Message{}, nil); !errors.Is(err,
		ErrMessage) {
		t.Errorf("got %v, want ErrMessage", err)
	}
	if err := NewSender(loopbackOnly, SigningKey{}).Send(t.Context(), "M0", target, testMessage(), nil); !errors.Is(err,
		ErrNoKey) {
		t.Errorf("got %v, want ErrNoKey", err)
	}
	if got := listener.accepts.Load(); got != 0 {
		t.Errorf("got %d connections, want none", got)
	}
}

func TestNewTransport_NoProxyNoOldTLS(t *testing.T) {
	t.Parallel()
	transport := newTransport(newDialer(Policy{}))
	if transport.Proxy != nil {
		t.Error("got a proxy, which would connect in the guard's place, want none")
	}
	if got := transport.TLSClientConfig; got.MinVersion != tls.VersionTLS12 || got.InsecureSkipVerify {
		t.Errorf("got %s, InsecureSkipVerify %t, want TLS 1.2, InsecureSkipVerify false", tls.VersionName(got.MinVersion),
			got.InsecureSkipVerify)
	}
}
