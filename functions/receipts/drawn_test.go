package receipts

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/rest"
)

// TestTag_EachField checks that a change of any field of a sheet changes the tag. Another commit changes the tag, too.
func TestTag_EachField(t *testing.T) {
	t.Parallel()
	first := sampled("de")
	tag := first.tag("commit")
	if again := sampled("de"); again.tag("commit") != tag {
		t.Errorf("the same receipt: got %s and %s, want one tag", tag, again.tag("commit"))
	}
	if first.tag("another") == tag {
		t.Error("other code: got the same tag, want another")
	}
	other := sheet{language: "pt", file: "x", refund: !first.refund, test: !first.test, state: "x",
		merchant: []string{"x"}, amount: "x", facts: []fact{{"x", "y"}}, lines: []line{{name: "x"}},
		rates: []rate{{percent: "x"}},
		sums:  []fact{{"x", "y"}}, refunds: []fact{{"x", "y"}}, at: first.at.Add(time.Second)}
	changes := map[string]func(*sheet){
		"language": func(s *sheet) { s.language = other.language }, "file": func(s *sheet) { s.file = other.file },
		"refund": func(s *sheet) { s.refund = other.refund }, "test": func(s *sheet) { s.test = other.test },
		"state": func(s *sheet) { s.state = other.state }, "merchant": func(s *sheet) { s.merchant = other.merchant },
		"amount": func(s *sheet) { s.amount = other.amount }, "facts": func(s *sheet) { s.facts = other.facts },
		"lines": func(s *sheet) { s.lines = other.lines }, "rates": func(s *sheet) { s.rates = other.rates },
		"sums": func(s *sheet) { s.sums = other.sums }, "refunds": func(s *sheet) { s.refunds = other.refunds },
		"at": func(s *sheet) { s.at = other.at },
	}
	for i := range reflect.TypeFor[sheet]().NumField() {
		field := reflect.TypeFor[sheet]().Field(i).Name
		if field == "words" { // the language determines the words
			continue
		}
		changed := sampled("de")
		if changes[field] == nil {
			t.Errorf("%s: want it in this test", field)
		} else if changes[field](&changed); changed.tag("commit") == tag {
			t.Errorf("%s: got the same tag, want another", field)
		}
	}
}

// TestShowPDF_Cached checks that a second request for an unchanged receipt gets the PDF from the cache.
func TestShowPDF_Cached(t *testing.T) {
	t.Parallel()
	f := family{pdfs: newPDFCache(), commit: "commit"}
	first, err := f.showPDF(t.Context(), sampled("de"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.showPDF(t.Context(), sampled("de"))
	if err != nil || &again.Body[0] != &first.Body[0] || again.ETag != first.ETag {
		t.Errorf("again: got another PDF or an error (%v), want the kept one", err)
	}
	if drawn := draw(t, sampled("de")); !bytes.Equal(again.Body, drawn) {
		t.Error("got another PDF than is drawn")
	}
	changed := sampled("de")
	changed.amount = "1,00 €"
	if other, err := f.showPDF(t.Context(), changed); err != nil || bytes.Equal(other.Body, first.Body) {
		t.Errorf("changed: got the same PDF or an error (%v), want another", err)
	}
}

// TestPDFCache_Limit checks that the cache drops the least recently used PDF first. It does not store a PDF that is too
// large.
func TestPDFCache_Limit(t *testing.T) {
	t.Parallel()
	d := newPDFCache()
	const each = maxCacheSize / 4
	for i := range 4 {
		d.put(fmt.Sprint(i), make([]byte, each))
	}
	d.get("0")
	d.put("0", make([]byte, each))
	d.put("4", make([]byte, each))
	for tag, want := range map[string]bool{"0": true, "1": false, "2": true, "3": true, "4": true} {
		if got := d.get(tag) != nil; got != want {
			t.Errorf("%s: got kept %t, want %t", tag, got, want)
		}
	}
	d.put("large", make([]byte, maxCacheSize+1))
	if d.size != maxCacheSize || len(d.byTag) != 4 || d.used.Len() != 4 {
		t.Errorf("got %d bytes in %d PDFs, want the four as before", d.size, len(d.byTag))
	}
}

// BenchmarkShowPDF compares rendering a PDF with showing a cached PDF.
func BenchmarkShowPDF(b *testing.B) {
	s := sampled("de")
	for name, f := range map[string]func() (rest.Document, error){
		"drawn": func() (rest.Document, error) {
			return family{pdfs: newPDFCache()}.showPDF(b.Context(), s)
		},
		"kept": func() func() (rest.Document, error) {
			f := family{pdfs: newPDFCache()}
			return func() (rest.Document, error) { return f.showPDF(b.Context(), s) }
		}(),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
