package main

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// common is the file for everything that does not belong to a family.
const common = "common.yaml"

var (
	commonOnly = []string{"openapi", "info", "servers", "security"} // sections that no family may have
	sections   = []string{"openapi", "info", "servers", "tags", "security", "paths", "components"}
	kinds      = []string{"securitySchemes", "parameters", "headers", "requestBodies", "responses", "schemas", "examples"}
)

// document holds the parts joined so far.
type document struct {
	text   map[string]string   // by place: the name of a section, or components/<kind>
	owners map[string]string   // the part that defines a key, by place/key
	refs   map[string][]string // references of each part, as place/key
}

// bundle joins the parts and adds samples. common.yaml comes first, then the families by their names. Errors: a part
// with a section that it may not have, or with a key that another part has; a reference to a component that is neither
// in the part nor in common.yaml; an error of addSamples.
func bundle(parts fs.FS) (string, error) {
	names, err := fs.Glob(parts, "*.yaml")
	if err != nil {
		return "", err
	}
	slices.SortFunc(names, func(a, b string) int { // common.yaml sorts first, because its name counts as empty
		return strings.Compare(strings.TrimPrefix(a, common), strings.TrimPrefix(b, common))
	})
	d := document{text: map[string]string{}, owners: map[string]string{}, refs: map[string][]string{}}
	for _, name := range names {
		text, err := fs.ReadFile(parts, name)
		if err == nil {
			err = d.add(name, string(text))
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := d.checkReferences(); err != nil {
		return "", err
	}
	return addSamples(d.String())
}

func (d *document) add(part, text string) error {
	for _, found := range reference.FindAllStringSubmatch(text, -1) {
		d.refs[part] = append(d.refs[part], found[1])
	}
	for _, s := range splitBlocks(text, 0) {
		switch {
		case !slices.Contains(sections, s.key):
			return fmt.Errorf("there is no section %q", s.key)
		case slices.Contains(commonOnly, s.key):
			if part != common {
				return fmt.Errorf("only %s may have the section %q", common, s.key)
			}
			d.text[s.key] = s.text
		case s.key == "components":
			for _, kind := range splitBlocks(s.body(), 2) {
				if !slices.Contains(kinds, kind.key) {
					return fmt.Errorf("there are no components %q", kind.key)
				}
				if err := d.merge(part, "components/"+kind.key, kind.body(), 4); err != nil {
					return err
				}
			}
		default:
			if err := d.merge(part, s.key, s.body(), 2); err != nil {
				return err
			}
		}
	}
	return nil
}

// merge adds a part's text to a place that all parts share.
func (d *document) merge(part, place, text string, indent int) error {
	for _, e := range splitBlocks(text, indent) {
		key := place + "/" + e.key
		if owner, taken := d.owners[key]; taken {
			return fmt.Errorf("%s has %s already", owner, key)
		}
		d.owners[key] = part
	}
	if d.text[place] != "" && place != "tags" {
		d.text[place] += "\n"
	}
	if place != "tags" {
		d.text[place] += strings.Repeat(" ", indent) + "# " + part + "\n"
	}
	d.text[place] += strings.Trim(text, "\n") + "\n"
	return nil
}

// reference matches a reference to a component of the document.
var reference = regexp.MustCompile(`\$ref: ["']?#/(components/\w+/[\w.-]+)`)

// checkReferences checks that each family can be read with only common.yaml beside it.
func (d *document) checkReferences() error {
	for part, refs := range d.refs {
		for _, ref := range refs {
			if owner := d.owners[ref]; owner != part && owner != common {
				return fmt.Errorf("%s refers to %s of %q: what several parts use belongs in %s", part, ref, owner, common)
			}
		}
	}
	return nil
}

// String returns the document's text.
func (d *document) String() string {
	var all []string
	for _, section := range sections {
		switch {
		case section == "components":
			text := "components:\n"
			for _, kind := range kinds {
				if entries := d.text["components/"+kind]; entries != "" {
					text += "  " + kind + ":\n" + entries + "\n"
				}
			}
			all = append(all, text)
		case slices.Contains(commonOnly, section):
			all = append(all, d.text[section])
		default:
			all = append(all, section+":\n"+d.text[section])
		}
	}
	for i := range all {
		all[i] = strings.Trim(all[i], "\n") + "\n"
	}
	return strings.Join(all, "\n")
}

// block is a key's line with the text below the line and the comments before it.
type block struct{ key, text string }

// body returns the text below the key's line.
func (b block) body() string {
	_, below, _ := strings.Cut(b.text[strings.Index(b.text, b.key):], "\n")
	return below
}

// splitBlocks divides YAML text in block style at the keys, or at the members of a list, that have the indentation.
func splitBlocks(text string, indent int) []block {
	var blocks []block
	margin, comments := strings.Repeat(" ", indent), ""
	for line := range strings.Lines(text) {
		rest, here := strings.CutPrefix(line, margin)
		switch {
		case here && strings.HasPrefix(rest, "#"):
			comments += line // a comment belongs to the next key
			continue
		case here && strings.TrimSpace(rest) != "" && rest[0] != ' ':
			key := strings.TrimSpace(rest)
			if !strings.HasPrefix(rest, "- ") {
				key, _, _ = strings.Cut(key, ":")
			}
			blocks = append(blocks, block{key, comments + line})
		case len(blocks) > 0:
			blocks[len(blocks)-1].text += comments + line
		}
		comments = ""
	}
	return blocks
}
