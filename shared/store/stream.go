package store

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// CallbackImage reads an item's image from the table's stream: the callback
// it was at that moment, or false for any other item.
func CallbackImage(image map[string]types.AttributeValue) (payments.Callback, bool, error) {
	pk, ok := image[partitionKey].(*types.AttributeValueMemberS)
	if !ok || !strings.HasPrefix(pk.Value, callbackPrefix) {
		return payments.Callback{}, false, nil
	}
	var item callbackItem
	err := dynamo.UnmarshalItem(image, &item)
	return item.Callback, err == nil, err
}
