package s3

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/reply"
)

// Calls returns true if a request is for S3. The request's signature names the service, in a header or in a link.
func Calls(r *http.Request) bool {
	const scope = "/s3/aws4_request"
	return strings.Contains(r.Header.Get("Authorization"), scope) ||
		strings.Contains(r.URL.Query().Get("X-Amz-Credential"), scope)
}

// Action returns the IAM action of a call, such as GetObjectVersion (AWS: "Service Authorization Reference").
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

// Named returns the bucket and the key of a call. For a list, key is the prefix of keys.
func Named(r *http.Request) (bucket, key string) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if key == "" {
		key = r.URL.Query().Get("prefix")
	}
	return bucket, key
}

// Refusal returns S3's response for a call that failed with an error, such as 503 SlowDown, and had no effect.
func Refusal(r *http.Request, status int, code string) *http.Response {
	body := fmt.Appendf(nil, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code>"+
		"<Message>injected</Message></Error>", code)
	return reply.To(r, status, http.Header{"Content-Type": {"application/xml"}}, body)
}

// SignatureOf returns the signature of a presigned link, or "". The signature lets anyone use the link.
func SignatureOf(link string) string {
	at, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return at.Query().Get("X-Amz-Signature")
}
