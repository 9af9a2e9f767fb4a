// Package pagetest checks in tests that hostile text on a page stays text and does not become markup. Call Check with a
// function that renders the page.
package pagetest

import (
	"fmt"
	"html"
	"reflect"
	"regexp"
	"strings"
)

// Hostile breaks out of each place where text is not escaped: an element, an attribute with or without quotes, a
// comment, a title, a script.
const Hostile = `x y=z '"--></title></script></style><script>alert(1)</script><img src=x onerror=alert(1)>&lt;&#39;`

// Scripts are addresses that run a script when a browser follows them.
var Scripts = []string{
	"javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)",
	"\x01javascript:alert(1)",
	"javascript://shop.example/%0Aalert(1)", "vbscript:x", "data:text/html,<script>alert(1)</script>",
}

// Check renders a page with a harmless and with a hostile text. Both pages must have the same tags and attributes. The
// hostile text must be readable unchanged. places is the number of places where the page shows the text.
func Check(places int, draw func(text string) (string, error)) error {
	plain, err := draw("x")
	if err != nil {
		return err
	}
	attacked, err := draw(Hostile)
	if err != nil {
		return err
	}
	if want, got := skeleton(plain), skeleton(attacked); got != want {
		return fmt.Errorf("the text became markup:\n%s\nwithout it:\n%s", got, want)
	}
	if got := strings.Count(strings.Join(values(attacked), "\n"), Hostile); got != places {
		return fmt.Errorf("the text can be read in %d places, want %d:\n%s", got, places, attacked)
	}
	return nil
}

var (
	tag   = regexp.MustCompile(`<[^>]*>`)
	value = regexp.MustCompile(`="[^"]*"`)
)

// skeleton returns the part of a page that no text may change: its tags and the names of their attributes, in order.
func skeleton(page string) string {
	return value.ReplaceAllString(strings.Join(tag.FindAllString(page, -1), "\n"), `=""`)
}

// values returns the texts that a browser reads from a page: the attributes' values, and the texts between the tags.
func values(page string) []string {
	var all []string
	for _, element := range tag.FindAllString(page, -1) {
		for _, quoted := range value.FindAllString(element, -1) {
			all = append(all, html.UnescapeString(quoted[2:len(quoted)-1]))
		}
	}
	for _, text := range tag.Split(page, -1) {
		all = append(all, html.UnescapeString(text))
	}
	return all
}

// Empty returns the names of the empty texts in a struct, and in the structs and maps within it. Fields named hint may
// be empty.
func Empty(texts any) []string { return findEmpty("", reflect.ValueOf(texts)) }

func findEmpty(name string, v reflect.Value) []string {
	var all []string
	switch v.Kind() {
	case reflect.String:
		if v.String() == "" && !strings.HasSuffix(name, ".hint") {
			return []string{name}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, findEmpty(name+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
	case reflect.Map:
		if v.Len() == 0 {
			return []string{name}
		}
		for _, key := range v.MapKeys() {
			all = append(all, findEmpty(name+"."+key.String(), v.MapIndex(key))...)
		}
	}
	return all
}
