package rest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"

	"github.com/cashwrap/cashwrap/shared/failure"
)

const errorStyle = `body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color:#222}small{color:#666}`

// errorPagePolicy allows that one style sheet by its hash.
var errorPagePolicy = func() string {
	sum := sha256.Sum256([]byte(errorStyle))
	return pagePolicy([]string{"style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"})
}()

var errorTemplate = template.Must(template.New("error").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title><style>` + errorStyle + `</style></head>
<body><h1>{{.Title}}</h1><p>{{.Message}}</p><p><small>{{.RequestID}}</small></p></body></html>
`))

// errorPage tells a person in a browser what went wrong.
func errorPage(shown Problem, e *failure.Error, requestID string) []byte {
	var page bytes.Buffer
	// Writing three strings to memory cannot fail.
	_ = errorTemplate.Execute(&page, struct{ Title, Message, RequestID string }{shown.Title, e.Message, requestID})
	return page.Bytes()
}
