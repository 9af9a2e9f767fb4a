package rest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/rest"
)

// compress returns a text in gzip.
func compress(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	to := gzip.NewWriter(&b)
	if _, err := to.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// documentRoute returns a route that answers the document.
func documentRoute(d rest.Document, access rest.Access) []rest.Route {
	return []rest.Route{{Method: "GET", Path: "/document", Access: access,
		Handle: rest.Page(func(context.Context, struct{}) (rest.Document, error) { return d, nil })}}
}

// TestDocument_Compression checks that a document is compressed only if the client names gzip and does not refuse it.
func TestDocument_Compression(t *testing.T) {
	t.Parallel()
	small := compress(t, "text")
	f := newFixture(t, documentRoute(rest.Document{ContentType: "text/plain", Gzip: small}, rest.Open),
		func(c *rest.Config) { c.Limits.Address = rest.Limit{Rate: 1000, Burst: 1000} })
	for accepted, want := range map[string]string{
		"": "", "gzip": "gzip", "GZip ": "gzip", "deflate, gzip, br": "gzip", "gzip;q=0.5": "gzip", "gzip ; Q=1": "gzip",
		"br": "", "*": "", "gzip;q=0": "", "gzip;q=0.000": "", "gzip;q=x": "", "xgzip": "", "identity, gzip;q=0": "",
		"gzip;q=0, gzip": "gzip", strings.Repeat(",;q=,", 20000): "",
	} {
		w := f.ask("GET", "/document", "", "Accept-Encoding: "+accepted)
		body := map[string]string{"": "text", "gzip": string(small)}[want]
		if got := w.Header().Get("Content-Encoding"); w.Code != 200 || got != want || w.Body.String() != body {
			t.Errorf("%.30q: got %d %q %q, want 200 %q %q", accepted, w.Code, got, w.Body, want, body)
		}
		if got := w.Header().Get("Vary"); got != "Accept-Encoding" {
			t.Errorf("%.30q: got Vary %q, want Accept-Encoding, for caches", accepted, got)
		}
	}
	w := f.ask("HEAD", "/document", "", "Accept-Encoding: gzip")
	if got, want := w.Header().Get("Content-Length"), strconv.Itoa(len(small)); got != want || w.Body.Len() != 0 {
		t.Errorf("HEAD: got length %s and %d bytes, want %s and none", got, w.Body.Len(), want)
	}
}

// TestDocument_CompressionOnSecretRoute checks that only Open routes compress, because other routes' operations read no
// header.
func TestDocument_CompressionOnSecretRoute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, documentRoute(rest.Document{ContentType: "text/plain", Gzip: compress(t, "text")}, rest.SecretOnly))
	w := f.ask("GET", "/document", "", "Accept-Encoding: gzip")
	if w.Code != 200 || w.Body.String() != "text" || w.Header().Get("Content-Encoding") != "" {
		t.Errorf("got %d %q %v, want 200 and the text", w.Code, w.Body, w.Header())
	}
}

func TestDocument_BrokenGzip(t *testing.T) {
	t.Parallel()
	for _, broken := range [][]byte{[]byte("text"), compress(t, "text")[:15]} {
		f := newFixture(t, documentRoute(rest.Document{ContentType: "text/plain", Gzip: broken}, rest.Open))
		if w := f.ask("GET", "/document", ""); w.Code != http.StatusInternalServerError {
			t.Errorf("got %d %q, want 500", w.Code, w.Body)
		}
	}
}

// TestDocument_CacheControl checks that caches may store immutable documents only.
func TestDocument_CacheControl(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]rest.Document{
		"no-store":                            {HTML: []byte("<p>x")},
		"public, max-age=31536000, immutable": {ContentType: "text/javascript", Body: []byte("x"), Immutable: true},
	} {
		f := newFixture(t, documentRoute(d, rest.Open))
		if diff := cmp.Diff([]string{want}, f.ask("GET", "/document", "").Header()["Cache-Control"]); diff != "" {
			t.Errorf("Cache-Control (-want +got):\n%s", diff)
		}
		if got := f.ask("GET", "/document?x=%zz", "").Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("an error: got Cache-Control %q, want no-store", got)
		}
	}
}

func TestAcceptsPage(t *testing.T) {
	t.Parallel()
	operation := func(ctx context.Context, _ emptyRequest) (bool, error) { return rest.AcceptsPage(ctx), nil }
	routes := []rest.Route{{Method: "GET", Path: "/page", Access: rest.Open, Handle: rest.JSON(200, operation)}}
	f := newFixture(t, routes, func(c *rest.Config) { c.Limits.Address = rest.Limit{Rate: 1000, Burst: 1000} })
	for accept, want := range map[string]string{
		"text/html": "true", "Text/HTML": "true", "text/html,application/xhtml+xml,*/*;q=0.8": "true",
		"application/json, text/html;level=1;q=0.1": "true", "text/html;q=0": "false", "*/*": "false", "text/*": "false",
		"": "false", "application/json": "false", "application/json;x=text/html": "false", "text/htmlx": "false",
	} {
		if w := f.ask("GET", "/page", "", "Accept: "+accept); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%q: got %d %s, want 200 %s", accept, w.Code, w.Body, want)
		}
	}
}

func TestBasePath(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{"https://pay.example": "", "https://shop.example/pay": "/pay", ":": ""} {
		if got := rest.BasePath(base); got != want {
			t.Errorf("%s: got %q, want %q", base, got, want)
		}
	}
}
