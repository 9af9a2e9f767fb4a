package files

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/shared/file"
)

// document is one file and the clients that use it.
type document struct {
	*fileTenant
	name     string
	kind     string // content type
	content  string // the right content
	checksum bool   // the merchant declares the content's checksum
	created  chan struct{}
	id       string      // set before created is closed
	upload   *uploadView // set before created is closed; nil if the reply was lost
}

type uploadView struct {
	Method, URL string
	Headers     map[string]string
}

// fileView is a file or a collection as clients see it.
type fileView struct {
	ID          string
	Filename    string
	Name        string
	ContentType string `json:"content_type"`
	Size        int
	Checksum    string `json:"checksum_sha256"`
	Collection  string `json:"collection_id"`
	Status      string
	Files       int `json:"files_count"`
	Upload      *uploadView
	DownloadURL string `json:"download_url"`
}

// contents to upload, by type.
var contents = map[string]string{
	file.PDF:  "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n",
	file.PNG:  "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01",
	file.Text: "Dear Sir or Madam,\nplease find the invoice.\n",
}

var extensions = map[string]string{file.PDF: ".pdf", file.PNG: ".png", file.Text: ".txt"} // file extensions, by type

const program = "MZ\x90\x00" // beginning of content that has none of the types

func checksumOf(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }

func (c *fileTenant) populate() {
	for n := range 1 + c.RNG.IntN(3) {
		kind := simulator.Pick(c.RNG, simulator.Sorted(contents))
		d := &document{fileTenant: c, name: fmt.Sprintf("%s-document-%d", c.Name, n), kind: kind, content: contents[kind],
			checksum: c.RNG.IntN(2) == 0, created: make(chan struct{})}
		c.documents = append(c.documents, d)
		c.StartClient(d.name+"-sender", 0, d.send)
		acts, many := []func(string, *rand.Rand){d.complete, d.move, d.remove, d.uploadAgain, d.download, d.spy, d.move,
			d.complete}, c.RNG.IntN(5)
		if c.files.narrow {
			acts, many = acts[:3], 1+many
		}
		for i := range many {
			act := acts[c.RNG.IntN(len(acts))]
			c.StartClient(d.name+"-other", i, func(actor string, rng *rand.Rand) {
				<-d.created
				c.Think(actor)
				c.wait(rng)
				act(actor, rng)
			})
		}
	}
	acts, many := []func(string, *rand.Rand){c.changeCollection, c.changeCollection, c.makeMoreCollections,
		c.listRecords}, c.RNG.IntN(4)
	switch {
	case c.others[1] > 0: // the tenant may have only one or two more collections
		acts, many = acts[2:3], 1+many
	case c.files.narrow:
		acts, many = acts[:2], 1+many
	}
	for i := range many {
		c.StartClient("clerk", i, acts[c.RNG.IntN(len(acts))])
	}
}

// wait lets time pass, sometimes until links have expired or the upload time of files is over.
func (c *fileTenant) wait(rng *rand.Rand) {
	of := 12
	if c.files.narrow {
		of = 48
	}
	switch rng.IntN(of) {
	case 0:
		c.Pass(file.UploadTime + time.Duration(rng.IntN(10)-5)*time.Second)
	case 1, 2, 3:
		c.Pass(time.Duration(rng.IntN(20_000)) * time.Millisecond)
	}
}

// pickCollection returns a collection, perhaps of another merchant, or "".
func (c *fileTenant) pickCollection(rng *rand.Rand) string {
	switch {
	case c.files.narrow && rng.IntN(4) > 0:
		return c.collections[0]
	case rng.IntN(12) == 0:
		return simulator.Pick(rng, c.files.tenants[len(c.files.tenants)-1].collections)
	}
	return simulator.Pick(rng, append([]string{""}, c.collections...))
}

// send creates the file, uploads its content and completes it.
func (d *document) send(actor string, rng *rand.Rand) {
	body := map[string]any{"filename": d.name + extensions[d.kind], "content_type": d.kind, "size": len(d.content)}
	if d.checksum {
		body["checksum_sha256"] = checksumOf(d.content)
	}
	if at := d.pickCollection(rng); at != "" {
		body["collection_id"] = at
	}
	r := client.Request{Method: "POST", Path: d.path("files"), Body: simulator.Encoded(body)}
	if rng.IntN(4) > 0 {
		r.IdempotencyKey = actor + " sends"
		d.repeatSometimes(actor, rng, r)
	}
	answer := d.sendRequest(actor, r)
	made := fileOf(answer)
	if answer.Status != http.StatusCreated {
		made.ID = "file_unknown"
	}
	d.Record(func() { d.files.documents[made.ID] = d })
	d.id, d.upload = made.ID, made.Upload
	close(d.created)
	if d.upload == nil { // the reply with the link was lost
		return
	}
	d.wait(rng)
	for range 1 + rng.IntN(2) {
		d.put(actor, rng)
		if rng.IntN(8) > 0 {
			d.complete(actor, rng)
		}
	}
	if rng.IntN(3) == 0 {
		d.download(actor, rng)
	}
}

func fileOf(r simulator.Response) fileView { return simulator.Decoded[fileView](r.Body) } // empty for errors

// pickContent returns content to upload, and its type. Usually both are as declared.
func (d *document) pickContent(rng *rand.Rand) (content, kind string) {
	switch rng.IntN(10) {
	case 0: // same size
		return strings.ReplaceAll(d.content, "e", "a"), d.kind
	case 1: // same size, but a program
		return program + d.content[len(program):], d.kind
	case 2:
		return d.content + " ", d.kind
	case 3:
		return d.content, "text/html"
	default:
		return d.content, d.kind
	}
}

func (d *document) put(actor string, rng *rand.Rand) {
	content, kind := d.pickContent(rng)
	headers := maps.Clone(d.upload.Headers)
	headers["content-type"] = kind
	d.files.follow(actor, d.upload.Method, d.upload.URL, headers, content)
}

// uploadAgain uploads content when the file may already be completed or deleted, or the link may have expired.
func (d *document) uploadAgain(actor string, rng *rand.Rand) {
	if d.upload == nil {
		return
	}
	for range 1 + rng.IntN(2) {
		d.put(actor, rng)
		d.wait(rng)
	}
}

func (d *document) filePath() string { return d.path("files/" + d.id) }

// change sends a request about the file, perhaps twice.
func (d *document) change(actor string, rng *rand.Rand, method, body string) simulator.Response {
	r := client.Request{Method: method, Path: d.filePath(), Body: body}
	if rng.IntN(2) == 0 {
		r.IdempotencyKey = fmt.Sprintf("%s %s %d", actor, method, rng.IntN(1000))
		d.repeatSometimes(actor, rng, r)
	}
	return d.sendRequest(actor, r)
}

func (d *document) complete(actor string, rng *rand.Rand) {
	body := `{"status":"uploaded"}`
	if rng.IntN(6) == 0 {
		body = fmt.Sprintf(`{"status":"uploaded","collection_id":%q}`, d.pickCollection(rng))
	}
	d.change(actor, rng, "PUT", body)
}

func (d *document) move(actor string, rng *rand.Rand) {
	for range 1 + rng.IntN(2) {
		d.change(actor, rng, "PUT", fmt.Sprintf(`{"collection_id":%q}`, d.pickCollection(rng)))
		d.Think(actor)
	}
}

func (d *document) remove(actor string, rng *rand.Rand) {
	d.Record(func() { d.files.deletions[d.id] = true })
	d.change(actor, rng, "DELETE", "")
}

// download reads the file, and its content by the link that comes with it.
func (d *document) download(actor string, rng *rand.Rand) {
	answer := d.sendRequest(actor, client.Request{Method: "GET", Path: d.filePath()})
	shown := fileOf(answer)
	if answer.Status != http.StatusOK || shown.DownloadURL == "" {
		return
	}
	d.wait(rng)
	got := d.files.follow(actor, "GET", shown.DownloadURL, nil, "")
	switch {
	case got == nil || got.status != http.StatusOK: // the file is deleted, or the link has expired
	case checksumOf(got.body) != shown.Checksum || got.header.Get("Content-Type") != shown.ContentType ||
		!strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment;"):
		d.Find("", "file %s with the checksum %s is downloaded as %q with %v", d.id, shown.Checksum, got.body, got.header)
	}
}

// spy uses another merchant's key for requests about the file, at both merchants' addresses.
func (d *document) spy(actor string, rng *rand.Rand) {
	other := d.All[rng.IntN(len(d.All))]
	if other == d.Shop {
		return
	}
	for _, merchant := range []string{d.Merchant, other.Merchant} {
		method := []string{"GET", "DELETE", "PUT"}[rng.IntN(3)]
		body := map[string]string{"PUT": `{"status":"uploaded"}`}[method]
		answer := d.Send(actor, other.Tenant, client.Request{Method: method, APIKey: other.Token,
			Path: "/v0.1/merchants/" + merchant + "/files/" + d.id, Body: body})
		if answer.Status >= 200 && answer.Status < 300 {
			d.Find("", "%s of another merchant's file was answered %s", method, answer.Body)
		}
	}
}

func (c *fileTenant) changeCollection(actor string, rng *rand.Rand) {
	id := simulator.Pick(rng, c.collections)
	for i := range 1 + rng.IntN(4) {
		c.wait(rng)
		body := fmt.Sprintf(`{"status":%q}`, []string{"open", "open", "closed", "closed", "archived"}[rng.IntN(5)])
		if rng.IntN(4) == 0 {
			body = fmt.Sprintf(`{"status":"open","name":"%s %d"}`, actor, i)
		}
		r := client.Request{Method: "PUT", Path: c.path("collections/" + id), Body: body}
		if rng.IntN(2) == 0 {
			r.IdempotencyKey = fmt.Sprintf("%s changes %d", actor, i)
			c.repeatSometimes(actor, rng, r)
		}
		c.sendRequest(actor, r)
		if rng.IntN(2) == 0 {
			c.sendRequest(actor, client.Request{Method: "GET", Path: c.path("collections/" + id)})
		}
	}
}

func (c *fileTenant) makeMoreCollections(actor string, rng *rand.Rand) {
	for i := range 1 + rng.IntN(2) {
		r := client.Request{Method: "POST", Path: c.path("collections"), IdempotencyKey: fmt.Sprintf("%s %d", actor, i),
			Body: fmt.Sprintf(`{"name":"%s %d"}`, actor, i)}
		c.repeatSometimes(actor, rng, r)
		c.sendRequest(actor, r)
	}
}

func (c *fileTenant) listRecords(actor string, rng *rand.Rand) {
	for range 1 + rng.IntN(4) {
		c.wait(rng)
		lists := []string{"files?limit=50", "files?limit=50&status=uploaded", "files?limit=50&collection_id=" +
			simulator.Pick(rng, c.collections), "collections?limit=50", "collections?limit=50&status=archived"}
		c.sendRequest(actor, client.Request{Method: "GET", Path: c.path(simulator.Pick(rng, lists))})
	}
}

// recordLinks notes the signatures of the links in a reply. Anyone with a link can use it, so the platform must neither
// store nor log it.
func (f *files) recordLinks(r simulator.Response) {
	v := fileOf(r)
	if v.DownloadURL != "" {
		f.links = append(f.links, s3.SignatureOf(v.DownloadURL))
	}
	if v.Upload != nil {
		f.links = append(f.links, s3.SignatureOf(v.Upload.URL))
	}
}
