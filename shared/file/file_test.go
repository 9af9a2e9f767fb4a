package file_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

var (
	now    = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	tenant = identity.Tenant{Mode: identity.Test, Merchant: "MC1"}
)

// given returns a PDF within all limits, after the change.
func given(change func(*file.Given)) file.Given {
	g := file.Given{Name: "invoice.pdf", ContentType: file.PDF, Size: 10, SHA256: strings.Repeat("aB", 32),
		Collection: "col_1", Metadata: `{"a":1}`}
	change(&g)
	return g
}

func unchanged(*file.Given) {}

func TestNew(t *testing.T) {
	t.Parallel()
	got, err := file.New("file_1", "files/00", given(unchanged), now)
	want := file.File{ID: "file_1", Name: "invoice.pdf", ContentType: file.PDF, Size: 10,
		SHA256: strings.Repeat("ab", 32), Collection: "col_1", Metadata: `{"a":1}`, Status: file.Pending,
		Object: "files/00", CreatedAt: now, UpdatedAt: now}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("got error %v, (-want +got):\n%s", err, diff)
	}
	if at := got.UploadUntil(); !at.Equal(now.Add(15 * time.Minute)) {
		t.Errorf("got a link until %s, want 15 minutes", at)
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of     func(string) string
		prefix string
	}{"file": {file.ID, "file_"}, "collection": {file.CollectionID, "col_"}} {
		id := c.of("operation")
		form := regexp.MustCompile("^" + c.prefix + "[a-z2-7]{26}$")
		if id != c.of("operation") || id == c.of("another") || !form.MatchString(id) {
			t.Errorf("%s: got %s, want the same each time, and another for another operation", name, id)
		}
	}
	if file.ID("operation")[5:] == file.CollectionID("operation")[4:] {
		t.Error("got the same for a file and a collection")
	}
}

// TestNew_Invalid checks which field is refused; "" means that the file is valid.
func TestNew_Invalid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*file.Given)
		param  string
	}{
		"as it should be":            {unchanged, ""},
		"no checksum":                {func(g *file.Given) { g.SHA256 = "" }, ""},
		"the largest":                {func(g *file.Given) { g.Size = file.MaxSize }, ""},
		"a byte more":                {func(g *file.Given) { g.Size = file.MaxSize + 1 }, "size"},
		"empty":                      {func(g *file.Given) { g.Size = 0 }, "size"},
		"a negative size":            {func(g *file.Given) { g.Size = -1 }, "size"},
		"a short checksum":           {func(g *file.Given) { g.SHA256 = "ab" }, "checksum_sha256"},
		"half a digit":               {func(g *file.Given) { g.SHA256 = strings.Repeat("a", 63) }, "checksum_sha256"},
		"a checksum in base64":       {func(g *file.Given) { g.SHA256 = strings.Repeat("zz", 32) }, "checksum_sha256"},
		"another type":               {func(g *file.Given) { g.ContentType = "text/html" }, "content_type"},
		"a type with a parameter":    {func(g *file.Given) { g.ContentType = "text/csv; charset=utf-8" }, "content_type"},
		"a type in capitals":         {func(g *file.Given) { g.ContentType = "Text/CSV" }, "content_type"},
		"no type":                    {func(g *file.Given) { g.ContentType = "" }, "content_type"},
		"a program's extension":      {func(g *file.Given) { g.Name = "invoice.pdf.exe" }, "filename"},
		"another type's extension":   {func(g *file.Given) { g.Name = "invoice.png" }, "filename"},
		"two extensions, the last":   {func(g *file.Given) { g.Name = "invoice.exe.pdf" }, ""},
		"an extension in capitals":   {func(g *file.Given) { g.Name = "INVOICE.PDF" }, ""},
		"other letters":              {func(g *file.Given) { g.Name = "請求書 №1 é'.pdf" }, ""},
		"255 characters":             {func(g *file.Given) { g.Name = strings.Repeat("é", 251) + ".pdf" }, ""},
		"256 characters":             {func(g *file.Given) { g.Name = strings.Repeat("é", 252) + ".pdf" }, "filename"},
		"no name":                    {func(g *file.Given) { g.Name = "" }, "filename"},
		"only an extension":          {func(g *file.Given) { g.Name = ".pdf" }, "filename"},
		"a blank before it":          {func(g *file.Given) { g.Name = "\u00a0.pdf" }, "filename"},
		"no extension":               {func(g *file.Given) { g.Name = "pdf" }, "filename"},
		"a folder":                   {func(g *file.Given) { g.Name = "../invoice.pdf" }, "filename"},
		"a folder of Windows":        {func(g *file.Given) { g.Name = `..\invoice.pdf` }, "filename"},
		"a new line":                 {func(g *file.Given) { g.Name = "a\r\nSet-Cookie: b.pdf" }, "filename"},
		"a NUL":                      {func(g *file.Given) { g.Name = "a.exe\x00.pdf" }, "filename"},
		"a control character, later": {func(g *file.Given) { g.Name = "a\u0085b.pdf" }, "filename"},
		"a line separator":           {func(g *file.Given) { g.Name = "a\u2028b.pdf" }, "filename"},
		"a reversed end":             {func(g *file.Given) { g.Name = "a\u202eexe.pdf" }, "filename"},
		"an isolate":                 {func(g *file.Given) { g.Name = "a\u2066b.pdf" }, "filename"},
		"something that is not seen": {func(g *file.Given) { g.Name = "a\u200bb.pdf" }, "filename"},
		"no UTF-8":                   {func(g *file.Given) { g.Name = "a\xffb.pdf" }, "filename"},
		"a blank first":              {func(g *file.Given) { g.Name = " a.pdf" }, "filename"},
		"a blank last":               {func(g *file.Given) { g.Name = "a.pdf " }, "filename"},
		"another blank":              {func(g *file.Given) { g.Name = "a\u00a0b.pdf" }, "filename"},
		"two blanks in a row":        {func(g *file.Given) { g.Name = "a.exe  .pdf" }, "filename"},
		"blanks apart":               {func(g *file.Given) { g.Name = "a b c.pdf" }, ""},
		"a letter like a blank":      {func(g *file.Given) { g.Name = "a.exe\u3164.pdf" }, "filename"},
		"only such a letter":         {func(g *file.Given) { g.Name = "\uffa0.pdf" }, "filename"},
		"Braille without a dot":      {func(g *file.Given) { g.Name = "\u2800.pdf" }, "filename"},
		"only dots":                  {func(g *file.Given) { g.Name = "...pdf" }, "filename"},
		"only a mark that joins":     {func(g *file.Given) { g.Name = "\u034f.pdf" }, "filename"},
		"one digit":                  {func(g *file.Given) { g.Name = "٣.pdf" }, ""},
		"a stream of a file":         {func(g *file.Given) { g.Name = "a.exe:.pdf" }, "filename"},
		"a quote":                    {func(g *file.Given) { g.Name = `a"b.pdf` }, "filename"},
		"a dot last":                 {func(g *file.Given) { g.Name = "a.pdf." }, "filename"},
	} {
		_, err := file.New("file_1", "files/00", given(c.change), now)
		if got := failure.Of(err); err != nil && got.Param != c.param || (err == nil) != (c.param == "") {
			t.Errorf("%s: got error %v, want one of %q", name, err, c.param)
		}
	}
}

// TestNew_Extensions checks the extensions of contract §8.3.
func TestNew_Extensions(t *testing.T) {
	t.Parallel()
	allowed := map[string]string{"pdf": file.PDF, "png": file.PNG, "jpg": file.JPEG, "jpeg": file.JPEG,
		"heic": file.HEIC, "heif": file.HEIC, "csv": file.CSV, "txt": file.Text}
	for extension, own := range allowed {
		for _, contentType := range file.ContentTypes() {
			_, err := file.New("file_1", "files/00", given(func(g *file.Given) {
				g.Name, g.ContentType = "a."+extension, contentType
			}), now)
			if (err == nil) != (contentType == own) {
				t.Errorf("%s of %s: got error %v, want one unless it is %s", extension, contentType, err, own)
			}
		}
	}
}

// TestNew_NameHidesNothing checks that any accepted name is one line in one folder, and ends in the extension.
func TestNew_NameHidesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name") + rapid.SampledFrom([]string{".pdf", ".PDF", "", " "}).Draw(t, "end")
		_, err := file.New("file_1", "files/00", given(func(g *file.Given) { g.Name = name }), now)
		safe := regexp.MustCompile(`^[^/\\<>:"|?*\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*[\pL\p{Nd}].*\.(?i:pdf)$`).MatchString(name)
		if err == nil && !safe {
			t.Errorf("got %q taken, want it refused", name)
		}
	})
}

func TestFile_CompleteAndMove(t *testing.T) {
	t.Parallel()
	before, err := file.New("file_1", "files/00", given(unchanged), now)
	if err != nil {
		t.Fatal(err)
	}
	later := now.Add(time.Hour)
	seen := file.Content{Revision: "rev", Size: 10, SHA256: "sum", Type: file.PDF, Stored: file.PDF}
	done := before.Complete(seen, later)
	want := before
	want.Status, want.SHA256, want.Revision, want.UploadedAt, want.UpdatedAt = file.Uploaded, "sum", "rev", later, later
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("completed (-want +got):\n%s", diff)
	}
	if again := done.Complete(file.Content{Revision: "another"}, later.Add(time.Hour)); again != done {
		t.Errorf("completed again: got %+v, want it as it is", again)
	}
	if same := done.Move("col_1", later.Add(time.Hour)); same != done {
		t.Errorf("moved to where it is: got %+v, want it as it is", same)
	}
	moved := done.Move("", later.Add(time.Hour))
	want.Collection, want.UpdatedAt = "", later.Add(time.Hour)
	if diff := cmp.Diff(want, moved); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
}
