package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Fields are members of a JSON object, as its text; "" is an object without any. They
// are not called members, because a merchant's are people.
type Fields string

// MarshalJSON writes the object.
func (m Fields) MarshalJSON() ([]byte, error) {
	if m == "" {
		return []byte("{}"), nil
	}
	return []byte(m), nil
}

const (
	maxField  = 4 << 10  // bytes of one value that is no object
	maxFields = 64 << 10 // bytes of all; an item has at most 400 KB (AWS: "Quotas in Amazon DynamoDB")
)

// differing are the fields of two objects that are not the same in both; of
// objects in them again only those. Lists are compared as a whole. What is too long
// is shown by its length and digest.
func differing(before, after any) (Fields, Fields, error) {
	old, err := object(before)
	if err != nil {
		return "", "", err
	}
	changed, err := object(after)
	if err != nil {
		return "", "", err
	}
	old, changed = differ(old, changed)
	return text(old), text(changed), nil
}

// object is what JSON makes of a view; nil: an empty one.
func object(view any) (map[string]any, error) {
	encoded, err := json.Marshal(view)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber() // a float would make different amounts equal
	var fields map[string]any
	return fields, decoder.Decode(&fields)
}

func differ(before, after map[string]any) (old, changed map[string]any) {
	old, changed = map[string]any{}, map[string]any{}
	for name := range before {
		compare(name, before, after, old, changed)
	}
	for name := range after {
		if _, compared := before[name]; !compared {
			compare(name, before, after, old, changed)
		}
	}
	return old, changed
}

// compare puts a field that differs into old and changed.
func compare(name string, before, after, old, changed map[string]any) {
	was, wasThere := before[name]
	is, isThere := after[name]
	wasObject, isObject := asObject(was, wasThere), asObject(is, isThere)
	if wasObject != nil && isObject != nil {
		wasObject, isObject = differ(wasObject, isObject)
		if len(wasObject) > 0 {
			old[name] = wasObject
		}
		if len(isObject) > 0 {
			changed[name] = isObject
		}
		return
	}
	if wasThere && isThere && bytes.Equal(encode(was), encode(is)) {
		return
	}
	if wasThere {
		old[name] = bounded(was, maxField)
	}
	if isThere {
		changed[name] = bounded(is, maxField)
	}
}

// asObject is the value as an object; what is absent is an empty one. Nil: it is none.
func asObject(value any, there bool) map[string]any {
	if !there {
		return map[string]any{}
	}
	fields, _ := value.(map[string]any)
	return fields
}

// bounded is the value, or its length and digest.
func bounded(value any, most int) any {
	encoded := encode(value)
	if len(encoded) <= most {
		return value
	}
	sum := sha256.Sum256(encoded)
	return map[string]any{"bytes": len(encoded), "sha256": hex.EncodeToString(sum[:])}
}

func text(fields map[string]any) Fields {
	if len(fields) == 0 {
		return ""
	}
	return Fields(encode(bounded(fields, maxFields)))
}

// encode is a value of object's, which can be encoded.
func encode(value any) []byte {
	encoded, _ := json.Marshal(value)
	return encoded
}
