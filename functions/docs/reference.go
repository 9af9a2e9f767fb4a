package docs

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	_ "embed"
	"strings"

	"github.com/cashwrap/cashwrap/shared/contract"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// redoc is the name of bundles/redoc.standalone.js of npm's redoc 2.5.4, with which browsers draw the reference. What
// is embedded is that file by gzip -9n; redocSum is its SHA-256 as published.
const (
	redoc    = "redoc-2.5.4.js"
	redocSum = "dcaf76612bc4a3fbcc923a8966dee2f6146a5f32e5ce1b6f02dd60cbbf89500b"
)

// redocStyles are the two style sheets that it adds without the nonce: an empty one, and one for scroll bars.
const redocStyles = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' " +
	"'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='"

//go:embed redoc-2.5.4.js.gz
var redocSource []byte

//go:embed reference.js
var drawing string

var referencePage = page.New(drawing).Styled(style)

// showReference shows the reference, which the browser draws from openapi.yaml.
func (f family) showReference(context.Context, struct{}) (rest.Document, error) {
	guides, err := f.guides()
	if err != nil {
		return rest.Document{}, err
	}
	nonce := rand.Text()
	drawn, err := referencePage.DrawBelow("API reference", headerBody(f.site, guides, ""), referenceBody(f.site, nonce))
	drawn = drawn.Nonced(nonce).Allowing("style-src", redocStyles).Fetching()
	return rest.Document{HTML: drawn.HTML, CSP: drawn.CSP}, err
}

// downloadOpenapi is the description of the API for programs (RFC 9512).
func (f family) downloadOpenapi(context.Context, struct{}) (rest.Document, error) {
	packed, err := f.document()
	return rest.Document{ContentType: "application/yaml", Gzip: packed}, err
}

// describe is openapi.yaml with the installation's address, compressed.
func (s site) describe() ([]byte, error) {
	var b bytes.Buffer
	to := gzip.NewWriter(&b)
	_, err := strings.NewReplacer(contract.DocumentedURL, s.baseURL).WriteString(to, contract.OpenAPI())
	if err != nil {
		return nil, err
	}
	err = to.Close()
	return b.Bytes(), err
}
