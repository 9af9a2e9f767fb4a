package dynamodb

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// keyAttribute is one attribute of a key. In a table without a sort key, the sort attribute has an empty name.
type keyAttribute struct {
	name  string
	kind  attr.Kind
	limit int // bytes
}

type schema struct{ hash, sort keyAttribute }

// Limits of keys in bytes (Developer Guide, "Constraints").
const (
	maxHashKey = 2048
	maxSortKey = 1024
)

func (s schema) attributes() []keyAttribute {
	if s.sort.name == "" {
		return []keyAttribute{s.hash}
	}
	return []keyAttribute{s.hash, s.sort}
}

func (s schema) names() []string {
	names := make([]string, 0, 2)
	for _, k := range s.attributes() {
		names = append(names, k.name)
	}
	return names
}

func (s schema) has(name string) bool {
	return name == s.hash.name || name == s.sort.name && name != ""
}

// check refuses a value that this key attribute cannot have.
func (k keyAttribute) check(v attr.Value) error {
	switch {
	case v.Kind() != k.kind:
		return badValue("Type mismatch for key %s expected: %s actual: %s", k.name, k.kind, v.Kind())
	case v.Kind() != attr.N && v.Str() == "":
		return emptyKey(k)
	case len(v.Str()) > k.limit && k.limit == maxHashKey:
		return badValue("Size of hashkey has exceeded the maximum size limit of 2048 bytes")
	case len(v.Str()) > k.limit:
		return badValue("Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
	}
	return nil
}

func emptyKey(k keyAttribute) error {
	noun := "string"
	if k.kind == attr.B {
		noun = "binary"
	}
	return attr.Invalidf("One or more parameter values are not valid. The AttributeValue for a key attribute cannot "+
		"contain an empty %s value. Key: %s", noun, k.name)
}

func (s schema) checkItem(item attr.Map) error {
	for _, k := range s.attributes() {
		v := item.Get(k.name)
		if v.Kind() == attr.Missing {
			return badValue("Missing the key %s in the item", k.name)
		}
		if err := k.check(v); err != nil {
			return err
		}
	}
	return nil
}

const errKeyShape = attr.Invalid("The provided key element does not match the schema")

// checkKey refuses a key that lacks an attribute or has further attributes.
func (s schema) checkKey(key attr.Map) error {
	attributes := s.attributes()
	if len(key) != len(attributes) {
		return errKeyShape
	}
	for _, k := range attributes {
		v := key.Get(k.name)
		if v.Kind() != k.kind {
			return errKeyShape
		}
		if err := k.check(v); err != nil {
			return err
		}
	}
	return nil
}

// appendPartition appends the start of an order: a checksum of the hash key, and the hash key. Because of the checksum,
// scans do not return items in the order of their hash keys.
func appendPartition(dst []byte, hash attr.Value) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, 8)...)
	dst = attr.AppendKey(dst, hash)
	h := fnv.New64a()
	h.Write(dst[start+8:])
	binary.BigEndian.PutUint64(dst[start:], h.Sum64())
	return append(dst, attr.KeyTerminator...)
}

// order returns the text by which the table sorts an item. This text contains the hash key and the sort key.
func (s schema) order(item attr.Map) string {
	return string(s.appendOrder(make([]byte, 0, 64), item))
}

func (s schema) appendOrder(dst []byte, item attr.Map) []byte {
	dst = appendPartition(dst, item.Get(s.hash.name))
	if s.sort.name != "" {
		dst = attr.AppendKey(dst, item.Get(s.sort.name))
		dst = append(dst, attr.KeyTerminator...)
	}
	return dst
}
