package dynamodb

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/expr"
)

// request holds the parameters of all data operations. The map named parameters lists the parameters of each operation.
type request struct {
	TableName, IndexName                string
	Key, Item, ExclusiveStartKey        attr.Map
	Keys                                []attr.Map
	ConditionExpression                 *string
	FilterExpression                    *string
	UpdateExpression                    *string
	ProjectionExpression                *string
	KeyConditionExpression              *string
	KeyConditions                       keyConditions
	ExpressionAttributeNames            map[string]string
	ExpressionAttributeValues           attributeValues
	ReturnValues                        string
	ReturnValuesOnConditionCheckFailure string
	ReturnConsumedCapacity              capacityLevel
	ReturnItemCollectionMetrics         string // without effect, since there are no local secondary indexes
	Select                              string
	ConsistentRead                      bool
	ScanIndexForward                    *bool
	Limit, Segment, TotalSegments       *int
}

const (
	placeholders  = " ExpressionAttributeNames ExpressionAttributeValues"
	transactWrite = " ConditionExpression ReturnValuesOnConditionCheckFailure" + placeholders
	singleWrite   = transactWrite + " ReturnValues ReturnConsumedCapacity ReturnItemCollectionMetrics"
	onePage       = "TableName IndexName FilterExpression ProjectionExpression ConsistentRead Limit ExclusiveStartKey " +
		"Select ReturnConsumedCapacity" + placeholders
	oneGet = " ProjectionExpression ExpressionAttributeNames"
)

// parameters lists the parameters of each operation, and of each part of an operation. Any other parameter is refused
// by name, including legacy parameters.
var parameters = map[string]string{
	"GetItem":        "TableName Key ConsistentRead ReturnConsumedCapacity" + oneGet,
	"PutItem":        "TableName Item" + singleWrite,
	"UpdateItem":     "TableName Key UpdateExpression" + singleWrite,
	"DeleteItem":     "TableName Key" + singleWrite,
	"Query":          onePage + " KeyConditionExpression KeyConditions ScanIndexForward",
	"Scan":           onePage + " Segment TotalSegments",
	"Put":            "TableName Item" + transactWrite,
	"Update":         "TableName Key UpdateExpression" + transactWrite,
	"Delete":         "TableName Key" + transactWrite,
	"ConditionCheck": "TableName Key" + transactWrite,
	"Get":            "TableName Key" + oneGet,
	"BatchGetItem":   "Keys ConsistentRead" + oneGet,
	"PutRequest":     "Item",
	"DeleteRequest":  "Key",
}

// refuseParameter returns the error for a parameter that is unknown, legacy or not supported here.
func refuseParameter(operation, name string) error {
	return attr.Invalidf("%s: the parameter %s is not supported", operation, name)
}

func readRequest(d *jsontext.Decoder, operation string) (*request, error) {
	req := &request{}
	err := attr.Object(d, func(name string) error {
		if !slices.Contains(strings.Fields(parameters[operation]), name) {
			return refuseParameter(operation, name)
		}
		return json.UnmarshalDecode(d, reflect.ValueOf(req).Elem().FieldByName(name).Addr().Interface())
	})
	return req, err
}

type attributeValues map[string]attr.Value

func (v *attributeValues) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*v = attributeValues{}
	return attr.Object(d, func(key string) error {
		var value attr.Value
		err := json.UnmarshalDecode(d, &value)
		(*v)[key] = value
		if invalid, ok := errors.AsType[attr.Invalid](err); ok {
			return attr.Invalidf("ExpressionAttributeValues contains invalid value: %s for key %s", invalid, key)
		}
		return err
	})
}

// legacyOperators maps the ComparisonOperators of KeyConditions to operators of expressions.
var legacyOperators = map[string]string{
	"EQ": "=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "BETWEEN": "BETWEEN", "BEGINS_WITH": "begins_with",
}

// keyConditions is the only supported legacy parameter. guregu/dynamo uses it for queries.
type keyConditions []expr.KeyTerm

func (c *keyConditions) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return attr.Object(d, func(name string) error {
		term, err := readLegacyTerm(d, name)
		*c = append(*c, term)
		return err
	})
}

func readLegacyTerm(d *jsontext.Decoder, name string) (expr.KeyTerm, error) {
	var in struct {
		AttributeValueList []attr.Value
		ComparisonOperator string
	}
	if err := decode(d, "KeyConditions", &in); err != nil {
		return expr.KeyTerm{}, err
	}
	op, want := legacyOperators[in.ComparisonOperator], 1
	switch op {
	case "":
		return expr.KeyTerm{}, attr.Invalid("Attempted conditional constraint is not an indexable operation")
	case "BETWEEN":
		want = 2
	}
	values := in.AttributeValueList
	if len(values) != want {
		return expr.KeyTerm{}, badValue("Invalid number of argument(s) for the ComparisonOperator")
	}
	return expr.KeyTerm{Name: name, Op: op, Low: values[0], High: values[want-1]}, nil
}
