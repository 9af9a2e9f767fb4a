package expr

import "github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"

// Projection is a parsed ProjectionExpression. A nil Projection keeps all attributes.
type Projection struct{ paths []Path }

// ParseProjection parses a list of document paths.
func ParseProjection(src string, env *Env) (*Projection, error) {
	var paths []Path
	err := run("ProjectionExpression", src, env, func(p *parser) {
		paths = readList(p, p.readPath)
		p.note(rankPaths, p.pos, checkDisjoint(paths))
	})
	if err != nil {
		return nil, err
	}
	return &Projection{paths}, nil
}

// Roots returns the attributes that the projection reads.
func (pr *Projection) Roots() []string {
	if pr == nil {
		return nil
	}
	roots := make([]string, len(pr.paths))
	for i, p := range pr.paths {
		roots[i] = p.Root()
	}
	return roots
}

// Apply returns the values at the paths in their original nesting. Gaps in lists are closed.
func (pr *Projection) Apply(item attr.Map) attr.Map {
	if pr == nil {
		return item
	}
	return keepFields(item, pr.paths)
}

func keepFields(m attr.Map, paths []Path) attr.Map {
	var kept attr.Map
	for _, f := range m {
		if v, ok := keep(f.Value, following(paths, Step{Name: f.Name, Index: -1})); ok {
			kept = append(kept, attr.Field{Name: f.Name, Value: v})
		}
	}
	return kept
}

// following returns the remainders of the paths that begin with step.
func following(paths []Path, step Step) []Path {
	var rest []Path
	for _, p := range paths {
		if p[0] == step {
			rest = append(rest, p[1:])
		}
	}
	return rest
}

func keep(v attr.Value, paths []Path) (attr.Value, bool) {
	if len(paths) == 0 {
		return attr.Value{}, false
	}
	if len(paths[0]) == 0 {
		return v, true
	}
	switch v.Kind() {
	case attr.M:
		m := keepFields(v.Fields(), paths)
		return attr.Nested(m), len(m) > 0
	case attr.L:
		var kept []attr.Value
		for i, e := range v.Elements() {
			if part, ok := keep(e, following(paths, Step{Index: i})); ok {
				kept = append(kept, part)
			}
		}
		return attr.List(kept), len(kept) > 0
	}
	return attr.Value{}, false
}
