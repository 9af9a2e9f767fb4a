package access_test

import (
	"fmt"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// changeMembers changes members, operators and roles in processes whose writes lose their replies. Invitations are
// accepted, withdrawn, and sent to a person who already has a password.
func (e *everything) changeMembers() {
	e.Helper()
	merchant := "/v0.1/merchants/" + e.Merchant.Code
	try := 0
	var role, employee, operator string
	prepare := func() {
		try++
		role = e.Send("POST", merchant+"/roles", fields{"name": "r", "permissions": []string{"members_read"}}).Text("id")
		id := e.Send("POST", merchant+"/members", fields{"email": fmt.Sprintf("access-%d@example.com", try),
			"roles": []string{role}, "is_managed_user": true, "password": examples.Password}).Text("id")
		employee, operator = merchant+"/members/"+id, fmt.Sprint("/v0.1/me/accounts/", member.NumberOf(id))
	}
	send := func(method string, path *string, more string, body any) func(*world.Process) {
		return func(p *world.Process) {
			p.Do(world.Request{Method: method, Path: *path + more, Body: body, APIKey: e.Merchant.Key.Plaintext,
				IdempotencyKey: fmt.Sprint("members ", try)})
		}
	}
	rolePath, nickname := "", fields{"nickname": "Till"}
	withRole := func() {
		prepare()
		e.Send("DELETE", employee, nil)
		rolePath = merchant + "/roles/" + role
	}
	for _, step := range []func(*world.Process){
		send("PUT", &operator, "", nickname), send("DELETE", &operator, "", nil),
		send("PUT", &employee, "", fields{"user": nickname, "roles": []string{"role_employee"}}),
		send("PUT", &employee, "", fields{"user": nickname}), send("DELETE", &employee, "", nil),
	} {
		e.loseReplies(prepare, step)
	}
	for _, step := range []func(*world.Process){send("PATCH", &rolePath, "", fields{"name": "s"}),
		send("DELETE", &rolePath, "", nil)} {
		e.loseReplies(withRole, step)
	}
	var one examples.Invited
	e.loseReplies(func() {
		try++
		one = e.Invite(fmt.Sprintf("invited-%d@example.com", try), "role_owner")
	}, func(p *world.Process) { p.Do(one.Accept) })
	e.mustDo(one.Accept)
	e.Send("GET", merchant+"/members", nil)
	e.Send("GET", operator, nil)
	e.Send("GET", "/v0.1/me/accounts", nil)
	e.Send("GET", "/v0.1/memberships", nil)
	e.Send("DELETE", merchant+"/members/"+member.OwnerID(e.Tenant()), nil)
	e.Send("GET", "/v0.1/memberships", nil) // as another owner
	e.Send("DELETE", one.Path, nil)
	again := e.Invite(fmt.Sprintf("invited-%d@example.com", try), "role_employee")
	e.Do(again.Accept) // confirms the password
	e.Send("DELETE", e.Invite("withdrawn@example.com", "role_employee").Path, nil)
	for _, path := range []func(member.Member) (method, path string){
		func(m member.Member) (string, string) { return "DELETE", merchant + "/members/" + m.ID },
		func(m member.Member) (string, string) {
			return "POST", fmt.Sprint("/v0.1/me/accounts/", m.Number(), "/disable")
		},
	} {
		leaving := e.Employ(examples.Guest(), member.Permissions{Admin: true})
		made := e.WithKey(e.TokenOf(leaving)).Send("POST", merchant+"/api-keys",
			fields{"name": "Till", "scopes": []string{"email"}})
		e.Secret("API key", made.Text("plaintext"))
		method, at := path(leaving)
		e.Send(method, at, nil)
	}
}
