package trigger

import (
	"encoding/json"
	"fmt"
	"strings"
)

// override sets fields of the body, each by "field:value". A number that replaces a number stays a number. Otherwise
// true and false are booleans, and any other value is a text.
func override(body object, overrides []string) error {
	for _, o := range overrides {
		path, value, found := strings.Cut(o, ":")
		if !found || path == "" {
			return fmt.Errorf("%q is no override: give one such as amount:12.50", o)
		}
		at, names := body, strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			inner, isObject := at[name].(object)
			if !isObject {
				inner = object{}
				at[name] = inner
			}
			at = inner
		}
		last := names[len(names)-1]
		at[last] = convertValue(at[last], value)
	}
	return nil
}

func convertValue(before any, value string) any {
	_, number := before.(json.Number)
	switch {
	case number && json.Valid([]byte(value)):
		return json.Number(value)
	case value == "true", value == "false":
		return value == "true"
	default:
		return value
	}
}
