package rest_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
)

func TestReadBody_Gzip(t *testing.T) {
	t.Parallel()
	f := echoFixture(t)
	packed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	fits, above := `{"x":"`+strings.Repeat("a", 1<<20-8)+`"}`, strings.Repeat(" ", 8<<20)
	body := packed(`{"name":"a"}`)
	for _, c := range []struct {
		coding, body string
		status       int
	}{
		{"gzip", body, 200}, {"GZIP", body, 200}, {"x-gzip", body, 200}, {"identity", `{"name":"a"}`, 200},
		{"gzip", "", 200}, {"gzip", packed("\ufeff{}"), 200}, {"gzip", packed(fits), 200},
		{"gzip", packed(fits + " "), 413}, {"gzip", packed(above), 413},
		{"gzip", `{"name":"a"}`, 400}, {"gzip", body[:len(body)-9], 400}, {"gzip", packed("{"), 400},
		{"deflate", body, 415}, {"br", body, 415}, {"gzip, gzip", packed(body), 415},
	} {
		w := f.ask("POST", "/things/1", c.body, "Content-Encoding: "+c.coding)
		if w.Code != c.status {
			t.Errorf("%s %.20q: got %d %.300s, want %d", c.coding, c.body, w.Code, w.Body, c.status)
		}
		if taken := w.Header().Get("Accept-Encoding"); w.Code == 415 && taken != "gzip" {
			t.Errorf("%s: got Accept-Encoding %q, want gzip", c.coding, taken)
		}
	}
	w := f.ask("POST", "/things/1", body, "Content-Encoding: gzip")
	if !strings.Contains(w.Body.String(), `\"name\":\"a\"`) {
		t.Errorf("got %s, want the name a", w.Body)
	}
}

func TestReadBody_OverOneMebibyte(t *testing.T) {
	t.Parallel()
	f := echoFixture(t)
	fits := `{"x":"` + strings.Repeat("a", 1<<20-8) + `"}`
	if w := f.ask("POST", "/things/1", fits); w.Code != http.StatusOK {
		t.Errorf("1 MiB: got %d %.200s, want 200", w.Code, w.Body)
	}
	if w := f.ask("POST", "/things/1", fits+" "); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("1 MiB + 1: got %d %.200s, want 413", w.Code, w.Body)
	}
}
