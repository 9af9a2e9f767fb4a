package main

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	yaml "github.com/oasdiff/yaml3"
)

// yamlNode is a value of a document, or nothing: then its Node is nil. References in it are followed.
type yamlNode struct {
	*yaml.Node
	root *yaml.Node
}

// at is a member, or nothing.
func (n yamlNode) at(name string) yamlNode {
	for key, value := range n.members() {
		if key == name {
			return value
		}
	}
	return yamlNode{}
}

// members are those of an object, in their order.
func (n yamlNode) members() iter.Seq2[string, yamlNode] {
	return func(yield func(string, yamlNode) bool) {
		if n.Node == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.of(n.Content[i+1])) {
				return
			}
		}
	}
}

// items are those of a list.
func (n yamlNode) items() []yamlNode {
	var all []yamlNode
	if n.Node != nil && n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			all = append(all, n.of(item))
		}
	}
	return all
}

// of is a part of the document, or what it refers to.
func (n yamlNode) of(part *yaml.Node) yamlNode {
	if part.Kind == yaml.AliasNode {
		part = part.Alias
	}
	found := yamlNode{part, n.root}
	if part.Kind != yaml.MappingNode || len(part.Content) != 2 || part.Content[0].Value != "$ref" {
		return found
	}
	found.Node = n.root.Content[0]
	for name := range strings.SplitSeq(strings.TrimPrefix(part.Content[1].Value, "#/"), "/") {
		found = found.at(name)
	}
	return found
}

// text is that of a scalar; "" of nothing.
func (n yamlNode) text() string {
	if n.Node == nil {
		return ""
	}
	return n.Value
}

// json is the value with its members in their order. All lines but the first begin with the margin.
func (n yamlNode) json(margin string) (string, error) {
	var compact, b bytes.Buffer
	if err := n.write(&compact); err != nil {
		return "", err
	}
	err := json.Indent(&b, compact.Bytes(), margin, "  ")
	return b.String(), err
}

func (n yamlNode) write(b *bytes.Buffer) error {
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		first := true
		for name, value := range n.members() {
			if !first {
				b.WriteByte(',')
			}
			first = false
			if err := writeText(b, name); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := value.write(b); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.items() {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := item.write(b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		if n.ShortTag() == "!!str" {
			return writeText(b, n.Value)
		}
		b.WriteString(n.Value) // a number, true, false or null, which JSON writes alike
	}
	return nil
}

// writeText writes a text of JSON, with < and & as they are.
func writeText(b *bytes.Buffer, text string) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(text)
}
