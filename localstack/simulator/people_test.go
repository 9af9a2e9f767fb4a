package simulator_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

const (
	peopleSeedsVariable = "CASHWRAP_SIM_PEOPLE_SEEDS"
	defaultPeopleSeeds  = 16
)

// TestRun_People checks worlds of concurrent changes of roles, members and keys.
func TestRun_People(t *testing.T) {
	runSeeds(t, "people", peopleSeedsVariable, defaultPeopleSeeds)
}

// TestMutation_PeopleConditions checks conditions like TestMutation_Conditions. These are the conditions of roles,
// members, keys, users, invitations, and mails. The conditions of tokens, their clients and their grants are also
// included.
func TestMutation_PeopleConditions(t *testing.T) {
	mutations{
		workloads: []string{"people"},
		included:  peopleConditions.MatchString,
		survivors: peopleSurvivors, scoutSeeds: 30, mutantSeeds: 400, survivorSeeds: 5,
	}.run(t)
}

// peopleConditions matches the conditions of items about people's rights, and of mails to them.
var peopleConditions = regexp.MustCompile(`^\w+ (MEMBERS? ?\w*|ROLES ?\w*|KEY ?\w*|KEYUSE|EMAIL|ADDRESS|INVITED|USER|` +
	`MEMBERSHIP|INVITATION|TOKEN|CLIENT|GRANT|MAIL): `)

// peopleSurvivors lists the conditions whose removal no history can notice, and why.
var peopleSurvivors = map[string]string{
	"Delete EMAIL: (member_id = ?)": "in one transaction with its member, whose version lets each change of it in " +
		"once; a member keeps its address while it has the version",
	"Put ADDRESS: (attribute_not_exists(pk))": "keeps two tenants from making two users of a new address at the same " +
		"time, which is too rare for a history; TestAcceptInvitation_TwoOfNewUserConcurrently of package store has it",
	"Put INVITATION: (attribute_not_exists(pk))": "in one transaction with its member's address, which is free once; " +
		"its key is the hash of a token of the member and the operation",
	"Put KEY: (attribute_not_exists(pk))": "in one transaction with the count of new keys, whose version lets each " +
		"key in once",
	"Put KEYUSE: (attribute_not_exists(pk) OR last_used_at <= ?)": "keeps two processes from writing the same in the " +
		"same hour, which costs a write and changes nothing",
	"Put MEMBER: (attribute_not_exists(pk))": "an operation that is repeated meets the guard of the address; two " +
		"members of one number, from which this alone protects, are too rare for a history: see " +
		"TestCreateMember_SameNumber of package store",
	"Put MEMBERSHIP: (attribute_not_exists(pk))": "in one transaction with its member, whose version lets it accept " +
		"once; the guard of the address lets a tenant have one member with it, and so with its user",
	"Put USER: (attribute_not_exists(pk))": "in one transaction with its address, which is given a user once; its id " +
		"follows from the invitation, and the member's version lets that be accepted once",
}

// TestMutation_MemberVersion removes the condition that serialises changes of a member. Clients' views must then not be
// linearizable.
func TestMutation_MemberVersion(t *testing.T) {
	skipUnlessControls(t)
	const seeds, condition = 40, "Put MEMBER: (version = ?)"
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, f := range run(t, "people", seed, calls.Mutation{Without: condition}).Findings() {
			if strings.Contains(f.Text, linear.ErrNotLinear.Error()) {
				return
			}
		}
	}
	t.Errorf("got no finding %q in %d histories, want one", linear.ErrNotLinear, seeds)
}
