package attr

import (
	"encoding/base64"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const maxDepth = 32 // Developer Guide, "Constraints": nested attribute depth

// UnmarshalJSONFrom reads an item or key: {"name": {"S": "…"}, …}.
func (m *Map) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*m, err = readFields(d, 0)
	return err
}

// UnmarshalJSONFrom reads one attribute value: {"S": "…"}.
func (v *Value) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	*v, err = readValue(d, 0)
	return err
}

func readFields(d *jsontext.Decoder, depth int) (Map, error) {
	fields := []Field{}
	err := Object(d, func(name string) error {
		if name == "" {
			return errNoName
		}
		v, err := readValue(d, depth)
		fields = append(fields, Field{name, v})
		return err
	})
	return NewMap(fields...), err
}

func readValue(d *jsontext.Decoder, depth int) (Value, error) {
	if depth >= maxDepth {
		return Value{}, errTooDeep
	}
	var v Value
	found := 0
	err := Object(d, func(letters string) error {
		kind, known := ParseKind(letters)
		if !known {
			return errNoType
		}
		found++
		var err error
		v, err = readContent(d, kind, depth)
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

func readContent(d *jsontext.Decoder, kind Kind, depth int) (Value, error) {
	switch kind {
	case S, N, B:
		return readScalar(d, kind)
	case BOOL, NULL:
		v := Value{kind: kind}
		err := json.UnmarshalDecode(d, &v.flag)
		if err == nil && kind == NULL && !v.flag {
			err = errNullIsFalse
		}
		return v, err
	case M:
		m, err := readFields(d, depth+1)
		return Nested(m), err
	case L:
		elements, err := readElements(d, func() (Value, error) { return readValue(d, depth+1) })
		return List(elements), err
	default:
		return readSet(d, kind)
	}
}

func readScalar(d *jsontext.Decoder, kind Kind) (Value, error) {
	s, err := readString(d)
	if err != nil {
		return Value{}, err
	}
	switch kind {
	case N:
		return Number(s)
	case B:
		raw, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return Value{}, errSyntax
		}
		return Binary(string(raw)), nil
	}
	return Text(s), nil
}

func readSet(d *jsontext.Decoder, kind Kind) (Value, error) {
	scalar := map[Kind]Kind{SS: S, NS: N, BS: B}[kind]
	elements, err := readElements(d, func() (Value, error) { return readScalar(d, scalar) })
	switch {
	case err != nil:
		return Value{}, err
	case len(elements) == 0:
		return Value{}, emptySetError(kind)
	}
	return newSet(kind, elements)
}

func readElements(d *jsontext.Decoder, one func() (Value, error)) ([]Value, error) {
	all := []Value{}
	err := Array(d, func() error {
		v, err := one()
		all = append(all, v)
		return err
	})
	return all, err
}
