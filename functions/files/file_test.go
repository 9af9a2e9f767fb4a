package files_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

// fileBody returns the body of a request for a file. The fields in more replace its fields.
func fileBody(more fields) fields {
	body := fields{"filename": "contract.pdf", "content_type": "application/pdf", "size": len(world.PDF)}
	maps.Copy(body, more)
	return body
}

func TestCreateFile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := s.createCollection("Onboarding")
	sum := world.SHA256(world.PDF)
	var made []world.File
	for _, one := range []struct {
		more fields
		want world.File
	}{
		{nil, world.File{Filename: "contract.pdf", ContentType: "application/pdf", Size: int64(len(world.PDF))}},
		{fields{"filename": "Bild.JPEG", "content_type": "image/jpeg", "size": 26214400, "checksum_sha256": sum,
			"collection_id": c.ID, "metadata": fields{"year": 2026}},
			world.File{Filename: "Bild.JPEG", ContentType: "image/jpeg", Size: 26214400, SHA256: sum, Collection: c.ID,
				Metadata: fields{"year": 2026.0}}},
		{fields{"filename": "ä b.v2.txt", "content_type": "text/plain", "size": 1,
			"checksum_sha256": strings.ToUpper(sum), "collection_id": "", "metadata": fields{}, "status": "uploaded",
			"id": "file_x", "download_url": "https://example.com"},
			world.File{Filename: "ä b.v2.txt", ContentType: "text/plain", Size: 1, SHA256: sum}},
		{fields{"filename": strings.Repeat("ä", 250) + ".heif", "content_type": "image/heic", "checksum_sha256": nil,
			"collection_id": nil, "metadata": nil}, world.File{Filename: strings.Repeat("ä", 250) + ".heif",
			ContentType: "image/heic", Size: int64(len(world.PDF))}},
	} {
		s.Clock.Advance(time.Second)
		got := s.ShownFile(201, s.Send("POST", s.FilesPath(), fileBody(one.more)))
		want := one.want
		want.ID, want.Status, want.Upload = got.ID, "pending", got.Upload
		want.CreatedAt, want.UpdatedAt = s.ShownNow(), s.ShownNow()
		if diff := cmp.Diff(want, got); diff != "" || !regexp.MustCompile(`^file_[0-9a-z]{26}$`).MatchString(got.ID) {
			t.Errorf("%v: id %s (-want +got):\n%s", one.more, got.ID, diff)
		}
		got.Upload = nil
		if diff := cmp.Diff(got, s.readFile(got.ID)); diff != "" {
			t.Errorf("%v: read (-want +got):\n%s", one.more, diff)
		}
		made = append(made, got)
	}
	if diff := cmp.Diff(page[world.File]{made, len(made)}, s.listFiles("")); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if got := s.readCollection(c.ID); got.Files != 1 {
		t.Errorf("got %+v, want one file in it", got)
	}
}

func TestCreateFile_Invalid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	sum := world.SHA256("x")
	for what, c := range map[string]struct {
		more fields
		want world.Refusal
	}{
		"no name":             {fields{"filename": nil}, world.Missing("filename")},
		"an empty name":       {fields{"filename": ""}, world.Missing("filename")},
		"a long name":         {fields{"filename": strings.Repeat("a", 252) + ".pdf"}, world.Invalid("filename")},
		"a name in a folder":  {fields{"filename": "a/b.pdf"}, world.Invalid("filename")},
		"a name above":        {fields{"filename": `..\b.pdf`}, world.Invalid("filename")},
		"a name of two lines": {fields{"filename": "a\r\nb.pdf"}, world.Invalid("filename")},
		"a reversed name":     {fields{"filename": "a\u202efdp.exe.pdf"}, world.Invalid("filename")},
		"an invisible letter": {fields{"filename": "a\u200b.pdf"}, world.Invalid("filename")},
		"a blank in front":    {fields{"filename": " a.pdf"}, world.Invalid("filename")},
		"a blank at the end":  {fields{"filename": "a.pdf "}, world.Invalid("filename")},
		"a name with a quote": {fields{"filename": `a"b.pdf`}, world.Invalid("filename")},
		"a hidden extension":  {fields{"filename": "a.exe  .pdf"}, world.Invalid("filename")},
		"only an extension":   {fields{"filename": ".pdf"}, world.Invalid("filename")},
		"no extension":        {fields{"filename": "pdf"}, world.Invalid("filename")},
		"another extension":   {fields{"filename": "a.pdf.exe"}, world.Invalid("filename")},
		"another type's":      {fields{"filename": "a.png"}, world.Invalid("filename")},
		"no type":             {fields{"content_type": nil}, world.Missing("content_type")},
		"a page":              {fields{"content_type": "text/html"}, world.Invalid("content_type")},
		"a type in capitals":  {fields{"content_type": "Application/PDF"}, world.Invalid("content_type")},
		"a type and more":     {fields{"content_type": "text/plain; charset=utf-8"}, world.Invalid("content_type")},
		"no size":             {fields{"size": nil}, world.Missing("size")},
		"size 0":              {fields{"size": 0}, world.Invalid("size")},
		"a negative size":     {fields{"size": -1}, world.Invalid("size")},
		"too large":           {fields{"size": 26214401}, world.Invalid("size")},
		"a text as size":      {fields{"size": "x"}, world.Invalid("size")},
		"half a byte":         {fields{"size": 1.5}, world.Invalid("size")},
		"a short checksum":    {fields{"checksum_sha256": sum[1:]}, world.Invalid("checksum_sha256")},
		"a long checksum":     {fields{"checksum_sha256": sum + "0"}, world.Invalid("checksum_sha256")},
		"no digit":            {fields{"checksum_sha256": "g" + sum[1:]}, world.Invalid("checksum_sha256")},
		"no collection":       {fields{"collection_id": "col_x"}, world.Invalid("collection_id")},
		"a long collection":   {fields{"collection_id": strings.Repeat("c", 3000)}, world.Invalid("collection_id")},
		"a number":            {fields{"collection_id": 1}, world.Invalid("collection_id")},
		"metadata of text":    {fields{"metadata": "x"}, world.Invalid("metadata")},
		"too much metadata":   {fields{"metadata": fields{"k": strings.Repeat("x", 4096)}}, world.Invalid("metadata")},
	} {
		if c.want.Check(t, s.Send("POST", s.FilesPath(), fileBody(c.more))); t.Failed() {
			t.Fatal(what)
		}
	}
	s.wantNothingLeft("afterwards")
}

// TestCreateFile_UploadLink checks that a link works only once, only until it expires, and only with its headers and
// the declared content.
func TestCreateFile_UploadLink(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	content := world.PDF
	f := s.NewFile(content, fields{"checksum_sha256": world.SHA256(content)})
	u := f.Upload
	if want := s.ShownNow().Add(15 * time.Minute); u.Method != "PUT" || !u.ExpiresAt.Equal(want) {
		t.Errorf("got %s until %s, want PUT until %s", u.Method, u.ExpiresAt, want)
	}
	names := slices.Sorted(maps.Keys(u.Headers))
	if diff := cmp.Diff([]string{"content-length", "content-type", "if-none-match", "x-amz-checksum-sha256"},
		names); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	other := s.NewFile(content, nil)
	changed := func(change func(u *world.Upload)) *world.Upload {
		c := *u
		c.Headers = maps.Clone(u.Headers)
		change(&c)
		return &c
	}
	moved := func(old, other string) *world.Upload {
		return changed(func(u *world.Upload) { u.URL = strings.Replace(u.URL, old, other, 1) })
	}
	refused := map[string]*world.Upload{
		"another method":  changed(func(u *world.Upload) { u.Method = "DELETE" }),
		"read":            changed(func(u *world.Upload) { u.Method = "GET" }),
		"another object":  moved(s.objectKey(f.ID), s.objectKey(other.ID)),
		"a new object":    moved(s.objectKey(f.ID), "files/x"),
		"another type":    changed(func(u *world.Upload) { u.Headers["content-type"] = "text/html" }),
		"a longer time":   moved("Expires=900", "Expires=9000"),
		"another ACL":     changed(func(u *world.Upload) { u.Headers["x-amz-acl"] = "public-read" }),
		"another version": changed(func(u *world.Upload) { u.URL += "&versionId=1" }),
	}
	for name := range u.Headers {
		if name != "content-length" {
			refused["without "+name] = changed(func(u *world.Upload) { delete(u.Headers, name) })
		}
	}
	for what, u := range refused {
		if got, body := s.Put(u, content); got < 400 || got >= 500 {
			t.Errorf("%s: got %d %s, want it refused", what, got, body)
		}
	}
	for what, wrong := range map[string]string{"shorter": content[1:], "longer": content + " ", "empty": "",
		"other bytes": strings.Replace(content, "Catalog", "catalog", 1)} {
		if got, body := s.Put(u, wrong); got < 400 || got >= 500 {
			t.Errorf("%s: got %d %s, want it refused", what, got, body)
		}
	}
	if got := s.Stored(); len(got) != 0 {
		t.Errorf("got objects %v, want none", got)
	}
	s.Clock.Advance(15*time.Minute - time.Second)
	s.put("in time", 200, u, content)
	s.put("once more", 412, u, content)
	s.Clock.Advance(time.Second)
	s.put("too late", 403, u, content)
	s.put("too late, of another", 403, other.Upload, content)
	if diff := cmp.Diff(map[string]int{s.objectKey(f.ID): 1}, s.Stored()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestRetrieveFile_DownloadLink downloads the checked content as an attachment with the file's name. The link lasts
// five minutes, and no changed link works.
func TestRetrieveFile_DownloadLink(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	f := s.UploadedFile(world.PDF, fields{"filename": `Vertrag 'Öl'; x.pdf`})
	if f.DownloadURL != "" {
		t.Errorf("completed: got a link, want none")
	}
	if got := s.listFiles("").Items[0]; got.DownloadURL != "" {
		t.Error("listed: got a link, want none")
	}
	link := s.readFile(f.ID).DownloadURL
	status, header, body := s.Get(link)
	if status != 200 || body != world.PDF {
		t.Errorf("got %d %s, want the content", status, body)
	}
	got := []string{header.Get("Content-Type"), header.Get("Content-Disposition")}
	want := []string{"application/pdf",
		`attachment; filename="Vertrag '_l'; x.pdf"; filename*=UTF-8''Vertrag%20%27%C3%96l%27%3B%20x.pdf`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	other := s.UploadedFile(world.PDF+"%", nil)
	for what, changed := range map[string]string{
		"another object": strings.Replace(link, s.objectKey(f.ID), s.objectKey(other.ID), 1),
		"another type":   strings.Replace(link, "application%2Fpdf", "text%2Fhtml", 1),
		"shown":          strings.Replace(link, "attachment", "inline", 1),
		"a longer time":  strings.Replace(link, "Expires=300", "Expires=9000", 1),
		"without a name": regexp.MustCompile(`&?response-content-disposition=[^&]*`).ReplaceAllString(link, ""),
		"the latest":     regexp.MustCompile(`&?versionId=[^&]*`).ReplaceAllString(link, ""),
		"unsigned":       link[:strings.Index(link, "?")],
	} {
		if status, _, body := s.Get(changed); changed == link || status != 403 {
			t.Errorf("%s: got %d %s, want 403", what, status, body)
		}
	}
	s.Clock.Advance(5*time.Minute - time.Second)
	if status, _, _ := s.Get(link); status != 200 {
		t.Errorf("in time: got %d, want 200", status)
	}
	s.Clock.Advance(time.Second)
	if status, _, _ := s.Get(link); status != 403 {
		t.Errorf("too late: got %d, want 403", status)
	}
	if status, _, body := s.Get(s.readFile(f.ID).DownloadURL); status != 200 || body != world.PDF {
		t.Errorf("another link: got %d %s, want the content", status, body)
	}
}

func TestListFiles_Filters(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.createCollection("a"), s.createCollection("b")
	pending, uploaded := s.NewFile(world.PDF, fields{"collection_id": a.ID}),
		s.UploadedFile(world.PDF, fields{"collection_id": a.ID})
	s.Clock.Advance(time.Second)
	elsewhere, loose := s.UploadedFile(world.PDF, fields{"collection_id": b.ID}), s.NewFile(world.PDF, nil)
	for query, want := range map[string][]world.File{
		"?status=pending":                             {pending, loose},
		"?status=uploaded":                            {uploaded, elsewhere},
		"?collection_id=" + a.ID:                      {pending, uploaded},
		"?collection_id=" + a.ID + "&status=uploaded": {uploaded},
		"?collection_id=" + b.ID + "&status=pending":  {},
		"?collection_id=col_x":                        {},
	} {
		got := s.listFiles(query)
		ids, wanted := map[string]bool{}, map[string]bool{}
		for _, f := range got.Items {
			ids[f.ID] = true
		}
		for _, f := range want {
			wanted[f.ID] = true
		}
		if diff := cmp.Diff(wanted, ids); diff != "" || got.Total != len(want) {
			t.Errorf("%s: total %d (-want +got):\n%s", query, got.Total, diff)
		}
	}
	for _, query := range []string{"?status=open", "?status=pending,uploaded", "?status=pending&status=uploaded",
		"?status=pending&status=pending"} {
		world.Invalid("status").Check(t, s.Send("GET", s.FilesPath()+query, nil))
	}
	for _, status := range []string{"closed", "archived"} {
		s.setStatus(a.ID, status)
		conflict.Check(t, s.Send("POST", s.FilesPath(), fileBody(fields{"collection_id": a.ID})))
	}
	if got := s.readCollection(a.ID); got.Files != 2 {
		t.Errorf("got %+v, want two files in it", got)
	}
}

// TestListFiles_ManyPages lists a thousand files. Each page costs one Query, and one BatchGetItem for the files shown.
func TestListFiles_ManyPages(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	const many = 1000
	c := s.createCollection("all")
	var want []string
	for i := range many {
		if i%3 == 0 {
			s.Clock.Advance(time.Millisecond)
		}
		s.storePending(file.ID(fmt.Sprint(i)), file.NewKey(), c.ID)
	}
	all, _, err := s.App.Store.Files(s.Context(), s.Tenant(), store.FileFilter{}, 0, many)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		want = append(want, f.ID)
	}
	var got []string
	s.Main().Meter.Reset()
	for offset := 0; offset < many; offset += 25 {
		p := s.listFiles(fmt.Sprintf("?limit=25&offset=%d&collection_id=%s", offset, c.ID))
		for _, f := range p.Items {
			got = append(got, f.ID)
		}
		calls := s.Main().Meter.Reset().Calls
		count := map[string]int{}
		for _, call := range calls {
			count[call]++
		}
		if p.Total != many || count["Query"] != 1 || count["BatchGetItem"] != 2 { // one BatchGetItem authenticates the caller
			t.Errorf("offset %d: got %d of %d by %v, want one query", offset, len(p.Items), p.Total, calls)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != many {
		t.Errorf("got %d (-want +got):\n%s", len(got), diff)
	}
}

// TestCreateFile_Replayed checks that a replayed reply shows no link. The world checks that neither table nor logs have
// the link's signature.
func TestCreateFile_Replayed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := world.Request{Method: "POST", Path: s.FilesPath(), IdempotencyKey: "k", Body: fileBody(nil)}
	made := s.ShownFile(201, s.Do(r))
	got := s.Do(r)
	if got.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("got %v, want it replayed", got.Header)
	}
	want := made
	if want.Upload = nil; made.Upload == nil {
		t.Error("made: got no link, want one")
	}
	if diff := cmp.Diff(want, s.ShownFile(201, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	conflictOfKeys := world.Refused(422, "IDEMPOTENCY_KEY_REUSED", "", "idempotency-key-reused")
	r.Body = fileBody(fields{"size": 1})
	conflictOfKeys.Check(t, s.Do(r))
}
