package files

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/simulator"
)

// version is one of an object at S3.
type version struct {
	id, content, kind string
	put, gone         int64 // when, in logical time; 0: it is there
}

// witness is S3 to clients and to the platform. It notes which versions there are.
type witness struct{ *files }

// RoundTrip answers one request.
func (s witness) RoundTrip(r *http.Request) (*http.Response, error) {
	content, err := sdkcall.Body(r)
	if err != nil {
		return nil, err
	}
	response, err := s.engine.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	now := s.LogicalTime()
	_, key := s3.Named(r)
	switch action := s3.Action(r); {
	case action == "PutObject" && response.StatusCode == http.StatusOK:
		v := &version{id: response.Header.Get("X-Amz-Version-Id"), content: string(content),
			kind: r.Header.Get("Content-Type"), put: now}
		s.Record(func() { s.versions[key] = append(s.versions[key], v) })
		s.checkUpload(key, v)
	case action == "DeleteObjectVersion" && response.StatusCode == http.StatusNoContent:
		for _, v := range s.versions[key] {
			if v.id == r.URL.Query().Get("versionId") && v.gone == 0 {
				s.Record(func() { v.gone = now })
				s.checkDeletion(key)
			}
		}
	case action == "DeleteObject":
		s.Find("", "%s was deleted without naming a version", key)
	}
	return response, nil
}

// latest is the version that S3 has of a key, nil for none.
func (f *files) latest(key string) *version {
	for _, v := range slices.Backward(f.versions[key]) {
		if v.gone == 0 {
			return v
		}
	}
	return nil
}

// followed is what S3 answers by a link.
type followed struct {
	status int
	header http.Header
	body   string
}

// follow sends a request by a link, as browsers do, over a network that may lose it, its reply, bring it twice or late;
// nil when nothing came back.
func (f *files) follow(actor, method, url string, headers map[string]string, content string) *followed {
	r, err := http.NewRequestWithContext(context.Background(), method, url, nil)
	f.Must(err)
	label := method + " " + r.URL.Path
	send := func() (*followed, string) {
		again := r.Clone(r.Context())
		for name, value := range headers {
			if http.CanonicalHeaderKey(name) != "Content-Length" { // it follows from the content
				again.Header.Set(name, value)
			}
		}
		again.Body, again.ContentLength = io.NopCloser(bytes.NewBufferString(content)), int64(len(content))
		response, err := witness{f}.RoundTrip(again)
		f.Must(err)
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return &followed{response.StatusCode, response.Header, string(body)}, simulator.OutcomeOf(response)
	}
	late := func() {
		f.SendLate(actor, simulator.ToLink, label, func() string { _, outcome := send(); return outcome })
	}
	v := f.Park(simulator.ToLink, nil, actor, label)
	switch v.Fault {
	case faults.FailBefore:
		f.Note(actor, simulator.ToLink, label, v.Fault.String())
		return nil
	case faults.ArriveLate:
		f.Note(actor, simulator.ToLink, label, v.Fault.String())
		late()
		return nil
	case faults.Duplicate:
		late()
	}
	got, outcome := send()
	f.Note(actor, simulator.ToLink, label, outcome)
	if f.Park(simulator.ToClient, nil, actor, label+" "+outcome).Fault == faults.LoseReply {
		return nil
	}
	return got
}
