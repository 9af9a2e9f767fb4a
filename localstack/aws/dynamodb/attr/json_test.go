package attr_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

const sample = `{"b":{"B":"YWI="},"bs":{"BS":["YQ==","YWI="]},"f":{"BOOL":false},"l":{"L":[{"N":"1"},` +
	`{"M":{"x":{"NULL":true}}}]},` +
	`"n":{"NS":["1","2","10"]},"s":{"S":"quote \" slash \\ line \n euro €"},"ss":{"SS":["a","b"]}}`

func TestJSON_RoundTrip(t *testing.T) {
	t.Parallel()
	var item attr.Map
	if err := json.Unmarshal([]byte(" "+sample+"\n"), &item, attr.Options); err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(attr.AppendMap(nil, item), &got); err != nil {
		t.Fatalf("AppendMap: got error %v, want JSON", err)
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(sample, " \n ", ` \n `)), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("round trip: got %v, want %v", got, want)
	}
}

func TestValue_Refusals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: "is empty", `{"Q":"x"}`: "is empty", `{"S":"a","N":"1"}`: "more than one",
		`{"NULL":false}`: "must have the value of true",
		`{"SS":[]}`:      "may not be empty", `{"SS":["a","a"]}`: "duplicates", `{"NS":["1","1.0"]}`: "duplicates",
		`{"S":5}`: "malformed", `{"S":"a"`: "malformed", `{"B":"!!"}`: "malformed",
		strings.Repeat(`{"L":[`, 33) + strings.Repeat(`]}`, 33): "Nesting Levels",
	} {
		var v attr.Value
		if err := json.Unmarshal([]byte(text), &v, attr.Options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q in it", text, err, want)
		}
	}
}

func TestMap_Immutable(t *testing.T) {
	t.Parallel()
	m := attr.NewMap(attr.Field{Name: "b", Value: attr.Int(2)}, attr.Field{Name: "a", Value: attr.Int(1)})
	before := string(attr.AppendMap(nil, m))
	grown := m.With("c", attr.Text("x")).With("a", attr.Int(9)).Without("b")
	if got, want := string(attr.AppendMap(nil, grown)), `{"a":{"N":"9"},"c":{"S":"x"}}`; got != want {
		t.Errorf("changed copy: got %s, want %s", got, want)
	}
	if after := string(attr.AppendMap(nil, m)); after != before {
		t.Errorf("original: got %s, want %s", after, before)
	}
}
