package metric_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/metric"
)

var at = time.UnixMilli(1790000000123)

// TestALineIsOfTheFormat, as CloudWatch's specification has it.
func TestALineIsOfTheFormat(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := metric.Log{Out: &out, Stage: "dev"}
	if err := log.Count(at, map[string]int{"B": 2, "A": 0}); err != nil {
		t.Fatal(err)
	}
	if err := log.Count(at, map[string]int{"C": -1}); err != nil {
		t.Fatal(err)
	}
	const want = `{"A":0,"B":2,"Stage":"dev",` +
		`"_aws":{"Timestamp":1790000000123,"CloudWatchMetrics":[{"Namespace":"Cashwrap",` +
		`"Dimensions":[["Stage"]],"Metrics":[{"Name":"A","Unit":"Count"},{"Name":"B","Unit":"Count"}]}]}}` + "\n" +
		`{"C":-1,"Stage":"dev","_aws":{"Timestamp":1790000000123,"CloudWatchMetrics":[{"Namespace":"Cashwrap",` +
		`"Dimensions":[["Stage"]],"Metrics":[{"Name":"C","Unit":"Count"}]}]}}` + "\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

type broken struct{}

var errBroken = errors.New("no room")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestCountWithoutAWriterAndWithAFailingOne(t *testing.T) {
	t.Parallel()
	if err := (metric.Log{}).Count(at, map[string]int{"A": 1}); err != nil {
		t.Errorf("nowhere: got error %v, want none", err)
	}
	if err := (metric.Log{Out: broken{}}).Count(at, map[string]int{"A": 1}); !errors.Is(err, errBroken) {
		t.Errorf("a writer that fails: got error %v, want %v", err, errBroken)
	}
}
