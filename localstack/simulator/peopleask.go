package simulator

import (
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

// ask is what a request means, however often it is sent.
type ask struct {
	office *office
	holder *holder // nil: a browser
	do     any     // as in linear.PeopleRequest; what is made has no id yet
	mark   string  // by which that is found: the first name or note of what is made
	group  string  // of requests that make their change once
}

// askHeader names the request's ask. The platform ignores it.
const askHeader = "X-Ask"

// ask sends a request until it is answered for good.
func (o *office) ask(actor string, h *holder, r client.Request, meant ask) response {
	meant.office, meant.holder = o, h
	if r.IdempotencyKey != "" {
		meant.group = h.token + " " + r.IdempotencyKey
	}
	r.APIKey = h.token
	tenant := o.shop.tenant
	if h.home != o {
		tenant = "" // of its own tenant the token is read, and the membership
	}
	return o.insist(actor, tenant, o.means(meant, r))
}

// means notes what a request means.
func (o *office) means(meant ask, r client.Request) client.Request {
	o.record(func() {
		r.Header = map[string]string{askHeader: strconv.Itoa(len(o.asks))}
		o.asks = append(o.asks, &meant)
	})
	return r
}

// read lists members, roles or keys.
func (o *office) read(actor string, rng *rand.Rand, h *holder) {
	what := []string{"members?limit=50", "members?limit=50", "roles", "api-keys?limit=50"}[rng.IntN(4)]
	name, _, _ := strings.Cut(what, "?")
	o.ask(actor, h, client.Request{Method: http.MethodGet, Path: o.path(what)}, ask{do: listing(name)})
}

// listing is a request for all members, roles or keys; memberships is one for those of
// the caller's user.
type (
	listing     string
	memberships struct{}
)

// listMemberships asks what the holder's user is of which merchants.
func (o *office) listMemberships(actor string, _ *rand.Rand, h *holder) {
	if h.user == "" {
		return
	}
	o.ask(actor, h, client.Request{Method: http.MethodGet, Path: "/v0.1/memberships?limit=50"}, ask{do: memberships{}})
}

// invited says whether the token is of an invitation of this office.
func (o *office) invited(token string) bool {
	return o.writes.made[o.shop.tenant+" invitation "+digest(token)] != ""
}

// link is the path of an invitation in a mail.
var link = regexp.MustCompile(`/invitations/([A-Za-z0-9_-]+)`)

// accept waits for the mail of an invitation, and follows its link, as somebody does who
// wants to belong to the office.
func (o *office) accept(actor string, rng *rand.Rand) {
	var token string
	o.wait(func() bool {
		address := pick(rng, o.guests)
		if o.race.narrow && o.hot.guest != "" {
			address = sameGuest
		}
		for _, m := range o.mails.Sent() {
			found := link.FindStringSubmatch(m.Text)
			if found != nil && m.To == address && (!o.race.common || o.invited(found[1])) {
				token = found[1]
			}
		}
		return token != ""
	})
	if token == "" {
		return
	}
	path := "/invitations/" + token
	page := o.insist(actor, "", client.Request{Method: http.MethodGet, Path: path})
	form, err := page.Form()
	if err != nil { // it was accepted, or is no more
		return
	}
	form.Fields.Set("password", password)
	r := form.Request()
	r.Path = path
	r = o.means(ask{mark: "invitation " + digest(token), do: linear.MemberChange{Accept: true}}, r)
	r.Header["Cookie"], _, _ = strings.Cut(page.Header.Get("Set-Cookie"), ";")
	o.insist(actor, "", r)
}
