package relay

import (
	"reflect"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

func TestImage_EachType(t *testing.T) {
	t.Parallel()
	given := map[string]events.DynamoDBAttributeValue{
		"S": events.NewStringAttribute("a"), "N": events.NewNumberAttribute("1.5"),
		"BOOL": events.NewBooleanAttribute(true), "NULL": events.NewNullAttribute(),
		"B": events.NewBinaryAttribute([]byte{1}), "SS": events.NewStringSetAttribute([]string{"a", "b"}),
		"NS": events.NewNumberSetAttribute([]string{"1", "2"}), "BS": events.NewBinarySetAttribute([][]byte{{1}, {2}}),
		"L": events.NewListAttribute([]events.DynamoDBAttributeValue{events.NewStringAttribute("in a list")}),
		"M": events.NewMapAttribute(map[string]events.DynamoDBAttributeValue{"k": events.NewNumberAttribute("2")}),
	}
	want := map[string]types.AttributeValue{
		"S": &types.AttributeValueMemberS{Value: "a"}, "N": &types.AttributeValueMemberN{Value: "1.5"},
		"BOOL": &types.AttributeValueMemberBOOL{Value: true}, "NULL": &types.AttributeValueMemberNULL{Value: true},
		"B": &types.AttributeValueMemberB{Value: []byte{1}}, "SS": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"NS": &types.AttributeValueMemberNS{Value: []string{"1", "2"}},
		"BS": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
		"L":  &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: "in a list"}}},
		"M": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"k": &types.AttributeValueMemberN{Value: "2"}}},
	}
	unexported := cmp.Exporter(func(reflect.Type) bool { return true })
	if diff := cmp.Diff(want, image(given), unexported); diff != "" {
		t.Errorf("image (-want +got):\n%s", diff)
	}
}
