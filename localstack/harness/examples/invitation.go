package examples

import (
	"net/http"
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

// Password is the password of people who accept an invitation. NewPassword is the password that they set later.
const (
	Password    = "correct horse battery"
	NewPassword = "another battery staple"
)

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
	return Invited{members + "/" + id, t.fill("/invitations/"+token, url.Values{"password": {Password}})}
}

// fill opens a page with a form, as a browser without a session, and returns the request that sends the form.
func (t *Scenario) fill(path string, form url.Values) world.Request {
	t.Helper()
	page := t.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey})
	cookie, _, _ := strings.Cut(page.Header.Get("Set-Cookie"), ";")
	_, csrf, _ := strings.Cut(string(page.Body), `name="csrf_token" value="`)
	csrf, _, _ = strings.Cut(csrf, `"`)
	form.Set("csrf_token", csrf)
	return world.Request{Method: "POST", Path: path, APIKey: world.NoKey, Header: map[string]string{"Cookie": cookie},
		Body: form}
}

// PasswordPath returns the path of a mailed link to set the password of a new member.
func (t *Scenario) PasswordPath() string {
	t.Helper()
	email := Guest()
	t.Must(http.StatusSeeOther, t.Do(t.Invite(email, member.RoleEmployee).Accept))
	t.Must(http.StatusOK, t.Do(t.fill("/password", url.Values{"email": {email}})))
	t.RunUntilIdle()
	for _, m := range t.Mails.Sent() {
		if _, link, found := strings.Cut(m.Text, "/password/"); found && m.To == email {
			token, _, _ := strings.Cut(link, "\n")
			t.Secret("token to set a password", token)
			return "/password/" + token
		}
	}
	t.Fatalf("got mails %+v, want one with a link", t.Mails.Sent())
	return ""
}
