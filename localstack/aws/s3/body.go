package s3

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// maxBody is the maximum size of a request's body.
const maxBody = 64 << 20

func checkBody(r *http.Request, s signature) *problem {
	if r.Method == http.MethodPut && r.ContentLength < 0 {
		return refuse(http.StatusLengthRequired, "MissingContentLength", "You must provide the Content-Length HTTP header.")
	}
	if r.ContentLength > maxBody {
		return refuse(http.StatusBadRequest, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size.")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil || int64(len(body)) != max(r.ContentLength, 0) {
		return refuse(http.StatusBadRequest, "IncompleteBody",
			"You did not provide the number of bytes specified by the Content-Length HTTP header")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body))) // gofakes3 reads it from there
	return cmp.Or(checkPayload(r.Header.Get("X-Amz-Content-Sha256"), body, s), checkSums(r.Header, body))
}

func checkPayload(hash string, body []byte, s signature) *problem {
	sum := sha256.Sum256(body)
	switch {
	case hash == unsigned, hash == hex.EncodeToString(sum[:]), hash == "" && s.presigned:
		return nil
	case hash == "":
		return refuse(http.StatusBadRequest, "InvalidRequest", "Missing required header for this request: "+
			"x-amz-content-sha256")
	case strings.HasPrefix(hash, "STREAMING-"):
		return refuse(http.StatusNotImplemented, "NotImplemented", "This local S3 has no streamed signatures.")
	}
	return refuse(http.StatusBadRequest, "XAmzContentSHA256Mismatch",
		"The provided 'x-amz-content-sha256' header does not match what was computed.")
}

func checkSums(headers http.Header, body []byte) *problem {
	sha, crc := sha256.Sum256(body), binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body))
	for name, values := range headers {
		algorithm, ours := strings.CutPrefix(name, "X-Amz-Checksum-")
		if !ours || algorithm == "Mode" {
			continue
		}
		var sum []byte
		switch algorithm {
		case "Sha256":
			sum = sha[:]
		case "Crc32":
			sum = crc
		default:
			return refuse(http.StatusNotImplemented, "NotImplemented", "This local S3 has no checksum "+algorithm+".")
		}
		got, err := base64.StdEncoding.DecodeString(values[0])
		if err != nil || len(got) != len(sum) || len(values) > 1 {
			return refuse(http.StatusBadRequest, "InvalidRequest", "Value for "+strings.ToLower(name)+" header is invalid.")
		}
		if !bytes.Equal(got, sum) {
			return refuse(http.StatusBadRequest, "BadDigest",
				"The "+strings.ToUpper(algorithm)+" you specified did not match the calculated checksum.")
		}
	}
	return nil
}

// keptPrefix marks headers that gofakes3 would drop. If a client sends headers with this prefix, removeSigningHeaders
// removes them.
const keptPrefix = "X-Amz-Kept-"

// keepHeaders prefixes an upload's headers that S3 keeps but gofakes3 drops. [originalHeaders] restores the names.
func keepHeaders(r *http.Request) {
	if r.Method != http.MethodPut {
		return
	}
	for _, name := range []string{"Cache-Control", "Content-Language", "Expires"} {
		if value := r.Header.Get(name); value != "" {
			r.Header.Set(keptPrefix+name, value)
		}
	}
}

// originalHeaders returns an object's headers under their original names.
func originalHeaders(meta map[string]string) map[string]string {
	headers := make(map[string]string, len(meta))
	for name, value := range meta {
		headers[strings.TrimPrefix(name, keptPrefix)] = value
	}
	return headers
}

// removeSigningHeaders removes the checked x-amz-* headers, which gofakes3 would store as metadata of the object.
func removeSigningHeaders(r *http.Request) {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Amz-") && !strings.HasPrefix(name, "X-Amz-Meta-") {
			r.Header.Del(name)
		}
	}
}
