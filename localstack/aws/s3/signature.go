package s3

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	algorithm  = "AWS4-HMAC-SHA256"
	dateLayout = "20060102T150405Z"
	unsigned   = "UNSIGNED-PAYLOAD"
	maxSkew    = 15 * time.Minute
	maxExpiry  = 7 * 24 * time.Hour
)

type signature struct {
	credential, headers, value string
	date                       time.Time
	presigned                  bool
	expires                    time.Duration // validity of a presigned request
}

// checkRequest reads the request's body. It refuses the request if S3 would refuse it before carrying it out.
func (e *Engine) checkRequest(r *http.Request) *problem {
	query, err := url.ParseQuery(r.URL.RawQuery) // r.URL.Query would skip malformed parameters
	if err != nil {
		return refuse(http.StatusBadRequest, "InvalidURI", "Couldn't parse the specified URI.")
	}
	s, problem := readSignature(r, query)
	if problem == nil {
		problem = e.checkTime(s)
	}
	if problem == nil {
		problem = e.checkSignature(r, s)
	}
	if problem == nil {
		problem = checkBody(r, s)
	}
	return problem
}

// readSignature reads the signature from the query or the Authorization header.
func readSignature(r *http.Request, query url.Values) (s signature, _ *problem) {
	header := r.Header.Get("Authorization")
	_, s.presigned = query["X-Amz-Signature"]
	if !s.presigned && header == "" {
		return s, denied("Access Denied")
	}
	if s.presigned && header != "" {
		return s, refuse(http.StatusBadRequest, "InvalidArgument",
			"Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter "+
				"or the Authorization header should be specified")
	}
	if s.presigned {
		return readPresigned(s, query)
	}
	malformed := refuse(http.StatusBadRequest, "AuthorizationHeaderMalformed", "The authorization header is malformed.")
	fields, ours := strings.CutPrefix(header, algorithm+" ")
	for field := range strings.SplitSeq(fields, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(field), "="); name {
		case "Credential":
			s.credential = value
		case "SignedHeaders":
			s.headers = value
		case "Signature":
			s.value = value
		}
	}
	var err error
	if s.date, err = readDate(r.Header.Get("X-Amz-Date")); err != nil || !ours {
		return s, malformed
	}
	return s, nil
}

// readDate refuses a fraction of a second. Parse would accept it, but the signature does not cover it.
func readDate(text string) (time.Time, error) {
	date, err := time.Parse(dateLayout, text)
	if err == nil && date.Format(dateLayout) != text {
		err = errors.New("the date has a fraction")
	}
	return date, err
}

func readPresigned(s signature, query url.Values) (signature, *problem) {
	malformed := refuse(http.StatusBadRequest, "AuthorizationQueryParametersError",
		"Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "+
			"X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.")
	for _, name := range []string{"Algorithm", "Credential", "Signature", "Date", "SignedHeaders", "Expires"} {
		if len(query["X-Amz-"+name]) != 1 {
			return s, malformed
		}
	}
	date, err := readDate(query.Get("X-Amz-Date"))
	seconds, notNumber := strconv.Atoi(query.Get("X-Amz-Expires"))
	s.expires = time.Duration(seconds) * time.Second
	if err != nil || notNumber != nil || seconds <= 0 || seconds > int(maxExpiry/time.Second) ||
		query.Get("X-Amz-Algorithm") != algorithm {
		return s, malformed
	}
	s.credential, s.headers, s.value = query.Get("X-Amz-Credential"), query.Get("X-Amz-SignedHeaders"),
		query.Get("X-Amz-Signature")
	s.date = date
	return s, nil
}

func (e *Engine) checkTime(s signature) *problem {
	now := e.config.CallsNow
	if s.presigned {
		now = e.config.Now
	}
	age := now().Sub(s.date)
	switch {
	case s.presigned && age < -maxSkew:
		return denied("Request is not yet valid")
	case s.presigned && age >= s.expires:
		return denied("Request has expired")
	case !s.presigned && age.Abs() > maxSkew:
		return refuse(http.StatusForbidden, "RequestTimeTooSkewed",
			"The difference between the request time and the current time is too large.")
	}
	return nil
}

// checkSignature signs the request again with the headers that it claims to have signed, and compares the results.
func (e *Engine) checkSignature(r *http.Request, s signature) *problem {
	mismatch := refuse(http.StatusForbidden, "SignatureDoesNotMatch",
		"The request signature we calculated does not match the signature you provided. Check your key and signing method.")
	keyID := e.config.Credentials.AccessKeyID
	scope := s.date.Format("20060102") + "/" + e.config.Region + "/s3/aws4_request"
	if id, rest, _ := strings.Cut(s.credential, "/"); id != keyID {
		return refuse(http.StatusForbidden, "InvalidAccessKeyId",
			"The AWS Access Key Id you provided does not exist in our records.")
	} else if rest != scope {
		return refuse(http.StatusBadRequest, "AuthorizationHeaderMalformed", "The credential is not for "+scope+".")
	}
	names := strings.Split(s.headers, ";")
	if loose := unsignedHeaders(r.Header, names); len(loose) > 0 {
		p := denied("There were headers present in the request which were not signed")
		p.Headers = strings.Join(loose, ", ")
		return p
	}
	again, err := e.sign(r, s, names)
	if err != nil || again.headers != s.headers ||
		subtle.ConstantTimeCompare([]byte(again.value), []byte(s.value)) != 1 {
		return mismatch
	}
	return nil
}

// unsignedHeaders returns the unsigned headers that S3 requires to be signed.
func unsignedHeaders(headers http.Header, signed []string) (names []string) {
	for name := range headers {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "x-amz-") && !slices.Contains(signed, lower) {
			names = append(names, lower)
		}
	}
	slices.Sort(names)
	return names
}

// sign signs a copy of the request with only the named headers. Missing headers are also missing in the result.
func (e *Engine) sign(r *http.Request, s signature, names []string) (again signature, err error) {
	copied := r.Clone(r.Context())
	copied.Header, copied.ContentLength, copied.Body = http.Header{}, 0, nil
	copied.URL.Scheme, copied.URL.Host = "http", r.Host
	for _, name := range names {
		switch values := r.Header.Values(name); {
		case name == "content-length":
			copied.ContentLength = r.ContentLength
		case name != "host" && len(values) > 0:
			copied.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	signer := v4.NewSigner(func(o *v4.SignerOptions) {
		o.DisableURIPathEscaping, o.DisableHeaderHoisting, o.DisableSessionToken = true, true, true
	})
	credentials := aws.Credentials{AccessKeyID: e.config.Credentials.AccessKeyID,
		SecretAccessKey: e.config.Credentials.SecretAccessKey}
	payload := r.Header.Get("X-Amz-Content-Sha256")
	if !s.presigned {
		err = signer.SignHTTP(r.Context(), credentials, copied, payload, "s3", e.config.Region, s.date)
		if err == nil {
			again, _ = readSignature(copied, nil)
		}
		return again, err
	}
	query := copied.URL.Query()
	query.Del("X-Amz-Signature")
	copied.URL.RawQuery = query.Encode()
	if payload == "" {
		payload = unsigned
	}
	link, _, err := signer.PresignHTTP(r.Context(), credentials, copied, payload, "s3", e.config.Region, s.date)
	if err != nil {
		return again, err
	}
	signed, err := url.Parse(link)
	if err != nil {
		return again, err
	}
	again, _ = readSignature(&http.Request{}, signed.Query())
	return again, nil
}
