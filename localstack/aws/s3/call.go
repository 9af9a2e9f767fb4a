package s3

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/reply"
)

// Calls reports whether a request is one to S3: it is signed for it, by a header or as a link.
func Calls(r *http.Request) bool {
	const scope = "/s3/aws4_request"
	return strings.Contains(r.Header.Get("Authorization"), scope) ||
		strings.Contains(r.URL.Query().Get("X-Amz-Credential"), scope)
}

// Action returns IAM's action for a call, such as GetObjectVersion (AWS: "Service Authorization Reference").
func Action(r *http.Request) string {
	query := r.URL.Query()
	if query.Has("versions") {
		return "ListBucketVersions"
	}
	action := r.Method[:1] + strings.ToLower(r.Method[1:]) + "Bucket"
	if _, key := Named(r); key != "" {
		action = strings.TrimSuffix(action, "Bucket") + "Object"
	}
	if query.Has("versionId") {
		action += "Version"
	}
	return action
}

// Named returns the bucket and the key that a call names; of a list the prefix of keys.
func Named(r *http.Request) (bucket, key string) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if key == "" {
		key = r.URL.Query().Get("prefix")
	}
	return bucket, key
}

// Refusal returns how S3 answers a call with an error, such as 503 SlowDown, without having done anything.
func Refusal(r *http.Request, status int, code string) *http.Response {
	body := fmt.Appendf(nil, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code>"+
		"<Message>injected</Message></Error>", code)
	return reply.To(r, status, http.Header{"Content-Type": {"application/xml"}}, body)
}

// SignatureOf returns the signature of a link, which whoever has it can use; "" if the text is none.
func SignatureOf(link string) string {
	at, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return at.Query().Get("X-Amz-Signature")
}
