package dynamodb_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
)

const (
	defaultOperations = 3000
	maxDifferences    = 10 // limits the output, because after one difference the two sides may drift apart
)

func operationCount(t *testing.T) int {
	given := os.Getenv("CASHWRAP_DIFF_OPS")
	if given == "" {
		return defaultOperations
	}
	n, err := strconv.Atoi(given)
	if err != nil {
		t.Fatalf("CASHWRAP_DIFF_OPS: %v", err)
	}
	return n
}

func diffSeed(t *testing.T) uint64 {
	given := os.Getenv("CASHWRAP_DIFF_SEED")
	if given == "" {
		return 20261121
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatalf("CASHWRAP_DIFF_SEED: %v", err)
	}
	return seed
}

// TestEngine_LikeDynamoDBLocal checks that the engine and DynamoDB Local give the same answers, errors, consumption and
// streams for the same random requests. tolerated_test.go lists the accepted differences.
func TestEngine_LikeDynamoDBLocal(t *testing.T) {
	endpoint, ok := oracleEndpoint(t)
	if !ok {
		return
	}
	count, seed := operationCount(t), diffSeed(t)
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
	engine := engineSide(dynamodb.New(dynamodb.Config{}))
	oracle := oracleSide(endpoint, fmt.Sprintf("diff%d", rand.Uint64()))
	for _, s := range []*side{engine, oracle} {
		s.call(t, "CreateTable", tableDefinition())
	}
	seen := map[string]int{}
	differences, ambiguous := 0, 0
	for i := range count {
		r := g.request()
		r.before = scanItems(t, engine)
		got, want := r.send(t, engine), r.send(t, oracle)
		r.after = scanItems(t, engine)
		seen[r.op+" "+errorType(got)]++
		difference := r.compare(got, want)
		if difference != "" && severalFaults(got, want) {
			difference = ""
			ambiguous++
		}
		if difference != "" {
			t.Errorf("seed %d, operation %d: %s\n%s\n%s\ngot %s\nwant %s",
				seed, i, difference, r.op, compact(r.body), compact(got), compact(want))
			if differences++; differences == maxDifferences {
				t.FailNow()
			}
		}
	}
	if ambiguous > max(1, count/500) {
		t.Errorf("got %d of %d expressions refused for different faults, want at most %d", ambiguous, count,
			max(1, count/500))
	}
	for _, outcome := range slices.Sorted(keysOf(seen)) {
		t.Logf("%6d %s", seen[outcome], outcome)
	}
	compareStreams(t, engine, oracle)
}

// scanItems returns all items of a side's table by key.
func scanItems(t *testing.T, s *side) map[string]object {
	all := map[string]object{}
	for _, item := range s.call(t, "Scan", object{"TableName": diffTable})["Items"].(list) {
		item := item.(object)
		all[keyText(item)] = item
	}
	return all
}

func keyText(item object) string { return compact(list{item["pk"], item["sk"]}) }

func keysOf(m map[string]int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// send sends the request. For a drained request it joins all pages.
func (r request) send(t *testing.T, s *side) object {
	answer := s.call(t, r.op, r.body)
	if !r.drain {
		return answer
	}
	whole := object{"Items": list{}, "Count": 0, "ScannedCount": 0, "Pages": 0}
	body := object{}
	maps.Copy(body, r.body)
	for {
		if errorType(answer) != "" {
			return answer
		}
		if items, ok := answer["Items"].(list); ok {
			whole["Items"] = append(whole["Items"].(list), items...)
		}
		whole["Count"] = whole["Count"].(int) + toInt(answer["Count"])
		whole["ScannedCount"] = whole["ScannedCount"].(int) + toInt(answer["ScannedCount"])
		whole["Pages"] = whole["Pages"].(int) + 1
		if toInt(answer["ScannedCount"]) > 0 { // an empty page may differ, see normalise
			whole["ConsumedCapacity"] = addCapacity(whole["ConsumedCapacity"], answer["ConsumedCapacity"])
		}
		last, more := answer["LastEvaluatedKey"]
		if !more {
			return whole
		}
		body["ExclusiveStartKey"] = last
		answer = s.call(t, r.op, body)
	}
}

func toInt(v any) int {
	n, _ := v.(json.Number).Int64()
	return int(n)
}

// addCapacity adds the numbers of two capacities of the same shape.
func addCapacity(a, b any) any {
	m, isObject := b.(object)
	if !isObject {
		return b
	}
	sum := object{}
	before, _ := a.(object)
	for name, v := range m {
		switch v := v.(type) {
		case json.Number:
			old, _ := before[name].(json.Number)
			x, _ := old.Float64()
			y, _ := v.Float64()
			sum[name] = json.Number(strconv.FormatFloat(x+y, 'f', 1, 64))
		default:
			sum[name] = addCapacity(before[name], v)
		}
	}
	return sum
}

func errorType(answer object) string {
	name, _ := answer["__type"].(string)
	return name[strings.LastIndex(name, "#")+1:]
}

func errorMessage(answer object) string {
	for _, member := range []string{"message", "Message"} {
		if s, ok := answer[member].(string); ok {
			return s
		}
	}
	return ""
}

// compare returns the difference between two answers to the request, or "".
func (r request) compare(got, want object) string {
	if toleratedOutcome(got, want) != "" {
		return ""
	}
	if errorType(got) != errorType(want) {
		return "the outcomes differ"
	}
	if errorType(got) != "" {
		return compareErrors(canonical(got).(object), canonical(want).(object))
	}
	got, want = r.normalise(got), r.normalise(want)
	for _, name := range unionOfNames(got, want) {
		if !reflect.DeepEqual(got[name], want[name]) {
			return name + " differs"
		}
	}
	return ""
}

func unionOfNames(a, b object) []string {
	var names []string
	for _, m := range []object{a, b} {
		for name := range m {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func compareErrors(got, want object) string {
	if !sameMessage(errorMessage(got), errorMessage(want)) {
		return "the messages differ"
	}
	if !reflect.DeepEqual(got["Item"], want["Item"]) {
		return "the failed condition's Item differs"
	}
	a, _ := got["CancellationReasons"].(list)
	b, _ := want["CancellationReasons"].(list)
	if len(a) != len(b) {
		return "the numbers of reasons differ"
	}
	for i := range a {
		x, y := a[i].(object), b[i].(object)
		if x["Code"] != y["Code"] || !reflect.DeepEqual(x["Item"], y["Item"]) ||
			!sameMessage(errorMessage(x), errorMessage(y)) {
			return fmt.Sprintf("reason %d differs", i)
		}
	}
	return ""
}

// compareStreams compares the streams' records of each item. The service promises no order between items.
func compareStreams(t *testing.T, engine, oracle *side) {
	got, want := readHistories(t, engine), readHistories(t, oracle)
	for _, key := range slices.Sorted(func(yield func(string) bool) {
		for k := range want {
			if !yield(k) {
				return
			}
		}
	}) {
		if len(got[key]) != len(want[key]) {
			t.Errorf("stream of %s: got %d records, want %d", key, len(got[key]), len(want[key]))
		}
		for i := range min(len(got[key]), len(want[key])) {
			if !reflect.DeepEqual(streamImage(got[key][i]), streamImage(want[key][i])) {
				t.Fatalf("stream of %s, record %d: got\n%s\nwant\n%s", key, i, compact(got[key][i]), compact(want[key][i]))
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("got streams of %d items, want %d", len(got), len(want))
	}
}

func readHistories(t *testing.T, s *side) map[string]list {
	streams := s.call(t, "ListStreams", object{"TableName": diffTable})["Streams"].(list)
	arn := streams[0].(object)["StreamArn"]
	shards := s.call(t, "DescribeStream", object{"StreamArn": arn})["StreamDescription"].(object)["Shards"].(list)
	all := map[string]list{}
	for _, shard := range shards {
		iterator := s.call(t, "GetShardIterator", object{"StreamArn": arn, "ShardId": shard.(object)["ShardId"],
			"ShardIteratorType": "TRIM_HORIZON"})["ShardIterator"]
		for iterator != nil {
			page := s.call(t, "GetRecords", object{"ShardIterator": iterator})
			records := page["Records"].(list)
			if len(records) == 0 {
				break
			}
			for _, record := range records {
				change := record.(object)["dynamodb"].(object)
				key := compact(change["Keys"])
				all[key] = append(all[key], object{"event": record.(object)["eventName"],
					"old": change["OldImage"], "new": change["NewImage"], "size": change["SizeBytes"]})
			}
			iterator = page["NextShardIterator"]
		}
	}
	return all
}

func byText(a, b any) int { return cmp.Compare(compact(a), compact(b)) }
