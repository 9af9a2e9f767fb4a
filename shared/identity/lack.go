package identity

import (
	"slices"
	"strings"
)

// Lack names, for people, a right that a principal lacks: "the scope payments or refunds.write".
type Lack string

// LackOfScope names scopes, any one of them sufficient.
func LackOfScope(anyOf ...string) Lack { return Lack("the scope " + strings.Join(anyOf, " or ")) }

// LackOfPermission names the permission.
func LackOfPermission(p Permission) Lack { return Lack("the permission " + string(p)) }

// LackOfAction names the action of merchant tokens.
func LackOfAction(a Action) Lack { return Lack("the action " + string(a)) }

const lackOfOwnership = Lack("the role role_owner")

// decideLacks returns the lacks of two principals: the platform lacks nothing, and a caller without a credential lacks
// a credential. For other principals it returns false.
func (p Principal) decideLacks() (lacks []Lack, decided bool) {
	if p.IsNobody() {
		return []Lack{"a credential"}, true
	}
	return nil, p.IsPlatform()
}

// Lacks returns a sentence that lists the missing rights, each once. It returns "" for an empty list.
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
