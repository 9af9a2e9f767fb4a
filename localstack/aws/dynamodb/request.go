package dynamodb

import (
	"errors"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/expr"
)

// request holds the parameters that data operations share; which of them an
// operation has is in parameters.
type request struct {
	table, index                                     string
	key, item, start                                 attr.Map
	condition, filter, update, projection, keyClause *string
	keyConditions                                    []expr.KeyTerm
	names                                            map[string]string
	values                                           map[string]attr.Value
	returnValues, onFailure, capacity, selection     string
	consistent, backward                             bool
	limit, segment, segments                         *int
}

const expressionParameters = " ExpressionAttributeNames ExpressionAttributeValues"

// parameters lists what each operation, or part of one, may be given. Anything
// else is refused by name, including the legacy parameters that expressions replaced.
var parameters = map[string]string{
	"GetItem":    "TableName Key ConsistentRead ProjectionExpression ExpressionAttributeNames ReturnConsumedCapacity",
	"PutItem":    "TableName Item ReturnItemCollectionMetrics" + singleWrite,
	"UpdateItem": "TableName Key UpdateExpression ReturnItemCollectionMetrics" + singleWrite,
	"DeleteItem": "TableName Key ReturnItemCollectionMetrics" + singleWrite,
	"Query": "TableName IndexName KeyConditionExpression KeyConditions FilterExpression ProjectionExpression " +
		"ScanIndexForward " +
		"ConsistentRead Limit ExclusiveStartKey Select ReturnConsumedCapacity" + expressionParameters,
	"Scan": "TableName IndexName FilterExpression ProjectionExpression ConsistentRead Limit ExclusiveStartKey Select " +
		"Segment TotalSegments ReturnConsumedCapacity" + expressionParameters,
	"Put":            "TableName Item" + transactWrite,
	"Update":         "TableName Key UpdateExpression" + transactWrite,
	"Delete":         "TableName Key" + transactWrite,
	"ConditionCheck": "TableName Key" + transactWrite,
	"Get":            "TableName Key ProjectionExpression ExpressionAttributeNames",
	"Keys":           "Keys ConsistentRead ProjectionExpression ExpressionAttributeNames",
}

const (
	transactWrite = " ConditionExpression ReturnValuesOnConditionCheckFailure" + expressionParameters
	singleWrite   = transactWrite + " ReturnValues ReturnConsumedCapacity"
)

// refuseParameter is the answer to a parameter that is unknown, legacy
// or not built.
func refuseParameter(operation, name string) error {
	return attr.Invalidf("%s: the parameter %s is not supported", operation, name)
}

// readRequest reads the parameters of an operation.
func readRequest(r *attr.Reader, operation string) (*request, error) {
	req := &request{}
	err := r.Object(func(name string) error {
		if !allows(operation, name) {
			return refuseParameter(operation, name)
		}
		return req.read(r, name)
	})
	return req, err
}

var allowed = func() map[string][]string {
	lists := map[string][]string{}
	for operation, names := range parameters {
		lists[operation] = strings.Fields(names)
	}
	return lists
}()

func allows(operation, parameter string) bool { return slices.Contains(allowed[operation], parameter) }

func (req *request) read(r *attr.Reader, name string) (err error) {
	switch name {
	case "Key":
		req.key, err = r.Map()
	case "Item":
		req.item, err = r.Map()
	case "ExclusiveStartKey":
		req.start, err = r.Map()
	case "ExpressionAttributeNames":
		req.names, err = readNames(r)
	case "ExpressionAttributeValues":
		req.values, err = readValues(r)
	case "KeyConditions":
		req.keyConditions, err = readKeyConditions(r)
	case "ReturnConsumedCapacity":
		req.capacity, err = readCapacity(r)
	case "ConsistentRead":
		req.consistent, err = r.Bool()
	case "ScanIndexForward":
		var forward bool
		forward, err = r.Bool()
		req.backward = !forward
	case "Limit", "Segment", "TotalSegments":
		var n int
		n, err = r.Int()
		*map[string]**int{"Limit": &req.limit, "Segment": &req.segment, "TotalSegments": &req.segments}[name] = &n
	default:
		return req.readText(r, name)
	}
	return err
}

func (req *request) readText(r *attr.Reader, name string) error {
	s, err := r.Str()
	switch name {
	case "TableName":
		req.table = s
	case "IndexName":
		req.index = s
	case "ConditionExpression":
		req.condition = &s
	case "FilterExpression":
		req.filter = &s
	case "UpdateExpression":
		req.update = &s
	case "ProjectionExpression":
		req.projection = &s
	case "KeyConditionExpression":
		req.keyClause = &s
	case "ReturnValues":
		req.returnValues = s
	case "ReturnValuesOnConditionCheckFailure":
		req.onFailure = s
	case "Select":
		req.selection = s
	case "ReturnItemCollectionMetrics": // has nothing to say without local secondary indexes
	}
	return err
}

func readNames(r *attr.Reader) (map[string]string, error) {
	names := map[string]string{}
	err := r.Object(func(key string) error {
		name, err := r.Str()
		names[key] = name
		return err
	})
	return names, err
}

func readValues(r *attr.Reader) (map[string]attr.Value, error) {
	values := map[string]attr.Value{}
	err := r.Object(func(key string) error {
		v, err := r.Value()
		values[key] = v
		if err == nil {
			return nil
		}
		if invalid, ok := errors.AsType[attr.Invalid](err); ok {
			return attr.Invalidf("ExpressionAttributeValues contains invalid value: %s for key %s", invalid, key)
		}
		return err
	})
	return values, err
}

// legacyOperators are the ComparisonOperators of KeyConditions.
var legacyOperators = map[string]string{
	"EQ": "=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "BETWEEN": "BETWEEN", "BEGINS_WITH": "begins_with",
}

// readKeyConditions reads the one legacy parameter that is supported: guregu/dynamo writes its queries with it.
func readKeyConditions(r *attr.Reader) ([]expr.KeyTerm, error) {
	var terms []expr.KeyTerm
	err := r.Object(func(name string) error {
		term, err := readLegacyTerm(r, name)
		terms = append(terms, term)
		return err
	})
	return terms, err
}

func readLegacyTerm(r *attr.Reader, name string) (expr.KeyTerm, error) {
	term := expr.KeyTerm{Name: name}
	var (
		values   []attr.Value
		operator string
	)
	err := members{"AttributeValueList": into(&values, list((*attr.Reader).Value)), "ComparisonOperator": text(&operator)}.
		read(r, "KeyConditions")
	if err != nil {
		return term, err
	}
	if term.Op = legacyOperators[operator]; term.Op == "" {
		return term, attr.Invalid("Attempted conditional constraint is not an indexable operation")
	}
	want := 1
	if term.Op == "BETWEEN" {
		want = 2
	}
	if len(values) != want {
		return term,
			attr.Invalid("One or more parameter values were invalid: Invalid number of argument(s) for the ComparisonOperator")
	}
	term.Low, term.High = values[0], values[want-1]
	return term, nil
}
