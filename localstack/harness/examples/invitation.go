package examples

import (
	"net/url"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// Invited is an invited member, and the request that accepts the invitation.
type Invited struct {
	Path   string // of the member
	Accept world.Request
}

// Password is the password of people who accept an invitation.
const Password = "correct horse battery"

// Invite invites a person with the address to the shop, and opens the invitation's page.
func (t *Scenario) Invite(email, role string) Invited {
	t.Helper()
	members := "/v0.1/merchants/" + t.Merchant.Code + "/members"
	made := t.Send("POST", members, map[string]any{"email": email, "roles": []string{role}})
	id := made.Text("id")
	m, err := t.App.Store.Member(t.Context(), t.Tenant(), member.NumberOf(id))
	if err != nil {
		t.Fatalf("got %d %s, %v; want a member", made.Status, made.Body, err)
	}
	token := t.App.InvitationToken(m.ID, m.Invite.ID)
	t.Secret("invitation token", token)
	t.Secret("password", Password)
	page := t.Do(world.Request{Method: "GET", Path: "/invitations/" + token, APIKey: world.NoKey})
	cookie, _, _ := strings.Cut(page.Header.Get("Set-Cookie"), ";")
	_, csrf, _ := strings.Cut(string(page.Body), `name="csrf_token" value="`)
	csrf, _, _ = strings.Cut(csrf, `"`)
	return Invited{members + "/" + id, world.Request{Method: "POST", Path: "/invitations/" + token, APIKey: world.NoKey,
		Header: map[string]string{"Cookie": cookie},
		Body:   url.Values{"csrf_token": {csrf}, "password": {Password}}}}
}
