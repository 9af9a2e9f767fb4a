package payments

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Step is the next page for the payer's browser. A challenge (3DS) is a form or a link: with a Payload, the browser
// posts the Payload as a form to URL; without a Payload, the browser opens URL. For a redirect method, the browser
// opens URL with the Payload as parameters of the query.
type Step struct {
	URL     string
	Payload map[string]string
}

// IsLink returns true if the browser opens the page of a challenge, and false if the browser posts a form to the page.
func (s Step) IsLink() bool { return len(s.Payload) == 0 }

// AcquirerHosts lists the hosts that the challenges of live acquirers may lead to. The zero value allows no host.
type AcquirerHosts struct {
	Patterns []string // host names, or "*." with the name above all allowed hosts; in lower case
	Loopback bool     // also allow this machine, at any port and without TLS; false in a deployment
}

// Limits of the text that ParseAcquirerHosts reads. The hosts are sent in a header of each page that leads to them.
const (
	maxHostsText = 2048
	maxHostName  = 253 // RFC 1035 §2.3.4, without the final dot
)

// hostName matches a host name of at least two labels (RFC 1123 §2.1). The last label is not a number, so that no
// address of IPv4 matches.
var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

var errHosts = errors.New("must be host names, such as pay.example.com or *.example.com, with blanks between them")

// ParseAcquirerHosts reads hosts with blanks between them. A host is a name, or "*." with a name, which allows all
// hosts below the name. CheckSuffixes must accept the result, too.
func ParseAcquirerHosts(text string) (AcquirerHosts, error) {
	var h AcquirerHosts
	if len(text) > maxHostsText {
		return h, fmt.Errorf("must have at most %d bytes", maxHostsText)
	}
	for pattern := range strings.FieldsSeq(strings.ToLower(text)) {
		name := strings.TrimPrefix(pattern, "*.")
		if len(name) > maxHostName || !hostName.MatchString(name) {
			return AcquirerHosts{}, errHosts
		}
		h.Patterns = append(h.Patterns, pattern)
	}
	return h, nil
}

// CheckSuffixes refuses a list with a public suffix (such as com, co.uk or github.io), because anyone can register a
// host below a public suffix. It is not a part of ParseAcquirerHosts, because only programs that call it link the list
// of all public suffixes, which is large.
func (h AcquirerHosts) CheckSuffixes() error {
	for _, pattern := range h.Patterns {
		name := strings.TrimPrefix(pattern, "*.")
		if suffix, _ := publicsuffix.PublicSuffix(name); suffix == name {
			return fmt.Errorf("must not contain the public suffix %s", name)
		}
	}
	return nil
}

// Sources returns the hosts as sources of a Content-Security-Policy.
func (h AcquirerHosts) Sources() []string {
	sources := make([]string, len(h.Patterns))
	for i, pattern := range h.Patterns {
		sources[i] = "https://" + pattern
	}
	if h.Loopback {
		sources = append(sources, "http://localhost:*", "http://127.0.0.1:*")
	}
	return sources
}

// Check returns the step if it leads to one of the hosts over https. The URL of the returned step is written again, so
// that a browser cannot read it in another way than Check did. The error names the host but not the URL, whose path and
// query may be secret.
func (h AcquirerHosts) Check(s Step) (Step, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return Step{}, errors.New("the step's URL cannot be parsed")
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case u.User != nil:
		return Step{}, fmt.Errorf("the step's URL has user information, host %.99q", host)
	case h.isLoopback(u.Scheme, host):
	case u.Scheme != "https":
		return Step{}, fmt.Errorf("the step has the scheme %.20q, want https", u.Scheme)
	case !h.allows(host) || u.Port() != "" && u.Port() != "443":
		return Step{}, fmt.Errorf("the step leads to %.99q, which is not an acquirer's host", u.Host)
	}
	s.URL = u.String()
	return s, nil
}

// allows returns true if the list has the host. It refuses hosts that are no valid names, such as a"b.example.com.
func (h AcquirerHosts) allows(host string) bool {
	return len(host) <= maxHostName && hostName.MatchString(host) &&
		slices.ContainsFunc(h.Patterns, func(pattern string) bool {
			above, all := strings.CutPrefix(pattern, "*")
			return host == pattern || all && strings.HasSuffix(host, above)
		})
}

func (h AcquirerHosts) isLoopback(scheme, host string) bool {
	addr, err := netip.ParseAddr(host)
	return h.Loopback && (scheme == "http" || scheme == "https") &&
		(host == "localhost" || err == nil && addr.IsLoopback())
}
