package dynamodb_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes requests for few items, so that conditions both pass and fail, and transactions meet earlier changes.
type generator struct {
	*rand.Rand
	names  object
	values object
	count  int // values in the current request

	requests int // number of requests so far
}

// tokenWindow is the maximum number of requests between two uses of a token. Both engines forget old tokens, but not
// after the same request.
const tokenWindow = 1000

func pick[T any](g *generator, choices ...T) T { return choices[g.IntN(len(choices))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

const diffTable = "differential"

func tableDefinition() object {
	attribute := func(name, kind string) object { return object{"AttributeName": name, "AttributeType": kind} }
	key := func(names ...string) list {
		keys := list{object{"AttributeName": names[0], "KeyType": "HASH"}}
		if len(names) > 1 {
			keys = append(keys, object{"AttributeName": names[1], "KeyType": "RANGE"})
		}
		return keys
	}
	return object{
		"TableName": diffTable, "BillingMode": "PAY_PER_REQUEST", "KeySchema": key("pk", "sk"),
		"AttributeDefinitions": list{attribute("pk", "S"), attribute("sk", "S"), attribute("gp", "S"), attribute("gs", "N"),
			attribute("kp", "S")},
		"StreamSpecification": object{"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
		"GlobalSecondaryIndexes": list{
			object{"IndexName": "by_number", "KeySchema": key("gp", "gs"), "Projection": object{"ProjectionType": "ALL"}},
			object{"IndexName": "keys_only", "KeySchema": key("kp"), "Projection": object{"ProjectionType": "KEYS_ONLY"}},
			object{"IndexName": "including", "KeySchema": key("kp", "sk"), "Projection": object{"ProjectionType": "INCLUDE",
				"NonKeyAttributes": list{"s", "n"}}},
		},
	}
}

func text(s string) object    { return object{"S": s} }
func number(s string) object  { return object{"N": s} }
func mapOf(m object) object   { return object{"M": m} }
func listOf(v ...any) object  { return object{"L": list(v)} }
func textSet(v ...any) object { return object{"SS": list(v)} }
func numSet(v ...any) object  { return object{"NS": list(v)} }

func (g *generator) key() object {
	return object{"pk": text(fmt.Sprint("p", g.IntN(2))), "sk": text(fmt.Sprint("s", g.IntN(4)))}
}

func (g *generator) number() string {
	return pick(g, "0", "1", "2", "3", "-1", "2.5", "10", "1e3", "0.10", "99999999999999999999999999999999999999", "1e-20",
		"-7.25")
}

func (g *generator) word() string { return pick(g, "", "a", "ab", "abc", "b", "é€", "s1") }

func (g *generator) scalar() object {
	switch g.IntN(8) {
	case 0, 1, 2:
		return number(g.number())
	case 3, 4, 5:
		return text(g.word())
	case 6:
		return object{"BOOL": g.chance(50)}
	default:
		return pick(g, object{"NULL": true}, object{"B": "YWI="}, object{"B": "YQ=="})
	}
}

func (g *generator) set() object {
	if g.chance(50) {
		return pick(g, numSet("1"), numSet("1", "2"), numSet("2", "3", "10"))
	}
	return pick(g, textSet("a"), textSet("a", "b"), textSet("b", "c", "é€"))
}

// document returns any value without deep nesting.
func (g *generator) document() object {
	switch g.IntN(6) {
	case 0:
		return listOf(g.scalar(), g.scalar(), mapOf(object{"x": g.scalar()}))
	case 1:
		return mapOf(object{"a": g.scalar(), "b": mapOf(object{"c": g.scalar()})})
	case 2:
		return g.set()
	default:
		return g.scalar()
	}
}

// item returns an item with most attributes that expressions name, usually of the expected type.
func (g *generator) item() object {
	item := g.key()
	usual := map[string]func() object{
		"n": func() object { return number(g.number()) }, "s": func() object { return text(g.word()) },
		"ss": func() object { return textSet("a", "b") }, "ns": func() object { return numSet("1", "2") },
		"l":    func() object { return listOf(number("1"), mapOf(object{"x": number("2")})) },
		"m":    func() object { return mapOf(object{"a": number("1"), "b": mapOf(object{"c": text("deep")})}) },
		"flag": func() object { return object{"BOOL": true} },
		"gp": func() object {
			return text(fmt.Sprint("g", g.IntN(2)))
		}, "gs": func() object { return number(fmt.Sprint(g.IntN(3))) },
		"kp": func() object { return text("k") },
	}
	for _, name := range []string{"flag", "gp", "gs", "kp", "l", "m", "n", "ns", "s", "ss"} {
		isKey := name == "gp" || name == "gs" || name == "kp"
		switch {
		case g.chance(70):
			item[name] = usual[name]()
		case g.chance(20) && !isKey, g.chance(2):
			item[name] = g.document()
		}
	}
	if g.chance(3) {
		item["big"] = text(strings.Repeat("x", g.IntN(6000)))
	}
	return item
}

// begin resets the placeholders for a new request.
func (g *generator) begin() { g.names, g.values, g.count = object{}, object{}, 0 }

// placeholders adds to body the placeholders that the request's expressions mention. The others belong to alternatives
// that the generator did not take.
func (g *generator) placeholders(body object) object {
	var expressions string
	for name, v := range body {
		if strings.HasSuffix(name, "Expression") {
			expressions += v.(string) + " "
		}
	}
	for parameter, placeholders := range map[string]object{"ExpressionAttributeNames": g.names,
		"ExpressionAttributeValues": g.values} {
		for key := range placeholders {
			if !mentions(expressions, key) {
				delete(placeholders, key)
			}
		}
		if len(placeholders) > 0 {
			body[parameter] = placeholders
		}
	}
	return body
}

func (g *generator) value(v object) string {
	key := fmt.Sprint(":v", g.count)
	g.count++
	g.values[key] = v
	return key
}

var rootNames = []string{"n", "n", "s", "s", "ss", "ns", "l", "m", "flag", "nothing", "gs", "big"}

// path returns the path of an attribute, the path of a part of an attribute, or a path that leads to nothing.
func (g *generator) path() string {
	switch g.IntN(10) {
	case 0:
		return pick(g, "m.a", "m.b.c", "m.b", "m.none", "m.a.x", "n.x", "nothing.x")
	case 1:
		return pick(g, "l[0]", "l[1]", "l[1].x", "l[2]", "l[7]", "s[0]")
	case 2:
		name := pick(g, rootNames...)
		g.names["#"+name] = name
		return "#" + name
	}
	return pick(g, rootNames...)
}
