package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"
)

// TestRedoc_AsPublished checks that the embedded script is the published script, and that its licences are beside it.
func TestRedoc_AsPublished(t *testing.T) {
	t.Parallel()
	from, err := gzip.NewReader(bytes.NewReader(redocSource))
	if err != nil {
		t.Fatal(err)
	}
	source, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(source); hex.EncodeToString(sum[:]) != redocSum {
		t.Errorf("got SHA-256 %x of %d bytes, want %s", sum, len(source), redocSum)
	}
	for _, file := range []string{"redoc.LICENSE.txt", redoc + ".LICENSE.txt"} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "MIT") {
			t.Errorf("%s: got %.50s, error %v; want a licence", file, text, err)
		}
	}
}

// BenchmarkReadGuides measures the work that the first request of a process waits for.
func BenchmarkReadGuides(b *testing.B) {
	for b.Loop() {
		if _, err := newSite("https://pay.example").readGuides(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompressOpenAPI measures the work that the first request for openapi.yaml waits for.
func BenchmarkCompressOpenAPI(b *testing.B) {
	for b.Loop() {
		if _, err := newSite("https://pay.example").compressOpenAPI(); err != nil {
			b.Fatal(err)
		}
	}
}
