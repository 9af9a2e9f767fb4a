package expr_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/expr"
)

func parse(t *testing.T, text string) attr.Map {
	t.Helper()
	var m attr.Map
	if err := json.Unmarshal([]byte(text), &m, attr.Options); err != nil {
		t.Fatal(err)
	}
	return m
}

const item = `{"pk":{"S":"z"},"a":{"N":"1"},"s":{"S":"abc"},"bb":{"B":"YWI="},"nu":{"NULL":true},"f":{"BOOL":false},` +
	`"ns":{"NS":["1","2"]},` +
	`"l":{"L":[{"N":"1"},{"N":"2"}]},"m":{"M":{"x":{"N":"1"}}},"clef":{"S":"𝄞"}}`

// environment defines :one, :two, :ab, :bc and #m.
func environment(t *testing.T) *expr.Env {
	t.Helper()
	env, err := expr.NewEnv(map[string]string{"#m": "m"}, map[string]attr.Value{
		":one": attr.Int(1), ":two": attr.Int(2), ":ab": attr.Text("ab"), ":bc": attr.Text("bc"),
		":list": attr.List([]attr.Value{attr.Int(3)})})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func TestCondition(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"a = :one": true, "a <> :one": false, "absent = :one": false, "absent <> :one": true,
		"NOT absent < :one": true, "s <> :one": true,
		"a BETWEEN :one AND :two": true, "a IN (:two, :one)": true, "begins_with(s, :ab)": true,
		"NOT begins_with(a, :ab)": true,
		"contains(s, :bc)":        true, "contains(ns, :one)": true, "contains(l, :two)": true, "contains(a, :one)": false,
		"size(s) > :two": true, "size(a) <> :one": true, "size(nu) = :one": false, "size(#m) = :one": true,
		"size(clef) = :two": true,
		"attribute_exists(m.x) AND attribute_not_exists(m.y.z) AND attribute_exists(l[1]) AND " +
			"attribute_not_exists(l[2])": true,
		"a = :two OR a = :one AND NOT f = :one": true, "(a = :two OR a = :one) AND a > :one": false,
	} {
		c, err := expr.ParseCondition("ConditionExpression")(src, environment(t))
		if err != nil {
			t.Errorf("%s: got error %v, want %t", src, err, want)
			continue
		}
		if got := c.Holds(parse(t, item)); got != want {
			t.Errorf("%s: got %t, want %t", src, got, want)
		}
	}
}

// TestParseCondition_Refusals checks that messages have the words of DynamoDB Local.
func TestParseCondition_Refusals(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"":               `The expression can not be empty;`,
		"a =":            `Syntax error; token: "<EOF>", near: "="`,
		"a == :one":      `Syntax error; token: "=", near: "== :one"`,
		"a = 5":          `Syntax error; token: "5", near: "= 5"`,
		"a and a = :one": `Syntax error; token: "and", near: "a and a"`,
		"a = :one )":     `Syntax error; token: ")", near: ":one )"`,
		"a = :undefined": `An expression attribute value used in expression is not defined; attribute value: ` +
			`:undefined`,
		"#undefined = :one": `An expression attribute name used in the document path is not defined; attribute ` +
			`name: #undefined`,
		"name = :undefined": `Attribute name is a reserved keyword; reserved keyword: name`,
		"a <> a": `The first operand must be distinct from the remaining operands for this operator or ` +
			`function; operator: <>, first operand: [a]`,
		"((a = :one))": `The expression has redundant parentheses;`,
		"size(s)":      `The function is not allowed to be used this way in an expression; function: size`,
		"begins_with(s, :one)": `Incorrect operand type for operator or function; operator or function: begins_with, ` +
			`operand type: N`,
		"begins_with(s)": `Incorrect number of operands for operator or function; operator or function: ` +
			`begins_with, number of operands: 1`,
		"attribute_exists(:one)":     `Operator or function requires a document path; operator or function: attribute_exists`,
		"if_not_exists(a, :one) = a": `The function is not allowed in a condition expression; function: if_not_exists`,
		"foo(a)":                     `Invalid function name; function: foo`,
		"attribute_type(a, :ab)": `Invalid attribute type name found; type: ab, valid types: ` +
			`{N,BS,L,B,NULL,M,S,SS,NS,BOOL}`,
		"a BETWEEN :two AND :one": `The BETWEEN operator requires upper bound to be greater than or equal to lower ` +
			`bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}`,
	} {
		_, err := expr.ParseCondition("ConditionExpression")(src, environment(t))
		if err == nil || err.Error() != "Invalid ConditionExpression: "+want {
			t.Errorf("%q: got error %v\nwant Invalid ConditionExpression: %s", src, err, want)
		}
	}
}

func TestParse_Limits(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		strings.Repeat("a=s OR ", 150) + "a=s":      "operator count: 301", // 151 + 150 operators
		strings.Repeat("a=s OR ", 149) + "a=s":      "ok",
		"a = s" + strings.Repeat(" ", 4092):         "size",
		"a IN (s" + strings.Repeat(",s", 100) + ")": "too many operands",
	} {
		_, err := expr.ParseCondition("ConditionExpression")(src, environment(t))
		if want == "ok" {
			if err != nil {
				t.Errorf("299 operators: got error %v, want none", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s…: got error %v, want %q in it", src, err, want)
		}
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"SET a = a + :two":                           `"a":{"N":"3"}`,
		"SET b = if_not_exists(absent, :two) - :one": `"b":{"N":"1"}`,
		"SET l = list_append(:list, l)":              `"l":{"L":[{"N":"3"},{"N":"1"},{"N":"2"}]}`,
		"SET l[9] = :ab, l[8] = :bc":                 `"l":{"L":[{"N":"1"},{"N":"2"},{"S":"bc"},{"S":"ab"}]}`,
		"SET l[9] = :ab REMOVE l[0], l[2]":           `"l":{"L":[{"N":"2"},{"S":"ab"}]}`,
		"SET m.y = a, a = :two":                      `"m":{"M":{"x":{"N":"1"},"y":{"N":"1"}}}`,
		"ADD a :two, cnt :one":                       `"cnt":{"N":"1"}`,
		"REMOVE m.x, absent":                         `"m":{"M":{}}`,
		"SET #m.x = (a + :one) REMOVE s ADD fresh :two": `"fresh":{"N":"2"},"l":{"L":[{"N":"1"},{"N":"2"}]},` +
			`"m":{"M":{"x":{"N":"2"}}}`,
		"SET b = if_not_exists(a, :two)":                 `"b":{"N":"1"}`,
		"SET b = list_append(if_not_exists(c, :list),l)": `"b":{"L":[{"N":"3"},{"N":"1"},{"N":"2"}]}`,
	} {
		u, err := expr.ParseUpdate(src, environment(t))
		if err != nil {
			t.Errorf("%s: got error %v, want %s", src, err, want)
			continue
		}
		before := parse(t, item)
		after, err := u.Apply(before)
		if got := string(attr.AppendMap(nil, after)); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got %s and error %v, want %s in it", src, got, err, want)
		}
		if !before.Equal(parse(t, item)) {
			t.Errorf("%s: got %s after it, want the item unchanged: %s", src, attr.AppendMap(nil, before), item)
		}
	}
}

func TestUpdate_Refusals(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"SET a = :one SET s = :one":        `The "SET" section can only be used once`,
		"SET a = :one REMOVE a":            "Two document paths overlap",
		"SET m.x = :one, m[0] = :one":      "Two document paths conflict",
		"SET a = a + a + a":                `Syntax error; token: "+"`,
		"SET a = :ab + :one":               "operand type: S",
		"ADD a :ab":                        "operator: ADD, operand type: STRING",
		"DELETE a :one":                    "operator: DELETE, operand type: NUMBER",
		"SET a = size(s)":                  "not allowed in an update expression",
		"SET a = absent":                   "refers to an attribute that does not exist",
		"SET a = s + :one":                 "incorrect data type",
		"SET absent.x = :one":              "document path provided in the update expression is invalid",
		"SET b = if_not_exists(a, absent)": "refers to an attribute that does not exist",
	} {
		u, err := expr.ParseUpdate(src, environment(t))
		if err == nil {
			_, err = u.Apply(parse(t, item))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q in it", src, err, want)
		}
	}
}

func TestProjection(t *testing.T) {
	t.Parallel()
	p, err := expr.ParseProjection("l[1], #m.x, #m.absent, absent, s", environment(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(attr.AppendMap(nil, p.Apply(parse(t, item)))),
		`{"l":{"L":[{"N":"2"}]},"m":{"M":{"x":{"N":"1"}}},"s":{"S":"abc"}}`; got != want {
		t.Errorf("got projection %s, want %s", got, want)
	}
}

func TestEnv_UnusedPlaceholders(t *testing.T) {
	t.Parallel()
	env := environment(t)
	if _, err := expr.ParseCondition("ConditionExpression")("#m = :one", env); err != nil {
		t.Fatal(err)
	}
	const want = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:ab, :bc, :list, :two}"
	if err := env.Unused(); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
