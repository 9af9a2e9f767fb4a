package dynamodb_test

import (
	"fmt"
	"strings"
)

// operand returns a path, a value or a size.
func (g *generator) operand() string {
	switch g.IntN(10) {
	case 0:
		return "size(" + g.path() + ")"
	case 1, 2, 3:
		return g.path()
	default:
		return g.value(g.scalar())
	}
}

func (g *generator) condition(depth int) string {
	if depth > 0 && g.chance(45) {
		left, right := g.condition(depth-1), g.condition(depth-1)
		switch g.IntN(4) {
		case 0:
			return "NOT " + g.simple()
		case 1:
			return "(" + left + ") OR " + right
		case 2:
			return left + " OR " + right
		}
		return left + " AND " + right
	}
	return g.simple()
}

func (g *generator) simple() string {
	path := g.path()
	switch g.IntN(12) {
	case 0:
		return "attribute_exists(" + pick(g, path, "pk") + ")"
	case 1:
		return "attribute_not_exists(" + pick(g, path, "pk", "nothing") + ")"
	case 2:
		return fmt.Sprintf("begins_with(%s, %s)", path, g.value(text(g.word())))
	case 3:
		return fmt.Sprintf("contains(%s, %s)", path, g.value(g.scalar()))
	case 4:
		return fmt.Sprintf("attribute_type(%s, %s)", path,
			g.value(text(pick(g, "S", "N", "L", "M", "SS", "NS", "BOOL", "NULL", "B"))))
	case 5:
		return fmt.Sprintf("%s BETWEEN %s AND %s", g.operand(), g.value(number("0")), g.value(number("3")))
	case 6:
		return fmt.Sprintf("%s IN (%s, %s)", path, g.operand(), g.value(g.scalar()))
	case 7:
		return fmt.Sprintf("%s = %s", path, g.value(g.document()))
	}
	return fmt.Sprintf("%s %s %s", path, pick(g, "=", "<>", "<", "<=", ">", ">="), g.operand())
}

// numeric returns an operand, usually a number.
func (g *generator) numeric() string {
	if g.chance(85) {
		return pick(g, "n", "m.a", "if_not_exists(n, "+g.value(number("0"))+")", g.value(number(g.number())))
	}
	return g.operand()
}

func (g *generator) assignment() string {
	path := g.path()
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("%s = %s %s %s", path, g.numeric(), pick(g, "+", "-"), g.numeric())
	case 1:
		return fmt.Sprintf("%s = if_not_exists(%s, %s)", path, g.path(), pick(g, g.value(g.document()), "n"))
	case 2:
		v := g.value(listOf(g.scalar()))
		return pick(g, "l = list_append(l, "+v+")", "l = list_append("+v+", l)",
			"l = list_append(if_not_exists(l, "+v+"), "+v+")")
	case 3:
		return pick(g, "gs = "+g.value(number("1")), "gp = "+g.value(text("g0")), "kp = "+g.value(text("k")))
	case 4:
		return path + " = " + g.path()
	}
	return path + " = " + g.value(g.document())
}

func (g *generator) update() string {
	var sections []string
	section := func(verb string, percent int, action func() string) {
		if !g.chance(percent) {
			return
		}
		actions := []string{action()}
		for g.chance(30) {
			actions = append(actions, action())
		}
		sections = append(sections, verb+" "+strings.Join(actions, ", "))
	}
	section("SET", 70, g.assignment)
	section("REMOVE", 25, func() string { return pick(g, g.path(), "gp", "gs", "kp", "l[0]", "l[1]") })
	section("ADD", 25, func() string {
		return pick(g, "n "+g.value(number(g.number())), "ss "+g.value(textSet("b", "d")), "ns "+g.value(numSet("2", "9")),
			"cnt "+g.value(number("1")))
	})
	section("DELETE", 15, func() string {
		return pick(g, "ss "+g.value(textSet("a", "b")), "ns "+g.value(numSet("1")), "ss "+g.value(textSet("zz")))
	})
	if len(sections) == 0 {
		return "SET n = " + g.value(number(g.number()))
	}
	return strings.Join(sections, " ")
}

func mentions(expression, key string) bool {
	for rest := expression; ; {
		i := strings.Index(rest, key)
		if i < 0 {
			return false
		}
		rest = rest[i+len(key):]
		if rest == "" || !strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyz_", rune(rest[0])) {
			return true
		}
	}
}

// damage breaks an expression in one place, to compare the errors.
func (g *generator) damage(expression string) string {
	words := strings.Fields(expression)
	i := g.IntN(len(words))
	switch g.IntN(5) {
	case 0:
		words = append(words[:i], words[i+1:]...)
	case 1:
		words[i] = pick(g, "(", ")", ",", "AND", "=", "name", ":undefined", "#undefined", "[0]", "SET", "NOT")
	case 2:
		words[i] += " " + words[i]
	case 3:
		words[i] = strings.ToUpper(words[i])
	default:
		words[i] = "(" + words[i] + ")"
	}
	return strings.Join(words, " ") + " "
}
