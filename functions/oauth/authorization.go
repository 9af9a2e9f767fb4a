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

// authorization is a client's request for a person's authorization (RFC 6749 §4.1.1, RFC 7636 §4.3).
type authorization struct {
	client    oauth.Client
	named     string // redirect_uri in the request; "" if absent
	redirect  string // redirect_uri that gets the response
	scopes    []string
	state     string
	challenge string // of PKCE, S256; "" if absent
}

// unknown names the parameter of a request whose value is not registered: the client or the redirect_uri. Such a
// request gets an error page, not a redirect (RFC 6749 §4.1.2.1).
type unknown string

const (
	unknownClient   unknown = "client"
	unknownRedirect unknown = "redirect_uri"
)

// parameters lists the parameters of an authorization request. The server ignores all others (RFC 6749 §3.1).
var parameters = []string{"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge",
	"code_challenge_method"}

const (
	maxParameter = 2048 // bytes of each parameter
	maxClientID  = 64   // bytes
)

// identify reads a request's client and redirect_uri. If either is unknown, no redirect may follow (RFC 9700 §4.11).
func (f family) identify(ctx context.Context, sent url.Values) (authorization, unknown, error) {
	ids, redirects := sent["client_id"], sent["redirect_uri"]
	if len(ids) != 1 || ids[0] == "" || len(ids[0]) > maxClientID {
		return authorization{}, unknownClient, nil
	}
	client, err := f.store.OAuthClient(ctx, ids[0])
	if failure.Is(err, failure.KindNotFound) || err == nil && client.Revoked() {
		return authorization{}, unknownClient, nil
	}
	named := sent.Get("redirect_uri")
	redirect, registered := client.Redirect(named)
	if err == nil && (!registered || len(redirects) > 1) {
		return authorization{}, unknownRedirect, nil
	}
	return authorization{client: client, named: named, redirect: redirect}, "", err
}

// read adds the request's other parameters. If it fails, the failure has an OAuth error code to send to the
// redirect_uri.
func (a authorization) read(sent url.Values) (authorization, error) {
	if states := sent["state"]; len(states) == 1 && isValidParameter(states[0]) {
		a.state = states[0]
	}
	for _, name := range parameters {
		switch values := sent[name]; {
		case len(values) > 1:
			return a, oauth.Refused(oauth.InvalidRequest, "The parameter "+name+" must be sent once.")
		case len(values) == 1 && !isValidParameter(values[0]):
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
	if err := checkChallenge(sent.Get("code_challenge"), sent.Get("code_challenge_method")); err != nil {
		return a, err
	}
	scopes, err := a.client.Requested(sent.Get("scope"))
	a.challenge, a.scopes = sent.Get("code_challenge"), scopes
	return a, err
}

var challenges = regexp.MustCompile(`^[0-9A-Za-z_-]{43,128}$`)

// checkChallenge checks the challenge of PKCE. It refuses a challenge without a method, because the method would be
// plain (RFC 7636 §4.3), which shows the verifier to everyone who sees the request. It also refuses a method without a
// challenge, because the client relies on PKCE.
func checkChallenge(challenge, method string) error {
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

func isValidParameter(text string) bool {
	return len(text) <= maxParameter && len(validate.Forms(struct {
		Text string `form:"text" validate:"text=2048"`
	}{text})) == 0
}

// query returns the query of an equal request with the default scopes filled in, so that people allow exactly the
// scopes that they saw.
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

// responseURL returns the redirect_uri with the response (RFC 6749 §3.1.2) and the issuer, against mix-ups (RFC 9207).
func (a authorization) responseURL(issuer string, values url.Values) string {
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
	// Encode writes a space as +, but every client understands %20.
	return a.redirect + separator + strings.ReplaceAll(values.Encode(), "+", "%20")
}

// formActionSource returns the form-action source for the redirect_uri. The source is the scheme alone, for any host:
// Chromium applies form-action to every redirect after a form, and a client's callback may redirect to another host.
func (a authorization) formActionSource() string {
	u, err := url.Parse(a.redirect)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "http": // the person's own machine, which may redirect to https
		return "http: https:"
	}
	return u.Scheme + ":"
}

func (a authorization) host() string {
	if u, err := url.Parse(a.redirect); err == nil && u.Host != "" {
		return u.Host
	}
	return a.client.Name
}
