package merchants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestAudit_EachChangeOfOperator checks that each entry names the actor, and shows the operator before and after the
// change without a password or a hash.
func TestAudit_EachChangeOfOperator(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	m := createOperator(s, "till@example.com")
	for _, r := range []world.Request{
		{Method: "PUT", Path: m.path(), Body: fields{"nickname": "Till", "permissions": fields{"admin": true}}},
		{Method: "PUT", Path: m.path(), Body: fields{"nickname": "Till"}},   // changes nothing
		{Method: "PUT", Path: m.path(), Body: fields{"password": firstOne}}, // is refused
		{Method: "POST", Path: m.path() + "/disable"},
		{Method: "PUT", Path: m.path() + "/reset", Body: fields{"password": another}},
		{Method: "DELETE", Path: m.path()},
	} {
		s.Clock.Advance(1e9)
		s.Do(r)
	}
	var got []string
	for _, e := range s.Audit() {
		if !strings.Contains(e.Operation, "/accounts") {
			continue
		}
		all := fmt.Sprintf("%s %s", e.Before, e.After)
		if e.Actor.ID != s.Merchant.Key.ID || e.Actor.Source == "" || e.Mode != "test" ||
			strings.Contains(all, "argon2") || strings.Contains(all, firstOne) || strings.Contains(all, another) {
			t.Errorf("got %+v %s, want it by the shop's key, without a password", e, all)
		}
		stored := strings.TrimPrefix(e.Subject, "member ")
		if member.NumberOf(stored) != m.ID {
			t.Errorf("got subject %s, want the operator", e.Subject)
		}
		if e.Operation == "POST /v0.1/me/accounts" || strings.HasPrefix(e.Operation, "DELETE") {
			all = fmt.Sprint(len(e.Before) > 2, " ", len(e.After) > 2)
		}
		got = append(got, e.Operation+" "+all)
	}
	const path = "/v0.1/me/accounts"
	want := []string{
		"POST " + path + " false true",
		`PUT ` + path + `/{operator_id} {"nickname":"","permissions":{"admin":false}} ` +
			`{"nickname":"Till","permissions":{"admin":true}}`,
		`POST ` + path + `/{operator_id}/disable {"disabled":false} ` +
			`{"access_ended_at":"2026-11-20T12:00:04Z","disabled":true}`,
		`PUT ` + path + `/{operator_id}/reset {"access_ended_at":"2026-11-20T12:00:04Z",` +
			`"password_set_at":"2026-11-20T12:00:00Z"} ` +
			`{"access_ended_at":"2026-11-20T12:00:05Z","password_set_at":"2026-11-20T12:00:05Z"}`,
		"DELETE " + path + "/{operator_id} true false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}
