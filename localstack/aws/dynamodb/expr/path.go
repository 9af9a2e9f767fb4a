package expr

import (
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// Step is one step of a document path: a name, or an index into a list.
type Step struct {
	Name  string
	Index int // -1 for a name
}

// Path is a document path from an item to a value inside it, such as a.b[2].
type Path []Step

// Root returns the attribute at the start of the path.
func (p Path) Root() string { return p[0].Name }

// String formats the path as in the service's messages: [a, b, [2]].
func (p Path) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		parts[i] = s.Name
		if s.Index >= 0 {
			parts[i] = "[" + strconv.Itoa(s.Index) + "]"
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Lookup returns the value at the path, or Missing.
func (p Path) Lookup(item attr.Map) attr.Value {
	v := item.Get(p[0].Name)
	for _, step := range p[1:] {
		v = step.into(v)
	}
	return v
}

func (s Step) into(v attr.Value) attr.Value {
	switch {
	case s.Index < 0 && v.Kind() == attr.M:
		return v.Fields().Get(s.Name)
	case s.Index >= 0 && v.Kind() == attr.L && s.Index < len(v.Elements()):
		return v.Elements()[s.Index]
	}
	return attr.Value{}
}

// checkDisjoint refuses two paths if one path leads through the other. It also refuses two paths if one uses a value as
// a list and the other uses the same value as a map.
func checkDisjoint(paths []Path) error {
	for j := 1; j < len(paths); j++ {
		for i := range j {
			if problem := clash(paths[i], paths[j]); problem != "" {
				return attr.Invalidf("Two document paths %s with each other; must remove or rewrite one of these paths; "+
					"path one: %s, path two: %s", problem, paths[i], paths[j])
			}
		}
	}
	return nil
}

func clash(p, q Path) string {
	for i := range min(len(p), len(q)) {
		if p[i] == q[i] {
			continue
		}
		if (p[i].Index < 0) != (q[i].Index < 0) {
			return "conflict"
		}
		return ""
	}
	return "overlap"
}
