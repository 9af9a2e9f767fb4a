package enginetest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

func TestEndpoints_Stable(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	for name, endpoint := range map[string]func(testing.TB) string{
		"DynamoDB": enginetest.DynamoDB,
		"Fauxqs":   enginetest.Fauxqs,
	} {
		url := endpoint(t)
		res, err := http.Get(url)
		if err != nil {
			t.Fatalf("%s: got error %v, want an answer", name, err)
		}
		res.Body.Close()
		if again := endpoint(t); again != url {
			t.Errorf("%s: got %s the second time, want %s", name, again, url)
		}
	}
}

func TestEndpoints_RunningEngine(t *testing.T) {
	t.Setenv("CASHWRAP_DYNAMODB_LOCAL", "http://127.0.0.1:1")
	t.Setenv("CASHWRAP_FAUXQS", "http://127.0.0.1:2")
	if got := enginetest.DynamoDB(t); got != "http://127.0.0.1:1" {
		t.Errorf("DynamoDB: got %s, want http://127.0.0.1:1", got)
	}
	if got := enginetest.Fauxqs(t); got != "http://127.0.0.1:2" {
		t.Errorf("Fauxqs: got %s, want http://127.0.0.1:2", got)
	}
}

func TestAll(t *testing.T) {
	for value, want := range map[string]bool{"all": true, "": false} {
		t.Setenv("CASHWRAP_TESTS", value)
		if got := enginetest.All(t); got != want {
			t.Errorf("CASHWRAP_TESTS=%q: got %v, want %v", value, got, want)
		}
	}
}

func TestAccessKey_Distinct(t *testing.T) {
	t.Parallel()
	if a, b := enginetest.AccessKey(t), enginetest.AccessKey(t); a == b || a == "" {
		t.Errorf("got access keys %q and %q, want two that differ", a, b)
	}
}

// closed is a body that the SDK closes while it is being sent. Its WriteTo fails from then on.
type closed struct{ io.Reader }

func (closed) WriteTo(io.Writer) (int64, error) { return 0, io.EOF }
func (closed) Close() error                     { return nil }

func TestReal_BodyClosedEarly(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	const sent = "to be sent"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, closed{strings.NewReader(sent)})
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = int64(len(sent))
	response, err := enginetest.Real{}.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); string(got) != sent || err != nil {
		t.Errorf("got %q, error %v, want %q", got, err, sent)
	}
}
