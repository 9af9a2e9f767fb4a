package attr

import (
	"encoding/base64"
	"slices"
)

const maxDepth = 32 // Developer Guide, "Constraints": nested attribute depth

// Map reads an item or key: {"name": {"S": "…"}, …}.
func (r *Reader) Map() (Map, error) { return r.fields(0) }

func (r *Reader) fields(depth int) (Map, error) {
	first := len(r.open)
	err := r.Object(func(name string) error {
		if name == "" {
			return errNoName
		}
		v, err := r.value(depth)
		r.open = append(r.open, Field{name, v})
		return err
	})
	read := r.open[first:]
	r.open = r.open[:first]
	return NewMap(slices.Clone(read)...), err
}

// Value reads one attribute value: {"S": "…"}.
func (r *Reader) Value() (Value, error) { return r.value(0) }

func (r *Reader) value(depth int) (Value, error) {
	if depth >= maxDepth {
		return Value{}, errTooDeep
	}
	var v Value
	found := 0
	err := r.Object(func(letters string) error {
		kind, known := ParseKind(letters)
		if !known {
			return errNoType
		}
		found++
		var err error
		v, err = r.content(kind, depth)
		return err
	})
	switch {
	case err != nil:
		return Value{}, err
	case found == 0:
		return Value{}, errNoType
	case found > 1:
		return Value{}, errTwoTypes
	}
	return v, nil
}

func (r *Reader) content(kind Kind, depth int) (Value, error) {
	switch kind {
	case S, N, B:
		return r.scalar(kind)
	case BOOL:
		b, err := r.Bool()
		return Value{kind: BOOL, flag: b}, err
	case NULL:
		b, err := r.Bool()
		if err == nil && !b {
			err = errNullIsFalse
		}
		return Value{kind: NULL}, err
	case M:
		m, err := r.fields(depth + 1)
		return Nested(m), err
	case L:
		return r.list(depth)
	default:
		return r.set(kind)
	}
}

func (r *Reader) scalar(kind Kind) (Value, error) {
	s, err := r.Str()
	if err != nil {
		return Value{}, err
	}
	switch kind {
	case N:
		return Number(s)
	case B:
		raw, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return Value{}, ErrSyntax
		}
		return Binary(string(raw)), nil
	}
	return Text(s), nil
}

func (r *Reader) list(depth int) (Value, error) {
	elements, err := r.elements(func() (Value, error) { return r.value(depth + 1) })
	return List(elements), err
}

func (r *Reader) set(kind Kind) (Value, error) {
	scalar := map[Kind]Kind{SS: S, NS: N, BS: B}[kind]
	elements, err := r.elements(func() (Value, error) { return r.scalar(scalar) })
	switch {
	case err != nil:
		return Value{}, err
	case len(elements) == 0:
		return Value{}, emptySet(kind)
	}
	return newSet(kind, elements)
}

func (r *Reader) elements(one func() (Value, error)) ([]Value, error) {
	all := []Value{}
	err := r.Array(func() error {
		v, err := one()
		all = append(all, v)
		return err
	})
	return all, err
}
