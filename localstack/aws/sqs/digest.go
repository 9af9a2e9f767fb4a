package sqs

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// attribute is a message attribute value; BinaryValue travels as base64.
type attribute struct {
	DataType    string
	StringValue *string `json:",omitempty"`
	BinaryValue []byte  `json:",omitempty"`
}

func (a attribute) binary() bool { return typeOf(a.DataType) == "Binary" }

func (a attribute) value() []byte {
	if a.binary() || a.StringValue == nil {
		return a.BinaryValue
	}
	return []byte(*a.StringValue)
}

// typeOf strips the custom label: Number.amount is a Number.
func typeOf(dataType string) string {
	name, _, _ := strings.Cut(dataType, ".")
	return name
}

func digest(body string) string {
	sum := md5.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}

// Transport types in the attribute digest.
const (
	transportString = 1
	transportBinary = 2
)

// attributesDigest follows "Calculating the MD5 message digest for message attributes" of the developer guide: per
// attribute in order of name, the name, type and value, each after its length. Without attributes it is "".
func attributesDigest(attributes map[string]attribute) string {
	if len(attributes) == 0 {
		return ""
	}
	var b []byte
	add := func(part []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(part)))
		b = append(b, part...)
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		add([]byte(name))
		add([]byte(a.DataType))
		if a.binary() {
			b = append(b, transportBinary)
		} else {
			b = append(b, transportString)
		}
		add(a.value())
	}
	sum := md5.Sum(b)
	return hex.EncodeToString(sum[:])
}
