// Package control lets local processes reach each other beside the API: commands reach the platform, the platform a
// card terminal, and a terminal the acquirer. A message is a PUT to 127.0.0.1, which no web page can send there, with a
// token from a private file.
package control

import (
	"context"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
)

// Host is where messages go, and the token that admits who sends them.
type Host struct{ Address, Token string }

// Admitted answers those who have the token.
func Admitted(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
			http.Error(w, "the token is not right", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Put sends a message. The caller closes the answer's body. Errors: those of [http.Client.Do].
func (h Host) Put(ctx context.Context, path string, message io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, h.Address+path, message)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+h.Token)
	r.Close = true // a connection kept from before may be closed by now, which would look like a lost answer
	return http.DefaultClient.Do(r)
}

// Serve answers on a free local port until the server is closed, and returns its address. ended is closed afterwards.
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
