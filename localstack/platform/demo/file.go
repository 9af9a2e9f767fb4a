package demo

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/steps"
)

// Uploaded contents: a document, and a program disguised as a document.
const (
	document = "%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
	program  = "MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00This program cannot be run in DOS mode.\r\n"
)

type link struct {
	Method  string
	URL     string
	Headers map[string]string
}

type storedFile struct {
	ID, Status  string
	Upload      link
	DownloadURL string `json:"download_url"`
}

// keepFiles uploads and downloads a document by links. The platform refuses a program that is disguised as a document,
// and the download of a deleted file (contract §8.3).
func (s *scenario) keepFiles() {
	var collection struct{ ID, Status string }
	s.call("POST", s.apiPath("/collections"), object{"name": "Papers " + s.run}, http.StatusCreated, &collection)
	kept := s.upload(collection.ID, "register.pdf", document)
	s.complete(kept, http.StatusOK)
	s.call("GET", s.apiPath("/files/"+kept.ID), nil, http.StatusOK, &kept)
	s.download(kept, http.StatusOK, document)
	s.print.line("\nA program that is named like a document:")
	disguised := s.upload(collection.ID, "invoice.pdf", program)
	s.complete(disguised, http.StatusConflict)
	s.call("GET", s.apiPath("/files/"+disguised.ID), nil, http.StatusNotFound, nil)
	s.print.line("✓ it is refused, and gone\n\nThe merchant deletes the document:")
	s.call("DELETE", s.apiPath("/files/"+kept.ID), nil, http.StatusNoContent, nil)
	s.download(kept, http.StatusNotFound, "")
}

func (s *scenario) apiPath(path string) string { return "/v0.1/merchants/" + s.MerchantCode + path }

func (s *scenario) upload(collection, name, content string) (f storedFile) {
	s.call("POST", s.apiPath("/files"), object{"filename": name, "content_type": "application/pdf",
		"size": len(content), "collection_id": collection}, http.StatusCreated, &f)
	s.expect(f.Status == "pending" && f.Upload.URL != "", "a pending file with a link")
	response := s.follow(client.Request{Method: f.Upload.Method, Path: f.Upload.URL, Header: f.Upload.Headers,
		Body: content})
	if response.Status != http.StatusOK {
		steps.Check(fmt.Errorf("the upload answered %s %s, not 200", statusLine(response), response.Body))
	}
	return f
}

func (s *scenario) complete(f storedFile, status int) {
	s.call("PUT", s.apiPath("/files/"+f.ID), object{"status": "uploaded"}, status, nil)
}

func (s *scenario) download(f storedFile, status int, content string) {
	response := s.follow(client.Request{Method: http.MethodGet, Path: f.DownloadURL})
	if response.Status != status {
		steps.Check(fmt.Errorf("the download answered %s, not %d", statusLine(response), status))
	}
	if status != http.StatusOK {
		s.expect(true, "the link has nothing to give any more")
		return
	}
	s.expect(bytes.Equal(response.Body, []byte(content)) &&
		strings.HasPrefix(response.Header.Get("Content-Disposition"), "attachment;"),
		"what was uploaded, as an attachment")
}

// follow uses a link. It prints only the part before the signature, because the signature lets anyone use the link.
func (s *scenario) follow(r client.Request) client.Response {
	address, _, _ := strings.Cut(r.Path, "?")
	s.print.line("→ " + r.Method + " " + address + "?…")
	response, err := s.API.Do(s.ctx, r)
	steps.Check(err)
	s.print.line("← " + statusLine(response))
	return response
}
