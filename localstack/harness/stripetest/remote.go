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
	URL     string // without a trailing slash
	Key     string
	unknown []string // parameters that the server does not know
}

// RoundTrip implements http.RoundTripper. It sends a request to the server, whatever its host.
func (l Remote) RoundTrip(r *http.Request) (*http.Response, error) {
	ours, err := http.NewRequestWithContext(r.Context(), r.Method, l.URL+r.URL.RequestURI(), r.Body)
	if err != nil {
		return nil, err
	}
	ours.Header, ours.ContentLength = r.Header.Clone(), r.ContentLength
	ours.Header.Set("Authorization", "Bearer "+l.Key)
	return http.DefaultTransport.RoundTrip(ours)
}

// Authenticate does nothing, because the payer of a challenge would need a browser.
func (Remote) Authenticate(context.Context, string, bool) error { return nil }

// call sends a request to the server. It gives a challenge an address, because localstripe only has challenges for
// Stripe's script.
func (l Remote) call(ctx context.Context, method, path string, form url.Values) (int, []byte, error) {
	sent := maps.Clone(form)
	maps.DeleteFunc(sent, func(name string, _ []string) bool {
		name, _, _ = strings.Cut(name, "[")
		return slices.Contains(l.unknown, name)
	})
	var body io.Reader
	if method == http.MethodGet {
		path += "?" + sent.Encode()
	} else {
		body = strings.NewReader(sent.Encode())
	}
	r, err := http.NewRequestWithContext(ctx, method, l.URL+path, body)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+l.Key)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, err
	}
	var o Object
	if json.Unmarshal(text, &o) != nil { // the reply has no object
		return answer.StatusCode, text, nil
	}
	if o["status"] == "canceled" {
		delete(o, "last_payment_error") // Stripe may forget why a cancelled intent failed
	}
	if next, ok := o["next_action"].(Object); ok {
		next["redirect_to_url"] = Object{"url": "https://" + host + "/" + o["id"].(string)}
	}
	text, err = json.Marshal(o)
	return answer.StatusCode, text, err
}

// mustCall is like call, but returns an error for any status but 200.
func (l Remote) mustCall(ctx context.Context, method, path string, form url.Values) ([]byte, error) {
	status, body, err := l.call(ctx, method, path, form)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("stripe: %s %s: %d %s", method, path, status, body)
	}
	return body, err
}

// Intent returns the intent with Stripe's id.
func (l Remote) Intent(ctx context.Context, id string) (o Object, err error) {
	body, err := l.mustCall(ctx, http.MethodGet, "/v1/payment_intents/"+id, nil)
	if err == nil {
		err = json.Unmarshal(body, &o)
	}
	return o, err
}

// All returns all objects of a kind that were created at a time or later, for example all refunds.
func (l Remote) All(ctx context.Context, kind string, since time.Time) ([]Object, error) {
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
		body, err := l.mustCall(ctx, http.MethodGet, "/v1/"+kind, query)
		if err == nil {
			err = json.Unmarshal(body, &page)
		}
		if all = append(all, page.Data...); err != nil || !page.HasMore {
			return all, err
		}
	}
}
