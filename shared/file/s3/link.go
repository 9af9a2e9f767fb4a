package s3

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cashwrap/cashwrap/shared/file"
)

// UploadLink signs a PUT that creates the object f.Object, and cannot replace an object. S3 refuses the PUT if a header
// is missing or has another value. Errors: no link can be made for the file; the credentials' error.
func (b *Bucket) UploadLink(ctx context.Context, f file.File, now time.Time) (file.Link, error) {
	if f.Size <= 0 {
		return file.Link{}, errors.New("s3: the size of nothing is not signed, so anything could be uploaded")
	}
	headers := http.Header{"Content-Type": {f.ContentType}, "If-None-Match": {"*"}}
	if f.SHA256 != "" {
		sum, err := hex.DecodeString(f.SHA256)
		if err != nil {
			return file.Link{}, fmt.Errorf("s3: checksum: %w", err)
		}
		headers.Set("X-Amz-Checksum-Sha256", base64.StdEncoding.EncodeToString(sum))
	}
	p := b.newPresigner(headers, f.Size, now)
	signed, err := p.client(file.UploadTime).PresignPutObject(ctx, &s3.PutObjectInput{Bucket: &b.name, Key: &f.Object})
	if err != nil {
		return file.Link{}, err
	}
	headers.Set("Content-Length", strconv.FormatInt(f.Size, 10))
	return file.Link{Method: signed.Method, URL: signed.URL, Headers: lowerNames(headers),
		Until: p.at.Add(file.UploadTime)}, nil
}

// lowerNames returns the headers, each with one value, by name in lower case.
func lowerNames(headers http.Header) map[string]string {
	all := make(map[string]string, len(headers))
	for name := range headers {
		all[strings.ToLower(name)] = headers.Get(name)
	}
	return all
}

// DownloadLink signs a GET of the version f.Revision. The link replaces the upload's headers, so a browser saves the
// version under the file's name, and never shows, decodes or caches it. Errors: the file has no version; the
// credentials' error.
func (b *Bucket) DownloadLink(ctx context.Context, f file.File, now time.Time) (file.Link, error) {
	if f.Revision == "" {
		return file.Link{}, errors.New("s3: a file without a checked version is not given out")
	}
	p := b.newPresigner(nil, 0, now)
	signed, err := p.client(file.DownloadTime).PresignGetObject(ctx, &s3.GetObjectInput{
		Bucket: &b.name, Key: &f.Object, VersionId: &f.Revision,
		ResponseContentType: &f.ContentType, ResponseContentDisposition: aws.String(attachment(f.Name)),
		ResponseContentEncoding: aws.String("identity"), ResponseCacheControl: aws.String("private, no-store"),
	})
	if err != nil {
		return file.Link{}, err
	}
	return file.Link{Method: signed.Method, URL: signed.URL, Until: p.at.Add(file.DownloadTime)}, nil
}

// presigner signs one link. It sets the time and the headers, because the SDK's own presigner would take the system's
// time and would move most headers to the query or drop them.
type presigner struct {
	of      *s3.Client
	signer  *v4.Signer
	headers http.Header // nil: only the host
	size    int64       // 0: no content
	at      time.Time
}

func (b *Bucket) newPresigner(headers http.Header, size int64, now time.Time) presigner {
	return presigner{b.client, v4.NewSigner(func(o *v4.SignerOptions) {
		o.DisableURIPathEscaping = true // S3's rule
		o.DisableHeaderHoisting = true
	}), headers, size, now.UTC().Truncate(time.Second)} // signatures have whole seconds
}

func (p presigner) client(open time.Duration) *s3.PresignClient {
	return s3.NewPresignClient(p.of, func(o *s3.PresignOptions) { o.Presigner, o.Expires = p, open })
}

// PresignHTTP signs the request that the SDK has made.
func (p presigner) PresignHTTP(ctx context.Context, credentials aws.Credentials, r *http.Request, payload, service,
	region string, _ time.Time, _ ...func(*v4.SignerOptions),
) (string, http.Header, error) {
	r.Header, r.ContentLength = p.headers.Clone(), p.size
	if r.Header == nil {
		r.Header = http.Header{}
	}
	return p.signer.PresignHTTP(ctx, credentials, r, payload, service, region, p.at)
}

// attachment returns the Content-Disposition of a download (RFC 6266). The header has the name twice: encoded by RFC
// 8187 and, for other readers, in ASCII. The uploader chose the name, so no character in it may end the header's value,
// name a folder, or make the extension appear in another place.
func attachment(name string) string {
	name = safeName(name)
	ascii := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || strings.ContainsRune(`"%`, r) {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + ascii + `"; filename*=UTF-8''` + encodeRFC8187(name)
}

const (
	maxName      = 255 // bytes that file systems allow
	maxExtension = 16  // also bytes; a longer ending is part of the name
)

// safeName replaces these characters with _: control and format characters, such as those that reverse text, and
// separators of paths. The extension has been checked before, and stays at the end of the name.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsGraphic(r) || strings.ContainsRune(`/\:*?<>|`, r) {
			return '_'
		}
		return r
	}, name)
	extension := path.Ext(name)
	if len(extension) > maxExtension {
		extension = ""
	}
	base := strings.TrimLeft(strings.TrimSuffix(name, extension), ". ") // no hidden file, no parent folder
	if base == "" {
		base = "file"
	}
	for len(base)+len(extension) > maxName {
		_, last := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-last]
	}
	return base + extension
}

// encodeRFC8187 encodes a value in the characters that RFC 8187 allows.
func encodeRFC8187(value string) string {
	var out strings.Builder
	for _, b := range []byte(value) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', strings.IndexByte("!#$&+-.^_`|~", b) >= 0:
			out.WriteByte(b)
		default:
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}
