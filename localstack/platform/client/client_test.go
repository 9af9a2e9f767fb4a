package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

func ExampleClient_Do() {
	api := client.Handler{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"key":%q,"path":%q}`, r.Header.Get("Authorization"), r.URL.Path)
	})}
	shop := client.Client{BaseURL: "https://cashwrap.test", Transport: api}
	created, err := shop.Do(context.Background(), client.Request{Method: "POST", Path: "/v0.1/checkouts",
		APIKey: "sk_test_1", IdempotencyKey: "order 1", Body: map[string]any{"amount": json.Number("10.10")}})
	fmt.Println(created.Status, created.Text("key"), created.Text("path"), err)
	// Output: 201 Bearer sk_test_1 /v0.1/checkouts <nil>
}

func TestRequest_HTTP(t *testing.T) {
	t.Parallel()
	type sent struct{ method, url, contentType, key, idempotencyKey, more, body string }
	for name, c := range map[string]struct {
		request client.Request
		want    sent
	}{
		"without a body": {client.Request{Method: "GET", Path: "/a?b=%20c"},
			sent{method: "GET", url: "https://api.test/a?b=%20c", contentType: "application/json"}},
		"a value": {client.Request{Method: "PUT", Path: "/a", APIKey: "sk", IdempotencyKey: "k",
			Header: map[string]string{"X-More": "m"}, Body: []int{1}},
			sent{"PUT", "https://api.test/a", "application/json", "Bearer sk", "k", "m", "[1]"}},
		"text": {client.Request{Method: "POST", Path: "/a", Body: "{nonsense"},
			sent{method: "POST", url: "https://api.test/a", contentType: "application/json", body: "{nonsense"}},
		"a form, elsewhere": {client.Request{Method: "POST", Path: "https://bank.test/a", Body: url.Values{"d": {"ü"}}},
			sent{method: "POST", url: "https://bank.test/a", contentType: "application/x-www-form-urlencoded",
				body: "d=%C3%BC"}},
	} {
		r, err := c.request.HTTP(t.Context(), "https://api.test")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		got := sent{r.Method, r.URL.String(), r.Header.Get("Content-Type"), r.Header.Get("Authorization"),
			r.Header.Get("Idempotency-Key"), r.Header.Get("X-More"), string(body)}
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestResponse_Form(t *testing.T) {
	t.Parallel()
	page := client.Response{Body: []byte(`<form method="post" action="/next?a=1&amp;b=2">` +
		`<input type="hidden" name="MD" value="x&#43;y"><input type="hidden" name="PaRes" value=""></form>`)}
	got, err := page.Form()
	want := client.Form{Action: "/next?a=1&b=2", Fields: url.Values{"MD": {"x+y"}, "PaRes": {""}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("got error %v, and form (-want +got):\n%s", err, diff)
	}
	if _, err := (client.Response{Body: []byte("<p>sorry")}).Form(); err == nil {
		t.Error("a page without a form: got no error, want one")
	}
}

func TestOperate(t *testing.T) {
	t.Parallel()
	broken := errors.New("it broke")
	for name, c := range map[string]struct {
		answer string
		err    error
		want   error
	}{
		"an answer":       {answer: `{"merchant_code":"MC1"}`},
		"a refusal":       {answer: `{"error":{"code":"NOT_FOUND","param":"id"}}`, want: &client.Refusal{Code: "NOT_FOUND"}},
		"no answer":       {err: broken, want: broken},
		"not one in JSON": {answer: "sk_test_1", want: &json.SyntaxError{}},
	} {
		invoke := client.Invoke(func(_ context.Context, function string, command json.RawMessage) (json.RawMessage, error) {
			if function != "provision" || string(command) != `{"command":"c"}` {
				t.Errorf("%s: got %s called with %s, want provision with the command c", name, function, command)
			}
			return json.RawMessage(c.answer), c.err
		})
		var got struct {
			Code string `json:"merchant_code"`
		}
		err := invoke.Operate(t.Context(), map[string]string{"command": "c"}, &got)
		if fmt.Sprintf("%T", err) != fmt.Sprintf("%T", c.want) || c.want == nil && got.Code != "MC1" {
			t.Errorf("%s: got %+v and error %T %v, want MC1 or an error %T", name, got, err, err, c.want)
		}
	}
}
