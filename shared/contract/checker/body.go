package checker

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3filter"
)

// registerDecoders teaches the validator that what is for browsers and readers is a text, YAML too; JSON,
// problem+json, forms and plain text it knows, whatever their charset, and
// binary bodies it reads as they are. Its registry is global.
var registerDecoders = sync.OnceFunc(func() {
	for _, media := range []string{"text/html", "text/markdown", "text/javascript", "application/yaml"} {
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.PlainBodyDecoder)
	}
})

func isJSON(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"))
}

// withoutNulls drops object members that are null, because null on an optional
// field counts as absent (contract §2.2). Other bodies stay as they are.
func withoutNulls(contentType string, body []byte) []byte {
	if !isJSON(contentType) {
		return body
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return body
	}
	stripped, err := json.Marshal(stripNulls(value))
	if err != nil {
		return body
	}
	return stripped
}

func stripNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if member == nil {
				delete(value, name)
				continue
			}
			value[name] = stripNulls(member)
		}
	case []any:
		for i := range value {
			value[i] = stripNulls(value[i])
		}
	}
	return value
}

// checkNumbers requires one JSON value whose numbers have no exponent: clients
// parse money as decimal text (contract §2.4), and a schema cannot see it.
func checkNumbers(body []byte) error {
	if !json.Valid(body) {
		return errors.New("body is not one JSON value")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if number, ok := token.(json.Number); ok && strings.ContainsAny(number.String(), "eE") {
			return errors.New("a number has an exponent")
		}
	}
}

// setBody makes body the request's body, readable again and again.
func setBody(req *http.Request, body []byte) {
	req.ContentLength = int64(len(body))
	if len(body) == 0 {
		req.Body, req.GetBody = http.NoBody, nil
		return
	}
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body = io.NopCloser(bytes.NewReader(body))
}
