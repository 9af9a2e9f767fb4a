package simulator

import (
	"fmt"
	"time"
)

// story is what people do in the worlds of a mutation control whose condition few other worlds need.
type story struct {
	plot   plot
	begins beginning
}

// stories lists them by the condition that is missing (Options.Without).
var stories = map[string]story{
	"ConditionCheck CLIENT: (version = ?)":                          {signingOut(clientRevoked), anyBeginning},
	"ConditionCheck GRANT: (attribute_exists(pk))":                  {signingOut(grantRevoked), anyBeginning},
	"ConditionCheck TOKEN: (attribute_exists(pk))":                  {signingOut(tokenRevoked), anyBeginning},
	"Put INVITED: (version = ?)":                                    {guests, anyBeginning},
	"Put KEY COUNT: (attribute_not_exists(pk))":                     {someKeys, keysUncounted},
	"Update MEMBERS COUNT: (attribute_not_exists(pk) OR count < ?)": {hiring, membersAlmost},
}

// Limits of invitations and members (contract §8.1).
const (
	mostInvitations = 250
	mostMembers     = 1000
)

// beginning is the state of an office when the faults begin.
type beginning int

// The beginnings.
const (
	anyBeginning      beginning = iota // one of the others
	dayAfter                           // with invitations of the day before only
	invitationsAlmost                  // near the limit of invitations
	membersAlmost                      // near the limit of members
	keysUncounted                      // before it counts keys
	beginnings
)

// approach brings the office to its beginning.
func (o *office) approach() {
	r := o.recordsIn(o.scan())
	count := r.count
	begins := beginning(1 + o.rng.IntN(int(beginnings-1)))
	if told, ok := stories[o.Without]; ok && told.begins != anyBeginning {
		begins = told.begins
	}
	switch begins {
	case dayAfter:
		o.setCount(count, "invited_on", "S", o.now().Add(-24*time.Hour).Format(time.DateOnly))
	case invitationsAlmost:
		o.setCount(count, "invited", "N", mostInvitations-1-o.rng.IntN(2))
	case membersAlmost:
		to := mostMembers - 1 - o.rng.IntN(2)
		o.others = to - number(count["count"])
		o.setCount(count, "count", "N", to)
	default:
		o.aws(o.table, tables+"DeleteItem", map[string]any{"TableName": o.config.Table, "Key": keyOf(r.keys)}, &struct{}{})
	}
}

func (w *World) setCount(count item, name, kind string, to any) {
	w.aws(w.table, tables+"UpdateItem", map[string]any{"TableName": w.config.Table, "Key": keyOf(count),
		"UpdateExpression": "SET #name = :to", "ExpressionAttributeNames": map[string]string{"#name": name},
		"ExpressionAttributeValues": map[string]any{":to": map[string]any{kind: fmt.Sprint(to)}}}, &struct{}{})
}

func keyOf(i item) map[string]any {
	return map[string]any{"pk": map[string]string{"S": i.text("pk")}, "sk": map[string]string{"S": i.text("sk")}}
}
