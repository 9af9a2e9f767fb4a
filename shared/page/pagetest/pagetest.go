// Package pagetest is for tests of pages: whether a text that means harm stays a text.
package pagetest

import (
	"fmt"
	"html"
	"reflect"
	"regexp"
	"strings"
)

// Hostile leaves what it is put into, if it can: an element, an attribute, quoted or not, a comment, a title, a script.
const Hostile = `x y=z '"--></title></script></style><script>alert(1)</script><img src=x onerror=alert(1)>&lt;&#39;`

// Scripts are addresses that run what they hold when they are followed.
var Scripts = []string{
	"javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)",
	"\x01javascript:alert(1)",
	"javascript://shop.example/%0Aalert(1)", "vbscript:x", "data:text/html,<script>alert(1)</script>",
}

// Check draws a page with harmless and hostile texts. Tags and attributes must be equal, and each text unchanged.
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

// skeleton returns what no text may change of a page: its tags and the names of their attributes, in order.
func skeleton(page string) string {
	return value.ReplaceAllString(strings.Join(tag.FindAllString(page, -1), "\n"), `=""`)
}

// values are what a browser reads out of a page: the attributes' values, and the texts between the tags.
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

// Empty names the empty texts in a structure, and in structures and maps there. Fields named hint are optional.
func Empty(texts any) []string { return empty("", reflect.ValueOf(texts)) }

func empty(name string, v reflect.Value) []string {
	var all []string
	switch v.Kind() {
	case reflect.String:
		if v.String() == "" && !strings.HasSuffix(name, ".hint") {
			return []string{name}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, empty(name+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
	case reflect.Map:
		if v.Len() == 0 {
			return []string{name}
		}
		for _, key := range v.MapKeys() {
			all = append(all, empty(name+"."+key.String(), v.MapIndex(key))...)
		}
	}
	return all
}
