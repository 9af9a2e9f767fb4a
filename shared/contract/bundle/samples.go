package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	yaml "github.com/oasdiff/yaml3"
)

// addSamples returns the document with a curl command line for each operation, before the operation's responses.
// Errors: a document that is not YAML; an operation whose parameter or body lacks an example that the command needs.
//
// A command is little more than the operation's address and example, so no generator is used.
func addSamples(text string) (string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return "", err
	}
	d := described{yamlNode{root: &root, Node: root.Content[0]}}
	var out strings.Builder
	var path, method string
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\n")
		if at := pathLine.FindStringSubmatch(bare); at != nil {
			path = at[1]
		}
		if at := methodLine.FindStringSubmatch(bare); at != nil {
			method = at[1]
		}
		if bare == "      responses:" {
			sample, err := d.curl(method, path)
			if err != nil {
				return "", fmt.Errorf("%s %s: %w", method, path, err)
			}
			out.WriteString(sampleText(sample))
		}
		out.WriteString(line)
	}
	return out.String(), nil
}

var (
	pathLine   = regexp.MustCompile(`^  (/\S*):$`)
	methodLine = regexp.MustCompile(`^    (get|put|post|delete|patch):$`)
)

// sampleText returns the lines that add the command to an operation, in the form that renderers of documents read.
func sampleText(sample string) string {
	const margin = "            "
	return "      x-codeSamples:\n        - lang: Shell\n          label: curl\n          source: |-\n" + margin +
		strings.ReplaceAll(sample, "\n", "\n"+margin) + "\n"
}

type described struct{ yamlNode }

// curl returns the command line that sends an operation's first example.
func (d described) curl(method, path string) (string, error) {
	item := d.at("paths").at(path)
	operation := item.at(method)
	named := operation.at("x-in-sample").items()
	parameters := append(item.at("parameters").items(), operation.at("parameters").items()...)
	address, err := d.address(path, named, parameters)
	if err != nil {
		return "", err
	}
	media, value := exampleOf(operation.at("requestBody"))
	if operation.at("requestBody").Node != nil && value.Node == nil {
		return "", errors.New("the body has no example")
	}
	implied := "get"
	if value.Node != nil {
		implied = "post"
	}
	lines := []string{"curl " + address}
	if method != implied {
		lines[0] = "curl -X " + strings.ToUpper(method) + " " + address
	}
	if security := operation.at("security"); security.Node == nil || len(security.items()) > 0 {
		lines = append(lines, `-H "Authorization: Bearer $API_KEY"`)
	}
	lines = append(lines, headerLines(named, parameters)...)
	if operation.shows("text/html") {
		lines = append(lines, "-H 'Accept: text/html'")
	}
	body, err := bodyLines(media, value)
	return strings.Join(append(lines, body...), " \\\n  "), err
}

// address returns the operation's address as one word of a shell, with its required parameters and the named
// parameters.
func (d described) address(path string, named, parameters []yamlNode) (string, error) {
	var query []string
	for _, p := range parameters {
		place, name := p.at("in").text(), p.at("name").text()
		needed := p.at("required").text() == "true" || isNamed(p, named)
		if place == "header" || !needed {
			continue
		}
		example := p.at("example")
		if example.Node == nil {
			example = p.at("schema").at("example")
		}
		if example.Node == nil || example.Kind != yaml.ScalarNode {
			return "", fmt.Errorf("the parameter %s has no example of one value", name)
		}
		if place == "path" {
			path = strings.ReplaceAll(path, "{"+name+"}", percentEncode(example.text()))
		} else {
			query = append(query, percentEncode(name)+"="+percentEncode(example.text()))
		}
	}
	address := d.at("servers").items()[0].at("url").text() + path
	if len(query) == 0 {
		return withVar(address), nil
	}
	return `"` + withVar(address+"?"+strings.Join(query, "&")) + `"`, nil
}

// headerLines returns curl's options for the named parameters in headers.
func headerLines(named, parameters []yamlNode) (lines []string) {
	for _, p := range parameters {
		if p.at("in").text() == "header" && isNamed(p, named) {
			lines = append(lines, "-H "+shellQuote(p.at("name").text()+": "+p.at("example").text()))
		}
	}
	return lines
}

// isNamed returns true if the parameter is among the named parameters.
func isNamed(parameter yamlNode, named []yamlNode) bool {
	return slices.ContainsFunc(named, func(n yamlNode) bool { return n.text() == parameter.at("name").text() })
}

// shows returns true if the operation's first response has the media type, with or without a charset.
func (n yamlNode) shows(media string) bool {
	for _, response := range n.at("responses").members() {
		for first := range response.at("content").members() {
			return strings.HasPrefix(first, media)
		}
		return false
	}
	return false
}

// exampleOf returns the first example of a request's body, with its media type. Without an example it returns no value.
func exampleOf(body yamlNode) (media string, value yamlNode) {
	for media, content := range body.at("content").members() {
		for _, example := range content.at("examples").members() {
			return media, example.at("value")
		}
	}
	return "", yamlNode{}
}

// bodyLines returns curl's options for a body.
func bodyLines(media string, value yamlNode) (lines []string, err error) {
	switch {
	case value.Node == nil:
		return nil, nil
	case media == "application/x-www-form-urlencoded":
		for name, member := range value.members() {
			lines = append(lines, "--data-urlencode "+shellQuote(name+"="+member.text()))
		}
		return lines, nil
	default:
		text, err := value.json("  ")
		return []string{"-H " + shellQuote("Content-Type: "+media), "-d " + shellQuote(text)}, err
	}
}

// merchantCode is the merchant of all examples. Readers set $MERCHANT_CODE to their own merchant.
const merchantCode = "MC0A1B2C3D"

// withVar replaces the merchant code by $MERCHANT_CODE. The text must not be in single quotes.
func withVar(text string) string { return strings.ReplaceAll(text, merchantCode, "$MERCHANT_CODE") }

// shellQuote returns the text as one word of a shell.
func shellQuote(text string) string {
	text = strings.ReplaceAll(text, "'", `'\''`)
	return strings.TrimSuffix("'"+strings.ReplaceAll(text, merchantCode, "'$MERCHANT_CODE'")+"'", "''")
}

// percentEncode returns the value in the form that an address needs. This form is also safe in a shell's word.
func percentEncode(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if slices.Contains([]byte("-._~"), c) || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
