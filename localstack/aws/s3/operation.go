package s3

import (
	"net/http"
	"slices"
	"strings"
)

// parameters lists the query parameters that have no effect or that gofakes3 understands.
var parameters = []string{"x-id", "versionId", "versions", "prefix", "delimiter", "key-marker",
	"version-id-marker", "max-keys", "response-content-type", "response-content-disposition",
	"response-content-encoding", "response-content-language", "response-cache-control", "response-expires"}

// checkSupported refuses unsupported requests, which gofakes3 might otherwise treat as different ones.
func checkSupported(r *http.Request) *problem {
	query := r.URL.Query()
	for name := range query {
		if !slices.Contains(parameters, name) && !strings.HasPrefix(name, "X-Amz-") {
			return notImplemented()
		}
	}
	if r.Header.Get("X-Amz-Copy-Source") != "" || !query.Has("versions") && query.Has("prefix") {
		return notImplemented()
	}
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if slices.Contains(allowedMethods(key != "", query.Has), r.Method) {
		return nil
	}
	return notImplemented()
}

// allowedMethods returns the methods allowed for an object or a bucket, given the parameters of the query.
func allowedMethods(object bool, has func(string) bool) []string {
	switch {
	case object && has("versions"):
		return nil
	case object && has("versionId"):
		return []string{http.MethodGet, http.MethodDelete}
	case object:
		return []string{http.MethodGet, http.MethodPut, http.MethodDelete}
	case has("versions"):
		return []string{http.MethodGet}
	}
	return []string{http.MethodPut}
}

func notImplemented() *problem {
	return refuse(http.StatusNotImplemented, "NotImplemented", "This local S3 does not have that operation.")
}
