package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/store"
)

// tablePolicy returns the table's resource policy, or nil for another resource.
func tablePolicy(r resource) any {
	if r.Type != tableKind {
		return nil
	}
	return asObject(replica(r)["ResourcePolicy"])["PolicyDocument"]
}

// TestProtectTable checks the denials and their exempt principals.
func TestProtectTable(t *testing.T) {
	t.Parallel()
	s := inProd(t)
	type denial struct{ action, kind string }
	denied := map[denial]statement{}
	for _, table := range s.all(tableKind) {
		for _, one := range statements(tablePolicy(table)) {
			if one.effect != "Deny" {
				t.Errorf("got %+v, want only denials in the table's policy", one)
			}
			kinds := asList(one.conditions["ForAnyValue:StringLike"][leadingKeys])
			for _, action := range one.actions {
				for _, kind := range kinds {
					text, _ := kind.(string)
					denied[denial{action, text}] = one
				}
			}
		}
	}
	every := []string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"}
	for _, want := range []struct {
		kind    store.Kind
		actions []string
		but     []string // exempt principals besides replication
	}{
		{store.KindJournal, []string{"UpdateItem", "DeleteItem", "BatchWriteItem"}, nil},
		{store.KindAudit, []string{"UpdateItem", "DeleteItem", "BatchWriteItem"}, nil},
		{store.KindAPIKey, []string{"PutItem", "UpdateItem", "BatchWriteItem"}, []string{"apikeys", "provision"}},
		{store.KindAPIKey, []string{"DeleteItem"}, []string{"apikeys", "members", "merchants", "provision"}},
		{store.KindAccessToken, every, []string{"apikeys", "oauth"}},
		{store.KindOAuthClient, every, []string{"provision"}},
		{store.KindCode, every, []string{"oauth"}},
		{store.KindGrant, every, []string{"oauth"}},
		{store.KindSignIn, every, []string{"oauth"}},
		{store.KindFactor, every, []string{"oauth", "provision"}},
		{store.KindTestProfiles, every, []string{"testprofiles"}},
		{store.KindMembers, every, []string{"members", "merchants", "provision"}},
		{store.KindRoles, every, []string{"members", "merchants"}},
		{store.KindUser, every, []string{"members", "provision"}},
		{store.KindEmail, every, []string{"members", "provision"}},
		{store.KindMemberships, every, []string{"members", "provision"}},
		{store.KindInvitation, every, []string{"members"}},
		{store.KindMerchant, every, []string{"merchants", "provision", "sweep"}},
		{"", []string{"PartiQLInsert", "PartiQLUpdate", "PartiQLDelete", "PartiQLSelect"}, nil},
	} {
		for _, action := range want.actions {
			pattern := string(want.kind) + "#*"
			if want.kind == "" {
				pattern = ""
			}
			one, ok := denied[denial{"dynamodb:" + action, pattern}]
			if !ok {
				t.Errorf("got no denial of %s on %q, want one", action, pattern)
				continue
			}
			but := asList(one.conditions["ArnNotEquals"]["aws:PrincipalArn"])
			exempt := toJSON(but)
			if got := strings.Contains(exempt, "AWSServiceRoleForDynamoDBReplication"); got != (want.kind != "") {
				t.Errorf("%s on %q: got %s exempt, want replication in it: %t", action, pattern, exempt, want.kind != "")
			}
			for _, f := range functions.All {
				_, r := s.function(t, prod, f.Name)
				if got := strings.Contains(exempt, toJSON(r.Properties["Role"])); got != slices.Contains(want.but, f.Name) {
					t.Errorf("%s on %q: got %s exempt, want %s in it: %t", action, pattern, exempt, f.Name, !got)
				}
			}
			if most := 1 + len(want.but); len(but) > most {
				t.Errorf("%s on %q: got %s exempt, want at most %d", action, pattern, exempt, most)
			}
		}
	}
}

// TestProtectTable_DeniesNoGrantedRight checks that the table's policy denies no right of a function's role.
func TestProtectTable_DeniesNoGrantedRight(t *testing.T) {
	t.Parallel()
	for _, f := range functions.All {
		for _, right := range f.Access().Table {
			for _, kind := range []store.Kind{store.KindJournal, store.KindAudit} {
				if slices.Contains(changeActions, "dynamodb:"+right.Action) && slices.Contains(right.Kinds, string(kind)) {
					t.Errorf("%s: got %+v, want no change of %s", f.Name, right, kind)
				}
			}
		}
	}
}
