package file_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/file"
)

// First bytes of each format; mach is a Mac's program.
const (
	pdf  = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF\x00"
	heic = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"
	elf  = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00"
	pe   = "MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00"
	mach = "\xcf\xfa\xed\xfe\x07\x00\x00\x01"
	zip  = "PK\x03\x04\x14\x00\x00\x00\x08\x00"
)

// extensions has one extension of each type.
var extensions = map[string]string{file.PDF: ".pdf", file.PNG: ".png", file.JPEG: ".jpg", file.HEIC: ".heic",
	file.CSV: ".csv", file.Text: ".txt"}

// sumOf returns the checksum of content.
func sumOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// fileOf returns a file of a type with the content.
func fileOf(t *testing.T, contentType, content string) file.File {
	t.Helper()
	f, err := file.New("file_1", "files/00", given(func(g *file.Given) {
		g.Name, g.ContentType, g.Size = "a"+extensions[contentType], contentType, int64(len(content))
		g.SHA256 = sumOf(content)
	}), now)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// uploadedObject returns an object of a type with the content.
func uploadedObject(contentType, content string) file.Object {
	return file.Object{Revision: "rev", Size: int64(len(content)), ContentType: contentType,
		Content: io.NopCloser(iotest.OneByteReader(strings.NewReader(content)))}
}

// TestInspect_Types checks that content is accepted only as the types that it can have.
func TestInspect_Types(t *testing.T) {
	t.Parallel()
	text := []string{file.CSV, file.Text}
	for name, c := range map[string]struct {
		content string
		types   []string
	}{
		"PDF":                           {pdf, []string{file.PDF}},
		"PNG":                           {png, []string{file.PNG}},
		"an animated PNG":               {png + strings.Repeat("\x00", 21) + "acTL", []string{file.PNG}},
		"JPEG":                          {jpeg, []string{file.JPEG}},
		"HEIC":                          {heic, []string{file.HEIC}},
		"HEIC of several pictures":      {strings.Replace(heic, "ftypheic", "ftyphevc", 1), []string{file.HEIC}},
		"HEIF":                          {strings.Replace(heic, "ftypheic", "ftypmif1", 1), []string{file.HEIC}},
		"AVIF":                          {strings.Replace(heic, "ftypheic", "ftypavif", 1), nil},
		"MP4":                           {strings.Replace(heic, "ftypheic", "ftypisom", 1), nil},
		"CSV":                           {"a;b\r\n1;\"ä\"\r\n", text},
		"text":                          {"Grüße\tan\nalle 🎉", text},
		"text after a byte order mark":  {"\ufeffa,b\n1,2\n", text},
		"text like a picture":           {"BMW,GIF89a\n", text},
		"text about PDFs":               {"they begin with %PDF-1.7", text},
		"JSON":                          {`{"a":[1]}`, text},
		"a letter with <b>":             {"a <b>letter</b>", text},
		"text below 5":                  {"<5,6\n", text},
		"text in UTF-16":                {"\xff\xfea\x00b\x00", nil},
		"text in Latin 1":               {"Gr\xfc\xdfe", nil},
		"text with half a character":    {"Gr\xc3", nil},
		"text with a surrogate":         {"a\xed\xa0\x80", nil},
		"text with a longer form":       {"a\xc0\xaf", nil},
		"text with a NUL":               {"a\x00b", nil},
		"text with an escape":           {"a\x1b[2Jb", nil},
		"text with a later control":     {"a\u0085b", nil},
		"text with DEL":                 {"a\x7fb", nil},
		"text with a NUL far behind":    {strings.Repeat("a", 10_000) + "\x00", nil},
		"a program for Linux":           {elf, nil},
		"a program for Windows":         {pe, nil},
		"a program for a Mac":           {mach, nil},
		"one for Mac's two processors":  {"\xca\xfe\xba\xbe\x00\x00\x00\x02", nil},
		"Java":                          {"\xca\xfe\xba\xbe\x00\x00\x00\x41", nil},
		"WebAssembly":                   {"\x00asm\x01\x00\x00\x00", nil},
		"a script":                      {"#!/bin/sh\nrm -rf /\n", nil},
		"a script after a mark":         {"\ufeff#!/bin/sh\n", nil},
		"a program all in letters":      {"MZabcdefgh", nil},
		"a page":                        {"<!DOCTYPE html><script>alert(1)</script>", nil},
		"a page further down":           {"\ufeff \r\n\t<script>alert(1)</script>", nil},
		"a page after two marks":        {"\ufeff\ufeff<html>", nil},
		"a page after other blanks":     {"\u00a0\u2003\u3000\ufeff <html>", nil},
		"a page behind many blanks":     {strings.Repeat(" ", 10_000) + "<html>", nil},
		"a script after a blank":        {"\n #!/bin/sh\n", nil},
		"nothing but blanks":            {"\ufeff \n", text},
		"text with a formula":           {"=1+1,a\n", text},
		"a page like another format":    {"<html>" + strings.Repeat("a", 54) + "BOOKMOBI", nil},
		"a page like a PDF":             {"<html>%PDF-1.7", nil},
		"a picture with a script":       {`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, nil},
		"XML":                           {`<?xml version="1.0"?><a/>`, nil},
		"PHP":                           {"<?php system($_GET[0]);", nil},
		"PostScript":                    {"%!PS-Adobe-3.0\n", nil},
		"RTF":                           {`{\rtf1\ansi}`, nil},
		"a PDF all in letters":          {"%PDF-1.7\n1 0 obj\n", []string{file.PDF}},
		"an archive":                    {zip, nil},
		"an archive after a PDF":        {pdf + zip, []string{file.PDF}},
		"a PDF after a program's start": {elf + pdf, nil},
		"one of Windows":                {pe + pdf, nil},
		"a PDF after a script's start":  {"#!/bin/sh\n" + pdf, nil},
		"a PDF in a picture":            {png + pdf, nil},
		"a HEIC that is a program":      {"MZ\x00\x00" + heic[4:], nil},
		"a HEIC that is a script":       {"#!/b" + heic[4:], nil},
		"the start of a picture":        {"\x89PNG", nil},
		"nothing that is known":         {"\x01\x02\x03\x04", nil},
	} {
		for _, contentType := range file.ContentTypes() {
			f := fileOf(t, contentType, c.content)
			seen, err := f.Inspect(uploadedObject(contentType, c.content))
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Contains(c.types, contentType)
			if got := f.Differs(seen); (got == "") != want {
				t.Errorf("%s as %s: got %q of %+v, want it taken: %t", name, contentType, got, seen, want)
			}
		}
	}
}

// TestDiffers checks the text about each difference.
func TestDiffers(t *testing.T) {
	t.Parallel()
	whole := pdf + strings.Repeat("a", 5000)
	f := fileOf(t, file.PDF, whole)
	same := func(f file.File) file.File { return f }
	for name, c := range map[string]struct {
		of     func(file.File) file.File
		object file.Object
		want   string
	}{
		"nothing": {same, uploadedObject(file.PDF, whole), ""},
		"shorter": {same, uploadedObject(file.PDF, whole[:20]), "The content has 20 bytes, not the size 5015."},
		"empty":   {same, uploadedObject(file.PDF, ""), "The content has 0 bytes, not the size 5015."},
		"longer":  {same, uploadedObject(file.PDF, whole+"a"), "The content has 5016 bytes, not the size 5015."},
		"much longer": {same, uploadedObject(file.PDF, whole+strings.Repeat("a", 9000)),
			"The content has 14015 bytes, not the size 5015."},
		"other bytes": {same, uploadedObject(file.PDF, whole[:5014]+"b"), "The content has the SHA-256 " +
			sumOf(whole[:5014]+"b") + ", not the checksum_sha256 " + sumOf(whole) + "."},
		"other bytes without a checksum": {func(f file.File) file.File { f.SHA256 = ""; return f },
			uploadedObject(file.PDF, whole[:5014]+"b"), ""},
		"stored as another type": {same, uploadedObject("text/html", whole),
			"The content was uploaded with another type than the content_type application/pdf."},
		"stored as encoded": {same, file.Object{Size: 5015, ContentType: file.PDF, Encoding: "br",
			Content: io.NopCloser(strings.NewReader(whole))}, "The content was uploaded with a Content-Encoding."},
		"stored as not encoded": {same, file.Object{Size: 5015, ContentType: file.PDF, Encoding: "identity",
			Content: io.NopCloser(strings.NewReader(whole))}, "The content was uploaded with a Content-Encoding."},
		"of another type": {func(f file.File) file.File { f.SHA256 = ""; return f },
			uploadedObject(file.PDF, elf+strings.Repeat("a", 5015-len(elf))),
			"The content is not of the content_type application/pdf."},
	} {
		one := c.of(f)
		seen, err := one.Inspect(c.object)
		got := one.Differs(seen)
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestInspect_Seen(t *testing.T) {
	t.Parallel()
	f := fileOf(t, file.CSV, "a,b\n")
	encoded := uploadedObject(file.CSV, "a,b\n")
	encoded.Encoding = "br"
	seen, err := f.Inspect(encoded)
	want := file.Content{Revision: "rev", Size: 4, SHA256: f.SHA256, Type: file.CSV, Stored: file.CSV,
		Encoding: "br"}
	if diff := cmp.Diff(want, seen); err != nil || diff != "" {
		t.Errorf("got error %v, (-want +got):\n%s", err, diff)
	}
}

// TestInspect_Unreadable checks that a failed read proves nothing about the content.
func TestInspect_Unreadable(t *testing.T) {
	t.Parallel()
	f, broken := fileOf(t, file.CSV, "a,b\n"), errors.New("the line dropped")
	content := io.MultiReader(strings.NewReader("a,"), iotest.ErrReader(broken))
	if _, err := f.Inspect(file.Object{Size: 4, ContentType: file.CSV, Content: io.NopCloser(content)}); !errors.Is(err,
		broken) {
		t.Errorf("got error %v, want %v", err, broken)
	}
	for _, part := range []string{"", "a,b"} { // also when the connection just ends
		cut := uploadedObject(file.CSV, part)
		cut.Size = 4
		if _, err := f.Inspect(cut); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: got error %v, want %v", part, err, io.ErrUnexpectedEOF)
		}
	}
}

// FuzzText checks that content counts as text exactly if it is valid UTF-8 without control characters, however the
// content is split.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"a,b\n", "Grüße 🎉", "a\xffb", "\xf0\x9f", "\ufffd", "a\x00"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, content string, whole bool) {
		content = "text " + content
		one := fileOf(t, file.Text, content)
		o := uploadedObject(file.Text, content)
		if whole { // otherwise byte by byte
			o.Content = io.NopCloser(strings.NewReader(content))
		}
		seen, err := one.Inspect(o)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ToValidUTF8(content, "\x00") == content && !strings.ContainsFunc(content, func(r rune) bool {
			return r < ' ' && !strings.ContainsRune("\t\r\n", r) || r >= 0x7f && r < 0xa0
		})
		if (seen.Type == file.Text) != want {
			t.Errorf("got type %s of %q, want text: %t", seen.Type, content, want)
		}
	})
}
