package dynamodb_test

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// sameRefusal lists pairs of messages with the same meaning: a message of the engine, which is also the service's, and
// the different message of DynamoDB Local.
var sameRefusal = []struct{ engine, oracle, reason string }{
	{"One or more parameter values were invalid: Type mismatch for Index Key",
		"One or more parameter values were invalid: Type mismatch for Index Key",
		"the service names key, types and index"},
	{"Query condition missed key schema element", "Query condition missed key schema element",
		"the service names the key"},
	{"One or more parameter values were invalid: Global secondary index keys_only does not project [",
		"One or more parameter values were invalid: Global secondary index keys_only does not project [",
		"the order of several names"},
	{"One or more parameter values were invalid: Global secondary index including does not project [",
		"One or more parameter values were invalid: Global secondary index including does not project [",
		"the order of several names"},
	{"One or more parameter values were invalid: Secondary index keys_only does not project one or more filter " +
		"attributes: [",
		"One or more parameter values were invalid: Secondary index keys_only does not project one or more filter " +
			"attributes: [", "the order of several names"},
	{"One or more parameter values were invalid: Secondary index including does not project one or more filter " +
		"attributes: [",
		"One or more parameter values were invalid: Secondary index including does not project one or more filter " +
			"attributes: [", "the order of several names"},
	{"Value provided in ExpressionAttributeValues unused in expressions: keys: {",
		"Value provided in ExpressionAttributeValues unused in expressions: keys: {",
		"the order of several names"},
	{"Value provided in ExpressionAttributeNames unused in expressions: keys: {",
		"Value provided in ExpressionAttributeNames unused in expressions: keys: {",
		"the order of several names"},
	{"Transaction request cannot include multiple operations on one item", "",
		"DynamoDB Local checks the items one by one and may find another fault first"},
	{"", "One or more parameter values were invalid: Type mismatch for Index Key",
		"an item is checked before the expressions"},
	{"Invalid ", "One or more parameter values are not valid. A value specified for a secondary index key",
		"an item is checked before the expressions"},
	{"", "Invalid attribute value type", "values that can be no key are refused with other words, and before " +
		"expressions are read"},
	{"The conditional request failed", "The conditional request failed.", "a full stop in the reason of a ConditionCheck"},
	{"The request token was used before with other parameters", "", "DynamoDB Local has no message"},
}

// misfits are the starts of messages about values that do not fit an item or index. If several values do not fit, the
// two engines may report different values.
var misfits = []string{
	"The document path provided in the update expression is invalid for update",
	"The provided expression refers to an attribute that does not exist in the item",
	"An operand in the update expression has an incorrect data type",
	"DynamoDB only supports precision up to 38 digits",
	"One or more parameter values are not valid. A value specified for a secondary index key is not supported.",
}

func misfit(message string) bool {
	return slices.ContainsFunc(misfits, func(start string) bool { return strings.HasPrefix(message, start) })
}

func sameMessage(engine, oracle string) bool {
	if misfit(engine) && misfit(oracle) {
		return true
	}
	// If paths overlap, DynamoDB Local sometimes names an unrelated path.
	engine, _, _ = strings.Cut(engine, "; path one:")
	oracle, _, _ = strings.Cut(oracle, "; path one:")
	// If several indexes have the attribute, an engine may name any of these indexes.
	engine, _, _ = strings.Cut(engine, " IndexName:")
	oracle, _, _ = strings.Cut(oracle, " IndexName:")
	if engine == oracle {
		return true
	}
	for _, same := range sameRefusal {
		if strings.HasPrefix(engine, same.engine) && strings.HasPrefix(oracle, same.oracle) {
			return true
		}
	}
	return false
}

// toleratedOutcome returns the reason why the engines may refuse a request with errors of different types, or "".
func toleratedOutcome(got, want object) string {
	switch {
	case errorMessage(want) == "Invalid attribute value type" && strings.Contains(errorMessage(got), "ValidationError"):
		return "an index key of a kind that no key has ends the transaction, where one of a wrong scalar kind is a reason"
	case strings.HasPrefix(errorMessage(got), "Transaction request cannot include multiple operations") &&
		errorType(want) != "":
		return "DynamoDB Local checks tokens and conditions before items named twice"
	}
	return ""
}

// severalFaults returns true if both engines refuse an expression, but for different reasons, and neither reason is a
// syntax error. An expression may have several faults, and an engine names only one. The test limits how often that may
// happen.
func severalFaults(got, want object) bool {
	engine, oracle := errorMessage(got), errorMessage(want)
	parameter, _, isExpression := strings.Cut(engine, "Expression: ")
	return isExpression && strings.HasPrefix(oracle, parameter+"Expression: ") && engine != oracle &&
		!strings.Contains(engine, "Syntax error") && !strings.Contains(oracle, "Syntax error")
}

// normalise removes the parts of an answer that may differ.
func (r request) normalise(answer object) object {
	kept := canonical(answer).(object)
	if r.uncomparableCapacity() != "" {
		delete(kept, "ConsumedCapacity")
	}
	if r.swapsHalfKeys() {
		kept["ConsumedCapacity"] = withoutNumberIndex(kept["ConsumedCapacity"])
	}
	// DynamoDB Local omits LastEvaluatedKey if the last item is on the bound of the sort key, or if the filter emptied the
	// last page.
	if clause, ok := r.body["KeyConditionExpression"].(string); ok && strings.Contains(clause, "s") ||
		r.body["FilterExpression"] != nil {
		delete(kept, "Pages")
	}
	// The order of a scan, and of items with equal index keys, is not promised. The query tests check the order by sort
	// key.
	if items, ok := kept["Items"].(list); ok && (r.op == "Scan" || r.body["IndexName"] != nil) {
		kept["Items"] = slices.SortedFunc(slices.Values(items), byText)
	}
	// A batch promises no order.
	if responses, ok := kept["Responses"].(object); ok {
		items, _ := responses[diffTable].(list)
		kept["Responses"] = slices.SortedFunc(slices.Values(items), byText)
	}
	return kept
}

// canonical rewrites numbers in the service's form. DynamoDB Local sometimes returns a number as the client gave it,
// such as 1e3 instead of 1000.
func canonical(v any) any {
	switch v := v.(type) {
	case object:
		kept := object{}
		for name, member := range v {
			kept[name] = canonical(member)
			if s, ok := member.(string); ok && name == "N" {
				if n, err := attr.Number(s); err == nil {
					kept[name] = n.Str()
				}
			}
		}
		return kept
	case list:
		kept := make(list, len(v))
		for i, member := range v {
			kept[i] = canonical(member)
		}
		return kept
	}
	return v
}

// streamImage is like canonical, without the type of empty lists and maps: DynamoDB Local's stream has {} for {"M":{}}.
func streamImage(v any) any {
	switch v := canonical(v).(type) {
	case object:
		kept := object{}
		for name, member := range v {
			member = streamImage(member)
			if isEmpty(member) && len(v) == 1 && (name == "M" || name == "L") {
				continue
			}
			kept[name] = member
		}
		return kept
	case list:
		kept := make(list, len(v))
		for i, member := range v {
			kept[i] = streamImage(member)
		}
		return kept
	default:
		return v
	}
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case object:
		return len(v) == 0
	case list:
		return len(v) == 0
	}
	return false
}

// uncomparableCapacity returns the reason why DynamoDB Local's figure for this request differs from the published
// rules, or "".
func (r request) uncomparableCapacity() string {
	switch r.op {
	case "Query", "Scan":
		if r.op == "Scan" && r.body["Limit"] != nil && r.anyBig() {
			return "pages hold other items, so that rounding up adds up to another sum"
		}
		if r.body["IndexName"] != nil && r.body["IndexName"] != "by_number" && r.anyBig() {
			return "reading an index is charged by the whole item; the guide says by what is projected"
		}
	case "BatchGetItem":
		for _, key := range r.body["RequestItems"].(object)[diffTable].(object)["Keys"].([]object) {
			if r.before[keyText(key)] == nil {
				return "an item that does not exist is read for nothing; the guide charges for it"
			}
		}
	case "BatchWriteItem":
		for _, w := range r.body["RequestItems"].(object)[diffTable].(list) {
			if r.deletesNothing(w.(object)["DeleteRequest"]) {
				return "deleting an item that does not exist is charged two units instead of one"
			}
		}
	case "TransactWriteItems":
		return r.uncomparableTransaction()
	}
	return ""
}

func (r request) uncomparableTransaction() string {
	parts := r.body["TransactItems"].(list)
	switch {
	case len(parts) > 1:
		return "the sizes of all items are added up before rounding; the guide rounds each"
	case r.deletesNothing(parts[0].(object)["Delete"]):
		return "deleting an item that does not exist is charged one unit instead of two"
	case r.body["ClientRequestToken"] != nil:
		return "a replay is charged as a write; the guide says as a read"
	}
	return ""
}

func (r request) anyBig() bool {
	for _, item := range r.before {
		if item["big"] != nil {
			return true
		}
	}
	return false
}

func (r request) deletesNothing(deletion any) bool {
	d, ok := deletion.(object)
	return ok && r.before[keyText(d["Key"].(object))] == nil
}

// swapsHalfKeys returns true if an item had one half of by_number's key and now has the other. The item is never in the
// index, but DynamoDB Local charges the index for it.
func (r request) swapsHalfKeys() bool {
	for key, item := range r.before {
		next := r.after[key]
		if item["gp"] != nil != (item["gs"] != nil) && next["gp"] != nil != (next["gs"] != nil) &&
			(item["gp"] != nil) != (next["gp"] != nil) {
			return true
		}
	}
	return false
}

func withoutNumberIndex(capacity any) any {
	if all, ok := capacity.(list); ok && len(all) == 1 {
		return withoutNumberIndex(all[0])
	}
	kept := object{}
	whole, _ := capacity.(object)
	kept["Table"] = whole["Table"]
	indexes, _ := whole["GlobalSecondaryIndexes"].(object)
	for name, units := range indexes {
		if name != "by_number" {
			kept[name] = units
		}
	}
	return kept
}
