package oauth_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// state has the effects of a form with a code: the second factor, and for each session true if the session is Pending.
type state struct {
	Factor  signin.Factor
	Pending []bool
}

// account is a person's account. The test sets its sessions and second factor.
type account struct {
	people

	signin.Account
}

func (a account) secrets() signin.Secrets { return a.App.FactorKey().Of(a.User()) }

// sessions returns the items of all sessions.
func (a account) sessions() (all []struct {
	PK      string `dynamo:"pk"`
	SK      string `dynamo:"sk"`
	Pending bool   `dynamo:"pending"`
}) {
	a.Helper()
	_, table := a.App.Store.Raw()
	err := table.Scan().Filter("begins_with(pk, ?)", "SIGNIN#").All(a.Context(), &all)
	if err != nil {
		a.Fatal(err)
	}
	return all
}

func (a account) readState() (now state) {
	a.Helper()
	f, err := a.App.Store.SecondFactor(a.Context(), a.User())
	if err != nil {
		a.Fatal(err)
	}
	now.Factor = f
	for _, s := range a.sessions() {
		now.Pending = append(now.Pending, s.Pending)
	}
	return now
}

// startSession deletes the account's sessions and stores a new session. It returns the browser of the new session.
func (a account) startSession(pending bool) (*browser, signin.Session) {
	a.Helper()
	_, table := a.App.Store.Raw()
	for _, s := range a.sessions() {
		if err := table.Delete("pk", s.PK).Range("sk", s.SK).Run(a.Context()); err != nil {
			a.Fatal(err)
		}
	}
	b := a.newBrowser()
	b.open("/sign-in")
	_, value, _ := strings.Cut(b.cookie, "=")
	session := signin.Session{Hash: identity.Hash(value), Account: a.Account,
		Password: a.Passwords.Current(), Pending: pending,
		SignedIn: a.Clock.Now(), BeganAt: a.Clock.Now(), Expires: a.Clock.Now().Add(signin.SessionLasts)}
	if err := a.App.Store.PutSignIn(a.Context(), session); err != nil {
		a.Fatal(err)
	}
	return b, session
}

// setFactor turns the second factor on or off.
func (a account) setFactor(on bool) signin.Factor {
	a.Helper()
	now := a.Clock.Now()
	f, err := a.App.Store.ChangeSecondFactor(a.Context(), a.Account, func(f signin.Factor) (signin.Factor, error) {
		f = f.Off()
		if !on {
			return f, nil
		}
		app := factor{app: a.secrets().App(f.Begins("another session"))}
		return f.Confirm(a.secrets(), "another session", signin.Code{Text: secret.New(app.code(a.people, 0)), At: now}, now)
	})
	if err != nil {
		a.Fatal(err)
	}
	return f
}

// interrupted has the requests to interrupt. prepare sets the state that a request needs. done returns true if the
// request was carried out. again is the status of the reply if such a request is repeated.
var interrupted = map[string]struct {
	prepare func(a account) world.Request
	done    func(before, now state) bool
	again   int
}{
	"confirm": {func(a account) world.Request {
		a.setFactor(false)
		b, _ := a.startSession(false)
		b.open(ownFactor)
		return b.request("POST", ownFactor, b.updateForm("confirm", b.scan().code(a.people, 0)))
	}, func(_, now state) bool { return now.Factor.Confirmed() && now.Factor.Left() == 10 }, http.StatusSeeOther},
	"disable": {func(a account) world.Request {
		f := a.setFactor(true)
		b, _ := a.startSession(false)
		b.open(ownFactor)
		return b.request("POST", ownFactor, b.updateForm("disable", a.secrets().Recovery(f.Recovery.ID)[0]))
	}, func(before, now state) bool {
		return cmp.Equal(now.Factor, signin.Factor{Version: before.Factor.Version + 1})
	}, http.StatusSeeOther},
	"new codes": {func(a account) world.Request {
		f := a.setFactor(true)
		b, _ := a.startSession(false)
		b.open(ownFactor)
		return b.request("POST", ownFactor, b.updateForm("new_codes", a.secrets().Recovery(f.Recovery.ID)[0]))
	}, func(before, now state) bool {
		return now.Factor.Recovery.ID != before.Factor.Recovery.ID && now.Factor.Left() == 10
	}, http.StatusBadRequest},
	"sign in": {func(a account) world.Request {
		f := a.setFactor(true)
		b, _ := a.startSession(true)
		b.open("/sign-in")
		form := b.filledForm(codePage, url.Values{"code": {a.secrets().Recovery(f.Recovery.ID)[7]}})
		return b.request("POST", codePage, form)
	}, func(_, now state) bool {
		return slices.Equal(now.Factor.Recovery.Used, []int{7}) && slices.Equal(now.Pending, []bool{false})
	}, http.StatusSeeOther},
}

// TestSecondFactor_Interrupted checks that an interrupted request has done everything or nothing. The repeated request
// completes the change, or does nothing more if the first request made it.
func TestSecondFactor_Interrupted(t *testing.T) {
	t.Parallel()
	for name, c := range interrupted {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeople(t)
			p.join(p.Tenant(), ada)
			found, err := p.App.Store.SignInAccount(t.Context(), signin.ParseName(ada, ""), p.Tenant().Mode)
			if err != nil {
				t.Fatal(err)
			}
			a := account{p, found}
			p.Attempts(3, func(try string, send func(world.Request) world.Response) {
				p.Clock.Advance(time.Hour)
				r := c.prepare(a)
				before := a.readState()
				send(r)
				now := a.readState()
				done := c.done(before, now)
				if !done && !cmp.Equal(before, now) {
					t.Fatalf("%s: got a part only (-before +now):\n%s", try, cmp.Diff(before, now))
				}
				got := p.Do(r)
				last := a.readState()
				if got.Status == http.StatusBadRequest { // the code's set of recovery codes was replaced
					last.Factor.Wrong, last.Factor.WrongUnder, last.Factor.Version = 0, "", now.Factor.Version
				}
				if done {
					if diff := cmp.Diff(now, last); diff != "" || got.Status != c.again {
						t.Errorf("%s: again: got %d, want %d; (-was +is):\n%s", try, got.Status, c.again, diff)
					}
				} else if got.Status != http.StatusSeeOther || !c.done(before, last) {
					t.Errorf("%s: got %d %s, want it done; (-before +now):\n%s", try, got.Status, got.Body, cmp.Diff(before, last))
				}
			})
		})
	}
}
