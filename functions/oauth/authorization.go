package oauth

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// authorization is what a client asks a person for (RFC 6749 §4.1.1, RFC 7636 §4.3).
type authorization struct {
	client    oauth.Client
	named     string // redirect_uri as the request names it; "": it names none
	redirect  string // where the answer goes
	scopes    []string
	state     string
	challenge string // of PKCE, S256; "": none
}

// nowhere is why a request for an authorization gets no answer at a redirect_uri.
type nowhere string

// The reasons.
const (
	unknownClient   nowhere = "client"
	unknownRedirect nowhere = "redirect_uri"
)

// parameters are those of a request for an authorization. Others are ignored (RFC 6749 §3.1).
var parameters = []string{"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge",
	"code_challenge_method"}

const (
	maxParameter = 2048 // bytes of each parameter
	maxClientID  = 64   // bytes
)

// addressed reads by which client a request was sent, and where its answer goes. To any other
// address nothing is sent (RFC 9700 §4.11).
func (f family) addressed(ctx context.Context, sent url.Values) (authorization, nowhere, error) {
	ids, redirects := sent["client_id"], sent["redirect_uri"]
	if len(ids) != 1 || ids[0] == "" || len(ids[0]) > maxClientID {
		return authorization{}, unknownClient, nil
	}
	client, err := f.store.OAuthClient(ctx, ids[0])
	if failure.Is(err, failure.KindNotFound) || err == nil && client.Revoked() {
		return authorization{}, unknownClient, nil
	}
	named := sent.Get("redirect_uri")
	redirect, ours := client.Redirect(named)
	if err == nil && (!ours || len(redirects) > 1) {
		return authorization{}, unknownRedirect, nil
	}
	return authorization{client: client, named: named, redirect: redirect}, "", err
}

// read adds what else the request says. Failure: one with an error code of OAuth.
func (a authorization) read(sent url.Values) (authorization, error) {
	if states := sent["state"]; len(states) == 1 && printable(states[0]) {
		a.state = states[0]
	}
	for _, name := range parameters {
		switch values := sent[name]; {
		case len(values) > 1:
			return a, oauth.Refused(oauth.InvalidRequest, "The parameter "+name+" must be sent once.")
		case len(values) == 1 && !printable(values[0]):
			return a, oauth.Refused(oauth.InvalidRequest, "The parameter "+name+" is too long, or has control characters.")
		}
	}
	switch sent.Get("response_type") {
	case "code":
	case "":
		return a, oauth.Refused(oauth.InvalidRequest, "The parameter response_type is missing.")
	default:
		return a, oauth.Refused(oauth.UnsupportedResponseType, "The response_type must be code.")
	}
	if err := a.challenged(sent.Get("code_challenge"), sent.Get("code_challenge_method")); err != nil {
		return a, err
	}
	scopes, err := a.client.Requested(sent.Get("scope"))
	a.challenge, a.scopes = sent.Get("code_challenge"), scopes
	return a, err
}

var challenges = regexp.MustCompile(`^[0-9A-Za-z_-]{43,128}$`)

// challenged checks the challenge of PKCE. One without a method would be plain (RFC 7636
// §4.3), which shows the verifier to all who see the request. A method without a challenge
// comes from a client that takes itself for protected.
func (authorization) challenged(challenge, method string) error {
	switch {
	case challenge == "" && method == "":
		return nil
	case method != "S256":
		return oauth.Refused(oauth.InvalidRequest, "The code_challenge_method must be S256.")
	case !challenges.MatchString(challenge):
		return oauth.Refused(oauth.InvalidRequest, "The code_challenge must have 43 to 128 characters of base64url.")
	}
	return nil
}

func printable(text string) bool {
	return len(text) <= maxParameter && len(validate.Forms(struct {
		Text string `form:"text" validate:"text=2048"`
	}{text})) == 0
}

// query is that of a request for the same. It names the scopes, so that nobody allows others
// than the page has shown.
func (a authorization) query() url.Values {
	asked := url.Values{"response_type": {"code"}, "client_id": {a.client.ID}, "scope": {strings.Join(a.scopes, " ")}}
	for name, value := range map[string]string{"redirect_uri": a.named, "state": a.state,
		"code_challenge": a.challenge} {
		if value != "" {
			asked.Set(name, value)
		}
	}
	if a.challenge != "" {
		asked.Set("code_challenge_method", "S256")
	}
	return asked
}

// answer is the redirect_uri with the answer added to its query (RFC 6749 §3.1.2), and with
// who answers, so that a client of several servers cannot be led to another one (RFC 9207).
func (a authorization) answer(issuer string, values url.Values) string {
	values.Set("iss", issuer)
	if a.state != "" {
		values.Set("state", a.state)
	}
	separator := "?"
	if _, query, has := strings.Cut(a.redirect, "?"); has {
		separator = "&"
		if query == "" || strings.HasSuffix(query, "&") {
			separator = ""
		}
	}
	// Each + is a blank, and %20 is read as one by all clients.
	return a.redirect + separator + strings.ReplaceAll(values.Encode(), "+", "%20")
}

// source names where the answer goes in a Content-Security-Policy. It is the whole scheme:
// Chromium holds a form's policy against each redirect that follows it, and a client's
// callback may send the browser on to another host.
func (a authorization) source() string {
	u, err := url.Parse(a.redirect)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "http": // on the person's own machine, from where it may go on to any other
		return "http: https:"
	}
	return u.Scheme + ":"
}

// host is where the answer goes, for people.
func (a authorization) host() string {
	if u, err := url.Parse(a.redirect); err == nil && u.Host != "" {
		return u.Host
	}
	return a.client.Name
}
