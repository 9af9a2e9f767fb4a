package docs

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"strings"

	"github.com/cashwrap/cashwrap/shared/contract"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// about describes the API in a sentence.
const about = "Take payments by card, bank redirect, boleto and Pix, refund them and get paid out to your bank account."

// showIndex shows llms.txt, the list of the documentation that language models read (https://llmstxt.org).
func (f family) showIndex(context.Context, struct{}) (rest.Document, error) {
	guides, err := f.guides()
	if err != nil {
		return rest.Document{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Cashwrap API\n\n> %s This installation answers at %s.\n\n## Guides\n\n", about, f.baseURL)
	for _, g := range guides {
		fmt.Fprintf(&b, "- [%s](%s/docs/%s.md): %s\n", g.article.title, f.baseURL, g.name, g.article.summary)
	}
	fmt.Fprintf(&b, "\n## Reference\n\n- [openapi.yaml](%s/openapi.yaml): each operation with its fields, errors, "+
		"examples and a command line of curl (OpenAPI 3.0)\n", f.baseURL)
	return rest.Document{ContentType: "text/plain;charset=UTF-8", Body: []byte(b.String())}, nil
}

var welcomePage = page.New("").Styled(style)

// showWelcome shows a browser where to begin. A client of the API gets 404.
func (f family) showWelcome(ctx context.Context, _ struct{}) (rest.Document, error) {
	if !rest.AcceptsPage(ctx) {
		return rest.Document{}, rest.NothingHere()
	}
	guides, err := f.guides()
	if err != nil {
		return rest.Document{}, err
	}
	drawn, err := welcomePage.DrawBelow("Cashwrap API", headerBody(f.site, guides, ""), welcomeBody(f.site, guides))
	return rest.Document{HTML: drawn.HTML, CSP: drawn.CSP}, err
}

// redoc is our name for the script that draws the reference. The script is bundles/redoc.standalone.js of npm's redoc
// 2.5.4. The program embeds the script, compressed by gzip -9n. redocSum is the SHA-256 of the script as published.
const (
	redoc    = "redoc-2.5.4.js"
	redocSum = "dcaf76612bc4a3fbcc923a8966dee2f6146a5f32e5ce1b6f02dd60cbbf89500b"
)

// redocStyles allows the two style sheets that redoc adds without the nonce: an empty one, and one for scroll bars.
const redocStyles = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' " +
	"'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='"

//go:embed redoc-2.5.4.js.gz
var redocSource []byte

//go:embed reference.js
var drawScript string

var referencePage = page.New(drawScript).Styled(style)

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

// downloadOpenapi returns openapi.yaml, with the media type of RFC 9512.
func (f family) downloadOpenapi(context.Context, struct{}) (rest.Document, error) {
	packed, err := f.document()
	return rest.Document{ContentType: "application/yaml", Gzip: packed}, err
}

// compressOpenAPI fills the installation's address into openapi.yaml and returns the file compressed.
func (s site) compressOpenAPI() ([]byte, error) {
	var b bytes.Buffer
	to := gzip.NewWriter(&b)
	_, err := strings.NewReplacer(contract.DocumentedURL, s.baseURL).WriteString(to, contract.OpenAPI())
	if err != nil {
		return nil, err
	}
	err = to.Close()
	return b.Bytes(), err
}
