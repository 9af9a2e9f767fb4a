package validate

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// rule returns the fault of a value, or "". It checks a text, each text of a list, or the whole value.
type rule struct {
	text  func(string) string
	whole func(reflect.Value) string
}

// newRule returns a rule by its name. Lengths are in characters (Unicode code points).
//
//	required      the field is present and not empty; else it is MISSING
//	text=90       a text of at most 90 characters without control characters
//	lines=1000    the same, but line breaks and tabs are allowed
//	min=1 max=9   from 1 to 9: the number, or the characters of a text
//	items=50      a list of at most 50
//	one-of=a|b    one of these texts; a type with a method Values() []string has the rule
//	integer=1..9  a text that is an integer from 1 to 9
//	pattern=^a$   a text that matches; the document writes the same expression
//	own           the object checks the field in its method Rule
//
// The formats are rules, too, by their names. A question mark after a text rule's name allows "": email? and
// one-of?=a|b.
func newRule(name, argument string, t reflect.Type) (rule, error) {
	whole := t
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	isNumber := t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64
	isText := t.Kind() == reflect.String || t.Implements(reflect.TypeFor[secret]())
	switch name {
	case "items":
		n, err := strconv.Atoi(argument)
		if err == nil && whole.Kind() != reflect.Slice {
			err = fmt.Errorf("%s is no list", whole)
		}
		return rule{whole: atMostItems(n)}, err
	case "min", "max":
		n, err := strconv.ParseInt(argument, 10, 64)
		if isNumber {
			return rule{whole: numberRule(name, n)}, err
		}
		if err == nil && !isText {
			err = fmt.Errorf("%s has no %s", whole, name)
		}
		return rule{text: lengthRule(name, int(n))}, err
	}
	if !isText {
		return rule{}, fmt.Errorf("%s is no text, as %s needs", whole, name)
	}
	bare, orEmpty := strings.CutSuffix(name, "?")
	r, err := textRule(bare, argument)
	if fault := r.text; orEmpty {
		r.text = func(text string) string {
			if text == "" {
				return ""
			}
			return fault(text)
		}
	}
	return r, err
}

func textRule(name, argument string) (rule, error) {
	switch name {
	case "text":
		n, err := strconv.Atoi(argument)
		return rule{text: freeText(n, "")}, err
	case "lines":
		n, err := strconv.Atoi(argument)
		return rule{text: freeText(n, "\t\n\r")}, err
	case "one-of":
		return rule{text: oneOf(strings.Split(argument, "|"))}, nil
	case "pattern":
		return rule{text: pattern(argument)}, nil
	case "integer":
		least, most, _ := strings.Cut(argument, "..")
		from, err := strconv.ParseInt(least, 10, 64)
		to, err2 := strconv.ParseInt(most, 10, 64)
		return rule{text: integer(from, to)}, errors.Join(err, err2)
	}
	fault, known := formats[name]
	if !known || argument != "" {
		return rule{}, fmt.Errorf("there is no rule %s", name)
	}
	return rule{text: fault}, nil
}

func numberRule(name string, limit int64) func(reflect.Value) string {
	return func(v reflect.Value) string {
		n := v.Int()
		switch {
		case name == "min" && n < limit:
			return fmt.Sprintf("must be at least %d", limit)
		case name == "max" && n > limit:
			return fmt.Sprintf("must be at most %d", limit)
		default:
			return ""
		}
	}
}

func lengthRule(name string, limit int) func(string) string {
	return func(text string) string {
		n := utf8.RuneCountInString(text)
		switch {
		case name == "min" && n == 0:
			return "must not be empty"
		case name == "min" && n < limit:
			return fmt.Sprintf("must have at least %d characters", limit)
		case name == "max" && n > limit:
			return tooLong(limit)
		default:
			return ""
		}
	}
}

func integer(from, to int64) func(string) string {
	return func(text string) string {
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < from || n > to {
			return fmt.Sprintf("must be an integer from %d to %d", from, to)
		}
		return ""
	}
}

func tooLong(limit int) string { return fmt.Sprintf("must have at most %d characters", limit) }

// freeText returns a rule for texts up to the limit, without control characters (Cc) except the allowed characters. The
// refused characters end lines of logs and CSV files, and change terminals.
func freeText(limit int, allowed string) func(string) string {
	refused := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(allowed, r) }
	message := "must have no control characters"
	if allowed != "" {
		message += " but line breaks and tabs"
	}
	return func(text string) string {
		switch {
		case utf8.RuneCountInString(text) > limit:
			return tooLong(limit)
		case strings.ContainsFunc(text, refused):
			return message
		default:
			return ""
		}
	}
}

func atMostItems(limit int) func(reflect.Value) string {
	return func(v reflect.Value) string {
		if v.Len() > limit {
			return fmt.Sprintf("must have at most %d entries", limit)
		}
		return ""
	}
}

func oneOf(allowed []string) func(string) string {
	return func(text string) string {
		if slices.Contains(allowed, text) {
			return ""
		}
		return "must be one of " + strings.Join(allowed, ", ")
	}
}

// pattern returns a rule for texts that match the expression. The expression is compiled when the first text is
// checked, so that a function starts faster.
func pattern(expression string) func(string) string {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	return func(text string) string {
		if compiled().MatchString(text) {
			return ""
		}
		return "must match " + expression
	}
}
