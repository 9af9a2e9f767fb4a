// Package filter matches stream records like Lambda (AWS: "Control which events Lambda sends to your function"). New
// parses the patterns that functions use: texts, numbers and maps of the new image, by exact value or presence.
package filter

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-lambda-go/events"
)

// Limits of an event source mapping: the number of patterns, and the length of each as JSON.
const (
	MaxPatterns = 5
	MaxLength   = 4096
)

// Filter holds patterns of the new image. A record must match one of them. An empty Filter matches all records.
type Filter []map[string]any

var (
	errTooMany  = fmt.Errorf("more than %d patterns", MaxPatterns)
	errNotImage = errors.New(`a pattern is not {"dynamodb":{"NewImage":{…}}}`)
)

// New parses patterns. It fails on too many patterns, and on pattern syntax outside of the supported part.
func New(patterns []map[string]any) (Filter, error) {
	if len(patterns) > MaxPatterns {
		return nil, errTooMany
	}
	var f Filter
	for _, p := range patterns {
		change, _ := only(p, "dynamodb")
		image, ok := only(change, "NewImage")
		if !ok {
			return nil, errNotImage
		}
		if err := checkImage(image); err != nil {
			return nil, err
		}
		f = append(f, image)
	}
	return f, nil
}

// only(object, name) returns the object's member with the name. It returns false if the object has other members, or if
// the member is not an object.
func only(object map[string]any, name string) (map[string]any, bool) {
	if len(object) != 1 {
		return nil, false
	}
	member, ok := object[name].(map[string]any)
	return member, ok
}

var types = map[string]events.DynamoDBDataType{"S": events.DataTypeString, "N": events.DataTypeNumber,
	"M": events.DataTypeMap}

func checkImage(pattern map[string]any) error {
	if len(pattern) == 0 {
		return errNotImage
	}
	for name, given := range pattern {
		typed, ok := given.(map[string]any)
		if !ok || len(typed) != 1 {
			return fmt.Errorf("%s: not an attribute of one type", name)
		}
		for kind, wanted := range typed {
			if err := checkWanted(kind, wanted); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func checkWanted(kind string, wanted any) error {
	if _, ok := types[kind]; !ok {
		return fmt.Errorf("type %s is not one of S, N and M", kind)
	}
	if kind == "M" {
		members, _ := wanted.(map[string]any)
		return checkImage(members)
	}
	list, _ := wanted.([]any)
	for _, one := range list {
		switch v := one.(type) {
		case string:
		case map[string]any:
			if _, ok := v["exists"].(bool); !ok || len(v) != 1 || len(list) != 1 {
				return fmt.Errorf("%v is not one exists", list)
			}
		default:
			return fmt.Errorf("%v is neither a text nor an exists", v)
		}
	}
	if len(list) == 0 {
		return errors.New("no value")
	}
	return nil
}

// Match returns true if the function receives the record.
func (f Filter) Match(r events.DynamoDBEventRecord) bool {
	return len(f) == 0 || slices.ContainsFunc(f, func(image map[string]any) bool {
		return matchImage(image, r.Change.NewImage)
	})
}

func matchImage(pattern map[string]any, item map[string]events.DynamoDBAttributeValue) bool {
	for name, typed := range pattern {
		for kind, wanted := range typed.(map[string]any) {
			v, there := item[name]
			if !match(wanted, v, there && v.DataType() == types[kind]) {
				return false
			}
		}
	}
	return true
}

// match returns true if an attribute has a wanted value, or if a map has the wanted members. An absent map has no
// members. The parameter there must be false if the attribute is absent or has another type.
func match(wanted any, v events.DynamoDBAttributeValue, there bool) bool {
	members, isMap := wanted.(map[string]any)
	values, _ := wanted.([]any)
	switch {
	case isMap && there:
		return matchImage(members, v.Map())
	case isMap:
		return matchImage(members, nil)
	case !there:
		return slices.ContainsFunc(values, func(one any) bool { return isExists(one, false) })
	case v.DataType() == events.DataTypeNumber:
		return slices.ContainsFunc(values, func(one any) bool { return one == v.Number() || isExists(one, true) })
	default:
		return slices.ContainsFunc(values, func(one any) bool { return one == v.String() || isExists(one, true) })
	}
}

func isExists(wanted any, there bool) bool {
	object, ok := wanted.(map[string]any)
	return ok && object["exists"] == there
}
