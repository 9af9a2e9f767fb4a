package identity

import (
	"slices"
	"strings"
)

// Lack names, for people, a right that a principal lacks: "the scope payments or refunds.write".
type Lack string

// LackOfScope returns the lack of the scopes. Any one of them would suffice.
func LackOfScope(anyOf ...string) Lack { return Lack("the scope " + strings.Join(anyOf, " or ")) }

// LackOfPermission returns the lack of the permission.
func LackOfPermission(p Permission) Lack { return Lack("the permission " + string(p)) }

// LackOfAction returns the lack of a merchant token's action.
func LackOfAction(a Action) Lack { return Lack("the action " + string(a)) }

const lackOfOwnership = Lack("the role role_owner")

// commonLacks returns the lacks of the platform and of a caller without a credential. The platform lacks nothing, and
// the caller lacks a credential. For other principals decided is false.
func (p Principal) commonLacks() (lacks []Lack, decided bool) {
	if p.IsNobody() {
		return []Lack{"a credential"}, true
	}
	return nil, p.IsPlatform()
}

// Lacks returns a sentence that begins with before and lists the missing rights, each once. It returns "" for an empty
// list.
func Lacks(before string, all []Lack) string {
	var words []string
	for _, one := range all {
		if !slices.Contains(words, string(one)) {
			words = append(words, string(one))
		}
	}
	if len(words) == 0 {
		return ""
	}
	last := len(words) - 1
	if last == 0 {
		return before + " " + words[0] + "."
	}
	return before + " " + strings.Join(words[:last], ", ") + " and " + words[last] + "."
}
