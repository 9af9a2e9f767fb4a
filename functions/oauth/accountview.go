package oauth

import (
	"context"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

//go:embed account.css
var accountStyle string

var accountPage = page.New("").Styled(accountStyle)

// accountView has the data of an account's page.
type accountView struct {
	texts
	accountTexts

	Name     string
	Links    []accountLink
	Sessions []sessionView
	Apps     []appView
	Problem  problem

	CSRF         string
	EndAction    string // action of the form that ends sessions
	RevokeAction string // action of the form that revokes clients
	SignIn       string // action of the form to sign out
	SignCSRF     string
}

// accountLink leads from the account's page to a page of one setting.
type accountLink struct{ Path, Label string }

// sessionView is one session of the account.
type sessionView struct {
	ID      string // signin.SessionID
	Browser string // "": unknown
	Own     bool   // of the browser that shows the page
	Pending bool
	At      time.Time // of the sign-in
	Minutes int       // since the sign-in
}

// appView is a client that the account allowed to act, with all of its grants.
type appView struct {
	ID        string
	Name      string
	Mode      identity.Mode
	Merchants []string
	Scopes    []string
	Since     time.Time // when the first of the grants was made
	Used      time.Time // when a refresh token was last used
}

func (f family) drawAccount(ctx context.Context, of visitor, wrong problem) (rest.Document, error) {
	cookie, t := f.forms.Cookie(ctx), f.chooseTexts(ctx)
	v := accountView{texts: t, accountTexts: accountIn.In(t.language), Name: of.account.Name, Problem: wrong,
		CSRF: f.forms.Token(cookie, accountForm), EndAction: f.localPath("/account/sessions"),
		RevokeAction: f.localPath("/account/applications"), SignIn: f.localPath("/sign-in"),
		SignCSRF: f.forms.Token(cookie, signInForm)}
	if of.account.Kind != identity.TestProfile {
		v.Links = append(v.Links, accountLink{f.localPath("/account/second-factor"), v.factor})
	}
	if of.account.Kind == identity.User {
		v.Links = append(v.Links, accountLink{f.localPath("/password"), v.renew})
	}
	sessions, err := f.listSessions(ctx, of)
	if err == nil {
		v.Sessions = sessions
		v.Apps, err = f.listApps(ctx, of.account)
	}
	if err != nil {
		return rest.Document{}, err
	}
	return f.drawOn(accountPage, cookie, t, v.accountTitle, wrong, accountBody(v))
}

// listSessions returns the account's sessions, the browser's session first.
func (f family) listSessions(ctx context.Context, of visitor) ([]sessionView, error) {
	stored, err := f.store.SignIns(ctx, of.account)
	all := []sessionView{f.describeSession(of.session, true)}
	for _, s := range stored {
		if s.Hash != of.session.Hash && s.Of(of.account) {
			all = append(all, f.describeSession(s, false))
		}
	}
	return all, err
}

func (f family) describeSession(s signin.Session, own bool) sessionView {
	return sessionView{ID: signin.SessionID(s.Hash), Browser: s.Browser, Own: own, Pending: s.Pending, At: s.BeganAt,
		Minutes: int(max(0, f.store.Now().Sub(s.BeganAt)).Minutes())}
}

// listApps returns the clients with a valid grant of the account, in the order of their names.
func (f family) listApps(ctx context.Context, account signin.Account) ([]appView, error) {
	grants, err := f.store.AllowedGrants(ctx, account)
	if err != nil {
		return nil, err
	}
	var all []appView
	for _, mode := range identity.Modes {
		inMode := slices.DeleteFunc(slices.Clone(grants), func(g store.AllowedGrant) bool { return g.Tenant.Mode != mode })
		if len(inMode) == 0 {
			continue
		}
		places, err := f.listMerchants(ctx, mode, account)
		if err != nil {
			return nil, err
		}
		for _, g := range inMode {
			if p, held := findPlace(places, g, account); held {
				all = addGrant(all, g, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b appView) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return all, nil
}

// findPlace returns the merchant that the grant was made for. It returns false if the account's access there has ended
// since (contract §10).
func findPlace(places []place, g store.AllowedGrant, account signin.Account) (place, bool) {
	at := slices.IndexFunc(places, func(p place) bool {
		return p.tenant == g.Tenant && p.subject == g.Subject && !g.SignedIn.Before(p.since)
	})
	if at < 0 || !signin.HeldByPassword(g.Holder, account.Passwords) {
		return place{}, false
	}
	return places[at], true
}

// addGrant adds a grant to its client's entry. The grants of one client follow each other.
func addGrant(all []appView, g store.AllowedGrant, p place) []appView {
	if len(all) == 0 || all[len(all)-1].ID != g.Client {
		all = append(all, appView{ID: g.Client, Name: g.App.Name, Mode: g.Tenant.Mode, Since: g.CreatedAt})
	}
	app := &all[len(all)-1]
	if !slices.Contains(app.Merchants, p.label()) {
		app.Merchants = append(app.Merchants, p.label())
	}
	app.Scopes = append(app.Scopes, g.Scopes...)
	if g.CreatedAt.Before(app.Since) {
		app.Since = g.CreatedAt
	}
	if used := g.UsedAt(); used.After(app.Used) {
		app.Used = used
	}
	return all
}

func (v accountView) browser(s sessionView) string {
	if s.Browser == "" {
		return v.unknownBrowser
	}
	return s.Browser
}

// age says when the session began.
func (v accountView) age(s sessionView) string {
	if s.Minutes == 0 {
		return v.justNow
	}
	return page.Fill(v.minutesAgo, "{minutes}", strconv.Itoa(s.Minutes))
}

// allowed says since when a client may act, and when it last did.
func (v accountView) allowed(a appView) string {
	return page.Fill(v.allowedSince, "{since}", a.Since.Format(time.DateOnly), "{used}", a.Used.Format(time.DateOnly))
}
