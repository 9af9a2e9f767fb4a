package filter_test

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
)

// parse parses patterns from the JSON that AWS gets.
func parse(t *testing.T, texts ...string) (filter.Filter, error) {
	t.Helper()
	patterns := make([]map[string]any, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal([]byte(text), &patterns[i]); err != nil {
			t.Fatal(err)
		}
	}
	return filter.New(patterns)
}

const (
	owed   = `{"dynamodb":{"NewImage":{"state":{"S":["owed","late"]},"sweeps":{"N":[{"exists":false}]}}}}`
	nested = `{"dynamodb":{"NewImage":{"attempt":{"M":{"since":{"S":[{"exists":true}]},"card":{"M":{"n":{"N":["1"]}}}}}}}}`
	none   = `{"dynamodb":{"NewImage":{"attempt":{"M":{"since":{"S":[{"exists":false}]}}}}}}`
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		image    string
		patterns []string
		want     bool
	}{
		"no pattern":              {`{}`, nil, true},
		"one of the values":       {`{"state":{"S":"late"}}`, []string{owed}, true},
		"another value":           {`{"state":{"S":"dead"}}`, []string{owed}, false},
		"another type":            {`{"state":{"N":"1"}}`, []string{owed}, false},
		"null":                    {`{"state":{"NULL":true}}`, []string{owed}, false},
		"absent":                  {`{}`, []string{owed}, false},
		"one that must be absent": {`{"state":{"S":"owed"},"sweeps":{"N":"0"}}`, []string{owed}, false},
		"absent as another type":  {`{"state":{"S":"owed"},"sweeps":{"NULL":true}}`, []string{owed}, true},
		"nested": {`{"attempt":{"M":{"since":{"S":"now"},"card":{"M":{"n":{"N":"1"}}}}}}`, []string{nested},
			true},
		"nested, another number": {`{"attempt":{"M":{"since":{"S":"now"},"card":{"M":{"n":{"N":"2"}}}}}}`, []string{nested},
			false},
		"nested, absent":            {`{"attempt":{"M":{"card":{"M":{"n":{"N":"1"}}}}}}`, []string{nested}, false},
		"nested in null":            {`{"attempt":{"NULL":true}}`, []string{nested}, false},
		"absent with its map":       {`{}`, []string{none}, true},
		"absent in its map":         {`{"attempt":{"M":{}}}`, []string{none}, true},
		"the second of two":         {`{"state":{"S":"owed"}}`, []string{nested, owed}, true},
		"neither of two":            {`{"state":{"S":"dead"}}`, []string{nested, owed}, false},
		"removed, without an image": {`null`, []string{owed}, false},
	} {
		f, err := parse(t, c.patterns...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var record events.DynamoDBEventRecord
		if err := json.Unmarshal([]byte(`{"dynamodb":{"NewImage":`+c.image+`}}`), &record); err != nil {
			t.Fatal(err)
		}
		if got := f.Match(record); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}

func TestNew_Refusals(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `{"eventName":["INSERT"]}`, `{"dynamodb":{}}`, `{"dynamodb":{"Keys":{"pk":{"S":["1"]}}}}`,
		`{"dynamodb":{"NewImage":{}}}`, `{"dynamodb":{"NewImage":{"a":["1"]}}}`,
		`{"eventName":["INSERT"],"dynamodb":{"NewImage":{"a":{"S":["1"]}}}}`,
		`{"dynamodb":{"NewImage":{"a":{"S":[]}}}}`, `{"dynamodb":{"NewImage":{"a":{"S":"1"}}}}`,
		`{"dynamodb":{"NewImage":{"a":{"S":["1"],"N":["1"]}}}}`, `{"dynamodb":{"NewImage":{"a":{"BOOL":[true]}}}}`,
		`{"dynamodb":{"NewImage":{"a":{"S":[{"prefix":"1"}]}}}}`, `{"dynamodb":{"NewImage":{"a":{"N":[1]}}}}`,
		`{"dynamodb":{"NewImage":{"a":{"S":["1",{"exists":false}]}}}}`, `{"dynamodb":{"NewImage":{"a":{"S":[null]}}}}`,
		`{"dynamodb":{"NewImage":{"a":{"M":{"b":{"S":[]}}}}}}`, `{"dynamodb":{"NewImage":{"a":{"M":{}}}}}`,
	} {
		if _, err := parse(t, text); err == nil {
			t.Errorf("%s: got no error, want one", text)
		}
	}
	if _, err := parse(t, owed, owed, owed, owed, owed, owed); err == nil {
		t.Error("six patterns: got no error, want one")
	}
}
