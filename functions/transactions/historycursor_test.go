package transactions_test

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// refs lists the parameters that accept a ref.
var refs = []string{"oldest_ref", "newest_ref"}

// crowd is a history with two payments of an employee. Hundreds of other items lie between them.
type crowd struct {
	*historyFixture
	employee, colleague world.Shop
	own                 []string // the employee's items, the oldest first
}

func newCrowd(t *testing.T) crowd {
	t.Helper()
	p := crowd{historyFixture: newHistoryFixture(t, 300)}
	p.limitUnits(1) // so that a page ends without an item after 200 others
	s := p.Shop()
	p.employee = s.WithKey(s.TokenOf(s.Employ("till@example.com", member.Permissions{RefundTransactions: true})))
	p.colleague = s.WithKey(s.TokenOf(s.Employ("bar@example.com", member.Permissions{})))
	p.Clock.Advance(200 * time.Millisecond) // to a time among the other items
	p.own = append(p.own, p.employee.Sell("20").ID)
	p.Clock.Advance(time.Second)
	p.own = append(p.own, p.employee.Sell("30").ID)
	return p
}

// follow follows the links from a query. It returns the items that the employee sees, and the refs in the links.
func (p crowd) follow(path, query string) (shown, cursors []string) {
	p.Helper()
	for {
		page := world.Into[historyPage](p, 200, p.employee.Send("GET", path+"?"+query, nil))
		for _, item := range page.Items {
			shown = append(shown, item.ID)
		}
		if len(page.Links) == 0 {
			return shown, cursors
		}
		query = page.Links[0].Href
		asked, err := url.ParseQuery(query)
		if err != nil || len(cursors) > 20 {
			p.Fatalf("%s: got link %s after %d pages, %v; want a query, and at most 20 pages", path, query, len(cursors), err)
		}
		for _, name := range refs {
			cursors = append(cursors, asked[name]...)
		}
	}
}

// TestListTransactions_LinksNameNoHiddenItem checks an employee who sees only the employee's own payments. The pages
// show all of these payments, and no link names a hidden item. Other callers cannot use a sealed ref.
func TestListTransactions_LinksNameNoHiddenItem(t *testing.T) {
	t.Parallel()
	p := newCrowd(t)
	for _, path := range []string{p.current(), legacyHistory} {
		for _, order := range []string{"ascending", "descending"} {
			want := slices.Clone(p.own)
			if order == "descending" {
				slices.Reverse(want)
			}
			for _, limit := range []string{"1", "10"} {
				shown, cursors := p.follow(path, "limit="+limit+"&order="+order)
				if !slices.Equal(shown, want) || len(cursors) == 0 {
					t.Errorf("%s, %s: got %q by the refs %q, want %q by some", path, order, shown, cursors, want)
				}
				for _, cursor := range cursors {
					p.checkCursor(path, cursor)
				}
			}
		}
	}
}

// checkCursor fails if the ref names an item that the employee may not see, or if other callers can use a sealed ref.
func (p crowd) checkCursor(path, cursor string) {
	p.Helper()
	if slices.Contains(p.own, cursor) {
		return
	}
	text, _ := base64.RawURLEncoding.DecodeString(cursor)
	for _, item := range p.items {
		if strings.Contains(cursor+string(text), item.ID) {
			p.Errorf("%s: got the ref %s of another's item %s, want it sealed", path, cursor, item.ID)
		}
	}
	for _, name := range refs {
		invalid(name).Check(p, p.colleague.Send("GET", path+"?"+name+"="+cursor, nil))
		invalid(name).Check(p, p.employee.Send("GET", path+"?"+name+"="+cursor[1:], nil))
	}
}

// TestListTransactions_RefOfHiddenItem checks that a hidden item's id is refused in the same way as an unknown id. So a
// caller does not learn which ids exist, or their times. A caller who sees all items may begin after each of them.
func TestListTransactions_RefOfHiddenItem(t *testing.T) {
	t.Parallel()
	p := newCrowd(t)
	refund := p.items[slices.IndexFunc(p.items, isRefund)].ID
	for _, path := range []string{p.current(), legacyHistory} {
		for _, name := range refs {
			for _, hidden := range []string{p.items[0].ID, refund} {
				invalid(name).Check(t, p.employee.Send("GET", path+"?"+name+"="+hidden, nil))
				p.page(path, name+"="+hidden, true)
			}
			p.Want("its own "+name, 200, p.employee.Send("GET", path+"?"+name+"="+p.own[0], nil))
		}
	}
}

// sealed returns a query that begins at the first sealed ref in the employee's links.
func (p crowd) sealed() string {
	p.Helper()
	_, cursors := p.follow(p.current(), "limit=10")
	at := slices.IndexFunc(cursors, func(ref string) bool { return !slices.Contains(p.own, ref) })
	if at < 0 {
		p.Fatalf("got the refs %q, want a sealed one", cursors)
	}
	return p.current() + "?oldest_ref=" + cursors[at]
}

// TestListTransactions_SealedRefDuringRotation checks a rotation of the secret. Processes with only the old secret and
// processes with both secrets accept each other's refs.
func TestListTransactions_SealedRefDuringRotation(t *testing.T) {
	t.Parallel()
	p := newCrowd(t)
	before, old := p.sealed(), p.Main()
	p.Rotate(time.Minute)
	during := p.sealed()
	request := world.Request{Method: "GET", Path: during, APIKey: p.employee.Merchant.Key.Plaintext}
	p.Want("a process that is not replaced yet", 200, old.Do(request))
	p.Clock.Advance(time.Minute)
	for _, path := range []string{before, during, p.sealed()} {
		p.Want(path+" with the new secret in use", 200, p.employee.Send("GET", path, nil))
	}
}
