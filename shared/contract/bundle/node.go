package main

import (
	"errors"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	yaml "github.com/oasdiff/yaml3"
)

// yamlNode is a value of a document. Its Node is nil if there is no value. Its methods follow references.
type yamlNode struct {
	*yaml.Node
	root *yaml.Node
}

// at returns the member with the name. Its Node is nil if there is no such member.
func (n yamlNode) at(name string) yamlNode {
	for key, value := range n.members() {
		if key == name {
			return value
		}
	}
	return yamlNode{}
}

// members returns the members of an object, in the order of the document.
func (n yamlNode) members() iter.Seq2[string, yamlNode] {
	return func(yield func(string, yamlNode) bool) {
		if n.Node == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.resolve(n.Content[i+1])) {
				return
			}
		}
	}
}

// items returns the items of a list.
func (n yamlNode) items() []yamlNode {
	var all []yamlNode
	if n.Node != nil && n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			all = append(all, n.resolve(item))
		}
	}
	return all
}

// resolve returns a part of the document. If the part is a reference, resolve returns the value that it refers to.
func (n yamlNode) resolve(part *yaml.Node) yamlNode {
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

// text returns the text of a scalar, or "" if there is no value.
func (n yamlNode) text() string {
	if n.Node == nil {
		return ""
	}
	return n.Value
}

// json returns the value as JSON, with its members in the order of the document. Each line but the first begins with
// the margin.
func (n yamlNode) json(margin string) (string, error) {
	var b strings.Builder
	err := n.writeJSON(jsontext.NewEncoder(&b, jsontext.WithIndentPrefix(margin), jsontext.WithIndent("  ")))
	return strings.TrimRight(b.String(), "\n"), err
}

func (n yamlNode) writeJSON(to *jsontext.Encoder) error {
	switch {
	case n.Kind == yaml.MappingNode:
		if err := to.WriteToken(jsontext.BeginObject); err != nil {
			return err
		}
		for name, value := range n.members() {
			if err := errors.Join(to.WriteToken(jsontext.String(name)), value.writeJSON(to)); err != nil {
				return err
			}
		}
		return to.WriteToken(jsontext.EndObject)
	case n.Kind == yaml.SequenceNode:
		if err := to.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for _, item := range n.items() {
			if err := item.writeJSON(to); err != nil {
				return err
			}
		}
		return to.WriteToken(jsontext.EndArray)
	case n.ShortTag() == "!!str":
		return to.WriteToken(jsontext.String(n.Value))
	default: // JSON writes a number, true, false or null as YAML does
		return to.WriteValue(jsontext.Value(n.Value))
	}
}
