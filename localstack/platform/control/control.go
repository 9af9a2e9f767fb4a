// Package control sends messages between local processes, apart from the API: from commands to the platform, from the
// platform to a card terminal, and from a terminal to the acquirer. Host.Put sends a message. Serve runs the receiver's
// server. The server's handler must come from Admitted, which checks the token. A message is a PUT to 127.0.0.1 with a
// token from a private file. A web page cannot send a PUT there.
package control

import (
	"context"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
)

// Host is the address of a receiver of messages and the token that it requires.
type Host struct{ Address, Token string }

// Admitted returns a handler that passes requests on to the handler next if they have the token. It refuses all other
// requests.
func Admitted(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
			http.Error(w, "the token is not right", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Put sends a message. The caller closes the answer's body. Errors are those of [http.Client.Do].
func (h Host) Put(ctx context.Context, path string, message io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, h.Address+path, message)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+h.Token)
	r.Close = true // a reused connection may be closed by now, which would look like a lost answer
	return http.DefaultClient.Do(r)
}

// Serve runs s in the background on a free local port, and returns the address. After the caller has closed s, the
// server stops soon, and the channel ended is closed.
func Serve(s *http.Server) (address string, ended <-chan struct{}, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(listener)
	}()
	return "http://" + listener.Addr().String(), served, nil
}
