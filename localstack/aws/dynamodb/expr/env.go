package expr

import (
	"maps"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// Env holds ExpressionAttributeNames and ExpressionAttributeValues and tracks which of them were used.
type Env struct {
	names  map[string]string
	values map[string]attr.Value
	used   map[string]bool
}

// NewEnv checks the placeholders. Pass nil maps for a request without placeholders, because the service refuses an
// empty map.
func NewEnv(names map[string]string, values map[string]attr.Value) (*Env, error) {
	if names != nil && len(names) == 0 {
		return nil, attr.Invalid("ExpressionAttributeNames must not be empty")
	}
	if values != nil && len(values) == 0 {
		return nil, attr.Invalid("ExpressionAttributeValues must not be empty")
	}
	for _, key := range slices.Sorted(maps.Keys(names)) {
		if !isPlaceholder(key, '#') {
			return nil, attr.Invalidf("ExpressionAttributeNames contains invalid key: Syntax error; key: %q", key)
		}
		if names[key] == "" {
			return nil, attr.Invalidf("ExpressionAttributeNames contains invalid value: Empty attribute name for key %s", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !isPlaceholder(key, ':') {
			return nil, attr.Invalidf("ExpressionAttributeValues contains invalid key: Syntax error; key: %q", key)
		}
	}
	return &Env{names, values, map[string]bool{}}, nil
}

func isPlaceholder(key string, mark byte) bool {
	return len(key) > 1 && key[0] == mark && scanWhile(key, 1, isNamePart) == len(key)
}

func (e *Env) useName(key string) (string, bool) {
	name, ok := e.names[key]
	e.used[key] = true
	return name, ok
}

func (e *Env) useValue(key string) (attr.Value, bool) {
	v, ok := e.values[key]
	e.used[key] = true
	return v, ok
}

// Unused refuses placeholders that no expression used. Call it after parsing all expressions of the request.
func (e *Env) Unused() error {
	if unused := e.unusedKeys(slices.Sorted(maps.Keys(e.names))); unused != "" {
		return attr.Invalidf("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", unused)
	}
	if unused := e.unusedKeys(slices.Sorted(maps.Keys(e.values))); unused != "" {
		return attr.Invalidf("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", unused)
	}
	return nil
}

func (e *Env) unusedKeys(keys []string) string {
	keys = slices.DeleteFunc(keys, func(k string) bool { return e.used[k] })
	return strings.Join(keys, ", ")
}

// WithoutExpression refuses placeholders in a request without expressions. parameters lists the expressions that the
// request could have, separated by commas.
func (e *Env) WithoutExpression(parameters string) error {
	verb := "is"
	if strings.Contains(parameters, ",") {
		verb = "are all"
	}
	const format = "%s can only be specified when using expressions: %s %s null"
	switch {
	case e.names != nil:
		return attr.Invalidf(format, "ExpressionAttributeNames", parameters, verb)
	case e.values != nil:
		return attr.Invalidf(format, "ExpressionAttributeValues", parameters, verb)
	}
	return nil
}
