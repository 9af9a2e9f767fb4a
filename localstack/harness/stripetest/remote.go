package stripetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Remote is a server of Stripe's API, and a network to it.
type Remote struct {
	URL string // without a trailing slash
	Key string

	keyless func(operation string) bool // returns true for operations whose idempotency keys are left out
	unknown []string                    // parameters that the server does not know, which are left out
}

// RoundTrip implements http.RoundTripper. It sends a request to the server, whatever its host.
func (s *Remote) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := http.NewRequestWithContext(r.Context(), r.Method, s.URL+r.URL.RequestURI(), r.Body)
	if err != nil {
		return nil, err
	}
	sent.Header, sent.ContentLength = r.Header.Clone(), r.ContentLength
	sent.Header.Set("Authorization", "Bearer "+s.Key)
	if s.keyless != nil && s.keyless(Operation(r)) {
		sent.Header.Del("Idempotency-Key")
	}
	if s.unknown != nil {
		if err := s.leaveOut(sent); err != nil {
			return nil, err
		}
	}
	return http.DefaultTransport.RoundTrip(sent)
}

// leaveOut removes the parameters that the server does not know.
func (s *Remote) leaveOut(r *http.Request) error {
	r.URL.RawQuery = s.dropUnknown(r.URL.Query()).Encode()
	if r.Body == nil {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return err
	}
	text := s.dropUnknown(form).Encode()
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	return nil
}

// dropUnknown removes the parameters that the server does not know, and returns the rest.
func (s *Remote) dropUnknown(form url.Values) url.Values {
	maps.DeleteFunc(form, func(name string, _ []string) bool {
		name, _, _ = strings.Cut(name, "[")
		return slices.Contains(s.unknown, name)
	})
	return form
}

// WithoutKeys makes the network leave out the idempotency keys of the operations for which a function returns true.
func (s *Remote) WithoutKeys(of func(operation string) bool) { s.keyless = of }

// Authenticate does nothing, because the payer of a challenge would need a browser.
func (*Remote) Authenticate(context.Context, string, bool) error { return nil }

// call sends a request of the harness to the server.
func (s *Remote) call(ctx context.Context, method, path string, form url.Values) (int, []byte, error) {
	var body io.Reader
	if method == http.MethodGet {
		path += "?" + form.Encode()
	} else {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(ctx, method, "https://"+host+path, body)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := s.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// mustCall is like call, but returns an error for any status but 200.
func (s *Remote) mustCall(ctx context.Context, method, path string, form url.Values) ([]byte, error) {
	status, body, err := s.call(ctx, method, path, form)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("stripe: %s %s: %d %s", method, path, status, body)
	}
	return body, err
}

// Intent returns the intent with Stripe's id.
func (s *Remote) Intent(ctx context.Context, id string) (o Object, err error) {
	body, err := s.mustCall(ctx, http.MethodGet, "/v1/payment_intents/"+id, nil)
	if err == nil {
		err = json.Unmarshal(body, &o)
	}
	return o, err
}

// All returns all objects of a kind that were created at a time or later, for example all refunds.
func (s *Remote) All(ctx context.Context, kind string, since time.Time) ([]Object, error) {
	var all []Object
	query := url.Values{"limit": {"100"}, "created[gte]": {fmt.Sprint(since.Unix())}}
	for {
		if len(all) > 0 {
			query.Set("starting_after", all[len(all)-1]["id"].(string))
		}
		var page struct {
			Data    []Object `json:"data"`
			HasMore bool     `json:"has_more"`
		}
		body, err := s.mustCall(ctx, http.MethodGet, "/v1/"+kind, query)
		if err == nil {
			err = json.Unmarshal(body, &page)
		}
		if all = append(all, page.Data...); err != nil || !page.HasMore {
			return all, err
		}
	}
}

// Serve returns a handler that answers as a network does.
func Serve(network http.RoundTripper) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := network.RoundTrip(r)
		if err != nil {
			panic(http.ErrAbortHandler) // closes the connection
		}
		defer answer.Body.Close()
		maps.Copy(w.Header(), answer.Header)
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	})
}

// addAddress adds an address to a challenge, because some servers only have challenges for Stripe's script.
func addAddress(o Object) {
	if next, ok := o["next_action"].(Object); ok {
		next["redirect_to_url"] = Object{"url": "https://" + host + "/" + o["id"].(string)}
	}
}

// rewriteObject changes the object of a reply. A reply without an object stays as it is.
func rewriteObject(body []byte, change func(Object)) ([]byte, error) {
	var o Object
	if json.Unmarshal(body, &o) != nil {
		return body, nil
	}
	change(o)
	return json.Marshal(o)
}
