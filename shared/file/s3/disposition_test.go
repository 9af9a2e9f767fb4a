package s3

import (
	"mime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAttachment(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	want := map[string]string{
		"receipt.pdf": `attachment; filename="receipt.pdf"; filename*=UTF-8''receipt.pdf`,
		"a b.pdf":     `attachment; filename="a b.pdf"; filename*=UTF-8''a%20b.pdf`,
		"Quittung für 5 €.pdf": `attachment; filename="Quittung f_r 5 _.pdf"; ` +
			`filename*=UTF-8''Quittung%20f%C3%BCr%205%20%E2%82%AC.pdf`,
		`"; filename="evil.exe`: `attachment; filename="_; filename=_evil.exe"; ` +
			`filename*=UTF-8''%22%3B%20filename%3D%22evil.exe`,
		"it's 100%.pdf": `attachment; filename="it's 100_.pdf"; filename*=UTF-8''it%27s%20100%25.pdf`,
		"a\r\nSet-Cookie: b=c.pdf": `attachment; filename="a__Set-Cookie_ b=c.pdf"; ` +
			`filename*=UTF-8''a__Set-Cookie_%20b%3Dc.pdf`,
		"report\u202efdp.exe":  `attachment; filename="report_fdp.exe"; filename*=UTF-8''report_fdp.exe`,
		"../../etc/passwd.txt": `attachment; filename="_.._etc_passwd.txt"; filename*=UTF-8''_.._etc_passwd.txt`,
		`C:\Windows\a.txt`:     `attachment; filename="C__Windows_a.txt"; filename*=UTF-8''C__Windows_a.txt`,
		".htaccess.txt":        `attachment; filename="htaccess.txt"; filename*=UTF-8''htaccess.txt`,
		".pdf":                 `attachment; filename="file.pdf"; filename*=UTF-8''file.pdf`,
		"a\xff.pdf":            `attachment; filename="a_.pdf"; filename*=UTF-8''a_.pdf`,
		strings.Repeat("é", 255) + ".pdf": `attachment; filename="` + strings.Repeat("_", 125) + `.pdf"; ` +
			`filename*=UTF-8''` + strings.Repeat("%C3%A9", 125) + ".pdf",
	}
	for name := range want {
		got[name] = attachment(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAttachment_AnyName checks that any name makes an attachment with one valid file name.
func TestAttachment_AnyName(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := attachment(rapid.String().Draw(t, "name"))
		kind, parameters, err := mime.ParseMediaType(value)
		if err != nil || kind != "attachment" || len(parameters) != 1 {
			t.Fatalf("got %q, read as %s %v and error %v, want an attachment with one parameter", value, kind, parameters, err)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("got %q, want ASCII", value)
		}
		name := parameters["filename"]
		if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.HasPrefix(name, ".") ||
			strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Errorf("got the name %q, want one of a file", name)
		}
	})
}
