package isolation_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// credential is a caller's credential, with its principal at each merchant.
type credential struct {
	name, text string
	atOwn      identity.Principal  // in the merchant's test mode; zero if it is refused
	atForeign  *identity.Principal // at the foreign merchant; nil without access
}

// hasAllRights returns true if the caller has all rights of its kind.
func (c credential) hasAllRights() bool {
	return len(c.atOwn.Scopes) == len(identity.AllScopes()) && (!c.atOwn.IsPerson() || c.atOwn.Owner)
}

// target is the owner of the data that a request names.
type target int

const (
	own target = iota
	foreign
	otherMode
)

var targets = map[target]string{own: "own", foreign: "foreign merchant", otherMode: "other mode"}

// isolation is a merchant with all kinds of data in both modes, and a foreign merchant with the same data under other
// names.
type isolation struct {
	world.Shop
	routes      map[string]rest.Route // by method and path
	fixtures    map[target]*examples.Fixture
	credentials []credential
}

// marker is part of the foreign merchant's names and texts.
const marker = "zitronenfalter"

func newIsolation(t *testing.T) *isolation {
	t.Helper()
	w := world.New(t)
	w.GoLive()
	live := w.Shop().WithCallbacks().NewLiveShop()
	i := &isolation{Shop: live, routes: allRoutes(w)}
	i.Shop = live.WithTestKey()
	strange := live.NewShop("DE", "EUR", map[string]any{"name": marker, "email": "joins@example.com"})
	i.fixtures = map[target]*examples.Fixture{}
	for of, shop := range map[target]world.Shop{own: i.Shop, foreign: strange, otherMode: live} {
		i.fixtures[of] = examples.WithEverything(shop)
	}
	i.addKeys()
	i.addTokens(strange)
	i.addInvalid()
	return i
}

func (i *isolation) add(name, text string, p identity.Principal) *credential {
	p.Tenant = i.Tenant()
	i.credentials = append(i.credentials, credential{name: name, text: text, atOwn: p})
	return &i.credentials[len(i.credentials)-1]
}

func principalOf(kind identity.Kind, scopes ...string) identity.Principal {
	return identity.Principal{Actor: identity.Actor{Kind: kind}, Scopes: scopes}
}

func (i *isolation) addKeys() {
	all := identity.AllScopes()
	i.add("secret key", i.Merchant.Key.Plaintext, principalOf(identity.SecretKey, all...))
	i.add("secret key without scopes", i.NewKey("secret"), principalOf(identity.SecretKey))
	i.add("restricted key", i.NewKey("secret", "checkouts.read", "members.read"),
		principalOf(identity.SecretKey, "checkouts.read", "members.read"))
	i.add("public key", i.NewKey("public"), principalOf(identity.PublicKey))
	token := principalOf(identity.MerchantToken)
	token.Actions = []identity.Action{identity.CheckoutAction}
	i.add("merchant token", i.MerchantToken(), token)
}

func (i *isolation) addTokens(strange world.Shop) {
	all := identity.AllScopes()
	acting := func(kind identity.Kind) func(*identity.AccessToken) {
		return func(t *identity.AccessToken) { t.Kind = kind }
	}
	i.add("client", i.Token(), principalOf(identity.Client, all...))
	i.add("test profile", i.Token(acting(identity.TestProfile)), principalOf(identity.TestProfile, all...))
	person := func(m member.Member, scopes ...string) identity.Principal {
		p := principalOf(m.Kind(), scopes...)
		p.Actor.ID, p.Owner, p.Permissions = m.ID, m.Owner(), m.Permissions(member.Roles{})
		return p
	}
	owner := i.Owner()
	i.add("owner", i.TokenOf(owner), person(owner, all...))
	i.add("owner with few scopes", i.TokenOf(owner, "payouts.read", "roles.write"),
		person(owner, "payouts.read", "roles.write"))
	for name, permissions := range map[string]member.Permissions{"employee without permissions": {},
		"administrator": {Admin: true},
		"accountant":    {FullTransactionHistoryView: true, RefundTransactions: true}} {
		m := i.Employ(strings.ReplaceAll(name, " ", "-")+"@example.com", permissions)
		i.add(name, i.TokenOf(m), person(m, all...))
	}
	foreigner := strange.Owner()
	both := i.add("owner who is an employee here", strange.Join(i.Shop, foreigner, member.RoleEmployee),
		principalOf(identity.User, all...))
	there := person(foreigner, all...)
	both.atForeign = &there
}

// addInvalid adds credentials without any rights.
func (i *isolation) addInvalid() {
	i.add("expired token", i.Token(func(t *identity.AccessToken) { t.ExpiresAt = t.CreatedAt }),
		identity.Principal{})
	disabled, deleted := i.Employ("disabled@example.com", member.Permissions{Admin: true}),
		i.Employ("deleted@example.com", member.Permissions{Admin: true})
	for _, m := range []member.Member{disabled, deleted} {
		i.add("token of "+m.Email, i.TokenOf(m), identity.Principal{})
	}
	_, err := i.App.Store.UpdateMember(i.Context(), world.ByTest, i.Tenant(), disabled.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			return m.Enabled(false, i.App.Store.Now()), nil
		})
	if err != nil {
		i.Fatal(err)
	}
	if _, err = i.App.Store.DeleteMember(i.Context(), world.ByTest, i.Tenant(), deleted.Number(), "delete", member.EndKeys,
		func(member.Member, member.Roles) error { return nil }); err != nil {
		i.Fatal(err)
	}
	i.add("random token", strings.Repeat("0a", 32), identity.Principal{})
}

// admitted stands for any status of a request that is let in.
const admitted = 0

// refusedByName are the operations that refuse a foreign merchant's data with another status than 404.
var refusedByName = map[string]int{
	"createCheckout":        http.StatusForbidden,  // contract §2.1: a merchant_code in a body
	"retrieveReceipt":       http.StatusBadRequest, // contract §6.6: mid
	"retrieveLegacyReceipt": http.StatusBadRequest,
	"createReceiptLink":     http.StatusBadRequest, // likewise
	"emailReceipt":          http.StatusBadRequest, // likewise
}

// sharedParams are the path parameters with the same value in both modes.
var sharedParams = []string{"merchant_code", "person_id"}

// wantStatus returns the expected status of a request by the table of routes.
func (i *isolation) wantStatus(c credential, o checker.Operation, at target) int {
	route, p := i.routes[o.Method+" "+o.Path], c.atOwn
	named := strings.Contains(o.Path, "{merchant_code}")
	isThere := at == foreign && c.atForeign != nil && named
	if isThere {
		p = *c.atForeign
	}
	inputs := o.InputsIn("path")
	params := slices.DeleteFunc(inputs, func(in checker.Input) bool { return slices.Contains(sharedParams, in.Path) })
	switch refused := refusedByName[o.OperationID]; {
	case p.Actor.Kind == "":
		return http.StatusUnauthorized
	case !mayCall(route, p):
		return http.StatusForbidden
	case at == own || isThere:
		return admitted
	case at == foreign && refused != 0:
		return refused
	case at == foreign && strings.Contains(o.Path, "{"), at == otherMode && len(params) > 0:
		return http.StatusNotFound
	default:
		return admitted
	}
}

// mayCall applies the table of routes as the contract describes it (contract §2.1, contract §8.1).
func mayCall(r rest.Route, p identity.Principal) bool {
	administration := []identity.Permission{identity.MembersRead, identity.MembersWrite, identity.DeveloperSettingsRead,
		identity.DeveloperSettingsWrite}
	hasScope := len(r.Scopes) == 0
	for _, scope := range r.Scopes {
		hasScope = hasScope || slices.Contains(p.Scopes, scope)
	}
	switch p.Actor.Kind {
	case identity.PublicKey:
		return r.Access == rest.PublicToo
	case identity.MerchantToken:
		return slices.Contains(p.Actions, r.Action)
	case identity.User, identity.Operator:
		return hasScope && (r.Permission == "" || slices.Contains(p.Permissions, r.Permission))
	case identity.TestProfile:
		return hasScope && !slices.Contains(administration, r.Permission)
	default:
		return hasScope
	}
}

// TestIsolation_ForeignMerchantAndOtherMode sends every operation with every kind of credential. The requests name data
// of the credential's own merchant, of a foreign merchant, and of the other mode. Each world also checks that the calls
// to the table name only partitions of the caller's tenant. The test sends thousands of requests and takes seconds.
func TestIsolation_ForeignMerchantAndOtherMode(t *testing.T) {
	t.Parallel()
	i, shown := newIsolation(t), newExposure(t)
	detailed := i.storePersons()
	operations := slices.DeleteFunc(slices.Clone(examples.All(t)), func(o checker.Operation) bool { return o.Public })
	slices.SortStableFunc(operations, func(a, b checker.Operation) int { // read data before they are changed
		return strings.Compare(sortKey(a), sortKey(b))
	})
	for _, o := range operations {
		for at := range targets {
			r := i.fixtures[at].Named(o)
			for _, c := range i.credentials {
				r.APIKey = c.text
				got := i.Do(r)
				i.check(c, o, at, r, got)
				if at == own {
					shown.note(c, o, got)
				}
			}
		}
		i.noteDetails(shown, o, detailed)
	}
	shown.check(t)
}

// sortKey returns a sort key that puts reads first.
func sortKey(o checker.Operation) string {
	if o.Method == http.MethodGet {
		return "1"
	}
	return "2"
}

func (i *isolation) check(c credential, o checker.Operation, at target, r world.Request, got world.Response) {
	i.Helper()
	what := c.name + ", " + o.OperationID + ", " + targets[at]
	want := i.wantStatus(c, o, at)
	named := c.atForeign != nil && at == foreign && strings.Contains(o.Path, "{merchant_code}")
	switch {
	case want == admitted && o.Method == http.MethodGet && (named || at == own && c.hasAllRights()) &&
		got.Status != http.StatusOK:
		i.Errorf("%s: got %d %s, want 200", what, got.Status, got.Body)
	case want != admitted && got.Status != want:
		i.Errorf("%s: got %d %s, want %d", what, got.Status, got.Body, want)
	case want == admitted && (got.Status == http.StatusUnauthorized || got.Status >= http.StatusInternalServerError ||
		c.hasAllRights() && got.Status == http.StatusForbidden):
		i.Errorf("%s: got %d %s, want it let in", what, got.Status, got.Body)
	}
	for hidden, fix := range i.fixtures {
		if hidden == own || hidden == foreign && c.atForeign != nil {
			continue
		}
		for _, text := range marks(fix, hidden) {
			if strings.Contains(string(got.Body), text) && !strings.Contains(r.Path, text) {
				i.Errorf("%s: got %s, want nothing of the %s, such as %s", what, got.Body, targets[hidden], text)
			}
		}
	}
}

// marks returns texts that appear only in answers about the fixture's merchant and mode.
func marks(fix *examples.Fixture, of target) []string {
	var texts []string
	if of == foreign {
		texts = []string{marker, fix.Merchant.Code}
	}
	for shown, value := range fix.Made {
		if shown != value && len(value) > len("MC0A1B2C3D") { // longer than a merchant code, which both modes share
			texts = append(texts, value)
		}
	}
	return slices.DeleteFunc(texts, func(text string) bool {
		return strings.HasPrefix(text, "http") || strings.HasPrefix(text, "pers_") // both modes share these
	})
}
