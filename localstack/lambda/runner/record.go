package runner

import (
	"fmt"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// StreamRecord is a record in the form of Lambda's events.
func StreamRecord(r types.Record, arn, region string) events.DynamoDBEventRecord {
	change := r.Dynamodb
	record := events.DynamoDBEventRecord{
		AWSRegion: region, EventID: aws.ToString(r.EventID), EventName: string(r.EventName),
		EventSource: "aws:dynamodb", EventVersion: "1.1", EventSourceArn: arn,
		Change: events.DynamoDBStreamRecord{
			Keys: image(change.Keys), NewImage: image(change.NewImage), OldImage: image(change.OldImage),
			SequenceNumber: aws.ToString(change.SequenceNumber), SizeBytes: aws.ToInt64(change.SizeBytes),
			StreamViewType: string(change.StreamViewType),
		},
	}
	if at := change.ApproximateCreationDateTime; at != nil {
		record.Change.ApproximateCreationDateTime = events.SecondsEpochTime{Time: *at}
	}
	if by := r.UserIdentity; by != nil {
		record.UserIdentity = &events.DynamoDBUserIdentity{Type: aws.ToString(by.Type),
			PrincipalID: aws.ToString(by.PrincipalId)}
	}
	return record
}

func image(item map[string]types.AttributeValue) map[string]events.DynamoDBAttributeValue {
	if item == nil {
		return nil
	}
	values := make(map[string]events.DynamoDBAttributeValue, len(item))
	for name, v := range item {
		values[name] = attribute(v)
	}
	return values
}

// attribute panics on a type that DynamoDB does not have.
func attribute(v types.AttributeValue) events.DynamoDBAttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return events.NewStringAttribute(v.Value)
	case *types.AttributeValueMemberN:
		return events.NewNumberAttribute(v.Value)
	case *types.AttributeValueMemberB:
		return events.NewBinaryAttribute(v.Value)
	case *types.AttributeValueMemberBOOL:
		return events.NewBooleanAttribute(v.Value)
	case *types.AttributeValueMemberNULL:
		return events.NewNullAttribute()
	case *types.AttributeValueMemberSS:
		return events.NewStringSetAttribute(v.Value)
	case *types.AttributeValueMemberNS:
		return events.NewNumberSetAttribute(v.Value)
	case *types.AttributeValueMemberBS:
		return events.NewBinarySetAttribute(v.Value)
	case *types.AttributeValueMemberL:
		list := make([]events.DynamoDBAttributeValue, len(v.Value))
		for i, element := range v.Value {
			list[i] = attribute(element)
		}
		return events.NewListAttribute(list)
	case *types.AttributeValueMemberM:
		return events.NewMapAttribute(image(v.Value))
	case nil: // what DynamoDB Local's stream makes of an empty map
		return events.NewMapAttribute(map[string]events.DynamoDBAttributeValue{})
	default:
		panic(fmt.Sprintf("runner: attribute of type %T", v))
	}
}
