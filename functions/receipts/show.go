package receipts

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type showRequest struct {
	Token string `path:"token"` // token of a link; the suffix .pdf asks for the receipt as PDF
}

var receiptPage = page.New("")

const pdfSuffix = ".pdf"

// show handles showReceipt. It returns a page or a PDF. Failure: NotFound, the same for every invalid token.
func (f family) show(ctx context.Context, req showRequest) (rest.Document, error) {
	token, asPDF := strings.CutSuffix(req.Token, pdfSuffix)
	s, err := f.readSheet(ctx, token)
	switch {
	case err != nil:
		return rest.Document{}, err
	case asPDF:
		return f.showPDF(ctx, s)
	}
	drawn, err := receiptPage.In(s.language).Draw(s.heading(), receiptBody(s, f.address(token)+pdfSuffix))
	return rest.Document{HTML: drawn.HTML, CSP: drawn.CSP}, err
}

// readSheet reads the receipt behind a token, and numbers the receipt if it has no number yet.
func (f family) readSheet(ctx context.Context, token string) (sheet, error) {
	if !payments.IsReceiptToken(token) {
		return sheet{}, store.ErrNoLink
	}
	tenant, link, err := f.store.ReceiptLink(ctx, identity.Hash(token))
	if err != nil {
		return sheet{}, err
	}
	r, err := f.store.Transaction(ctx, tenant, link.TransactionID)
	if err != nil {
		return sheet{}, err
	}
	about, found := newLinkSubject(link, r)
	if !found {
		return sheet{}, store.ErrNoLink
	}
	if err = f.assignNumber(ctx, tenant, about); err != nil {
		return sheet{}, err
	}
	m, err := f.store.Merchant(ctx, tenant.Merchant)
	if err != nil {
		return sheet{}, err
	}
	a, err := f.store.Account(ctx, tenant.Merchant)
	return newSheet(about, m, a, tenant.Mode == identity.Test), err
}

// maxCacheSize limits the total size of the PDFs that a process caches, in bytes. A PDF has some 20 kB.
const maxCacheSize = 4 << 20

// pdfCache caches the last used PDFs by their entity tags, because drawing a PDF takes 70 to 230 ms. The PDFs are only
// in memory: two browsers rarely open the same receipt, so storing each PDF would cost more than it saves.
type pdfCache struct {
	mu    sync.Mutex
	byTag map[string]*list.Element
	used  *list.List // elements are of type cachedPDF, the latest first
	size  int
}

type cachedPDF struct {
	tag  string
	body []byte
}

func newPDFCache() *pdfCache {
	return &pdfCache{byTag: map[string]*list.Element{}, used: list.New()}
}

// get returns the PDF with the tag, or nil.
func (d *pdfCache) get(tag string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := d.byTag[tag]
	if found == nil {
		return nil
	}
	d.used.MoveToFront(found)
	return found.Value.(cachedPDF).body
}

// put adds a PDF to the cache. It drops the least recently used PDFs if the cache is larger than maxCacheSize.
func (d *pdfCache) put(tag string, body []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byTag[tag] != nil || len(body) > maxCacheSize {
		return
	}
	d.byTag[tag] = d.used.PushFront(cachedPDF{tag, body})
	for d.size += len(body); d.size > maxCacheSize; {
		oldest := d.used.Remove(d.used.Back()).(cachedPDF)
		delete(d.byTag, oldest.tag)
		d.size -= len(oldest.body)
	}
}

// tag returns the entity tag of the receipt's PDF. It is a digest of the sheet, and of the commit of the code that
// draws the PDF.
func (s sheet) tag(commit string) string {
	s.words = words{} // the language determines the words
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %#v", commit, s))
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// showPDF returns the receipt as PDF, from the cache if possible. If the browser has that PDF, the answer is 304.
func (f family) showPDF(ctx context.Context, s sheet) (rest.Document, error) {
	tag := s.tag(f.commit)
	if rest.BrowserHas(ctx, tag) {
		return rest.Document{Status: http.StatusNotModified, ETag: tag}, nil
	}
	body := f.pdfs.get(tag)
	if body == nil {
		var err error
		if body, err = s.renderPDF(); err != nil {
			return rest.Document{}, err
		}
		f.pdfs.put(tag, body)
	}
	return rest.Document{ContentType: "application/pdf", Body: body, Filename: s.file + pdfSuffix, ETag: tag}, nil
}
