// Package filter decides as Lambda does which records of the table's stream reach a function (AWS: "Control which
// events Lambda sends to your function"). It takes the part of the pattern language that the list of functions uses:
// texts, numbers and maps of the new image, by their exact values, or by whether they are there.
package filter

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-lambda-go/events"
)

// MaxPatterns is how many patterns an event source mapping takes, and MaxLength how long each may be as JSON.
const (
	MaxPatterns = 5
	MaxLength   = 4096
)

// Filter is a list of patterns, of which one must match. The empty one lets every record through.
type Filter []image

// image is what must hold of attributes, by their names.
type image map[string]condition

// condition is what must hold of one attribute.
type condition struct {
	kind    events.DynamoDBDataType
	members image    // of a map
	exists  *bool    // of a text or number: whether it is there
	values  []string // else one of these
}

var (
	errTooMany  = fmt.Errorf("more than %d patterns", MaxPatterns)
	errNotImage = errors.New(`a pattern is not {"dynamodb":{"NewImage":{…}}}`)
)

// New reads patterns. Errors: too many; one outside the part of the language that this package takes.
func New(patterns []map[string]any) (Filter, error) {
	if len(patterns) > MaxPatterns {
		return nil, errTooMany
	}
	var f Filter
	for _, p := range patterns {
		change, ok := only(p, "dynamodb")
		if ok {
			change, ok = only(change, "NewImage")
		}
		if !ok {
			return nil, errNotImage
		}
		i, err := newImage(change)
		if err != nil {
			return nil, err
		}
		f = append(f, i)
	}
	return f, nil
}

// only is the one member of an object, itself an object.
func only(object map[string]any, name string) (map[string]any, bool) {
	member, ok := object[name].(map[string]any)
	return member, ok && len(object) == 1
}

func newImage(pattern map[string]any) (image, error) {
	if len(pattern) == 0 {
		return nil, errNotImage
	}
	i := image{}
	for name, given := range pattern {
		typed, ok := given.(map[string]any)
		if !ok || len(typed) != 1 {
			return nil, fmt.Errorf("%s: not an attribute of one type", name)
		}
		for kind, value := range typed {
			c, err := newCondition(kind, value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			i[name] = c
		}
	}
	return i, nil
}

func newCondition(kind string, value any) (c condition, err error) {
	switch kind {
	case "M":
		members, _ := value.(map[string]any)
		c.kind = events.DataTypeMap
		c.members, err = newImage(members)
		return c, err
	case "S":
		c.kind = events.DataTypeString
	case "N":
		c.kind = events.DataTypeNumber
	default:
		return c, fmt.Errorf("type %s is not one of S, N and M", kind)
	}
	list, _ := value.([]any)
	for _, one := range list {
		switch v := one.(type) {
		case string:
			c.values = append(c.values, v)
		case map[string]any:
			exists, ok := v["exists"].(bool)
			if !ok || len(v) != 1 || len(list) != 1 {
				return c, fmt.Errorf("%v is not one exists", list)
			}
			c.exists = &exists
		default:
			return c, fmt.Errorf("%v is neither a text nor an exists", v)
		}
	}
	if len(list) == 0 {
		return c, errors.New("no value")
	}
	return c, nil
}

// Match reports whether the record reaches the function.
func (f Filter) Match(r events.DynamoDBEventRecord) bool {
	return len(f) == 0 || slices.ContainsFunc(f, func(i image) bool { return i.match(r.Change.NewImage) })
}

func (i image) match(item map[string]events.DynamoDBAttributeValue) bool {
	for name, c := range i {
		v, there := item[name]
		if !c.match(v, there && v.DataType() == c.kind) {
			return false
		}
	}
	return true
}

// match takes an attribute of another type for none. What is not there has no members.
func (c condition) match(v events.DynamoDBAttributeValue, there bool) bool {
	switch {
	case c.members != nil && there:
		return c.members.match(v.Map())
	case c.members != nil:
		return c.members.match(nil)
	case c.exists != nil:
		return there == *c.exists
	case !there:
		return false
	case c.kind == events.DataTypeNumber:
		return slices.Contains(c.values, v.Number())
	default:
		return slices.Contains(c.values, v.String())
	}
}
