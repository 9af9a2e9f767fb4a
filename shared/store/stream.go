package store

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// FastPath reads an image of the table's stream. It returns the entity that needs a message, and the time of the
// message. The zero time means no message. For most items FastPath reads only the key.
func FastPath(image map[string]types.AttributeValue) (Due, time.Time, error) {
	d, ok := imageKey(image).dueEntry()
	if !ok {
		return Due{}, time.Time{}, nil
	}
	switch {
	case d.CallbackID != "":
		var c callbackItem
		err := dynamo.UnmarshalItem(image, &c)
		d.Tenant = c.Tenant
		return d, c.TryAt(), err
	case d.MailID != "":
		var m mailItem
		err := dynamo.UnmarshalItem(image, &m)
		d.Tenant = m.Tenant
		return d, m.TryAt(), err
	case d.CheckoutID != "":
		var c struct {
			Attempt *payments.Attempt `dynamo:"attempt"`
		}
		err := dynamo.UnmarshalItem(image, &c)
		return d, payments.Checkout{Attempt: c.Attempt}.PollAt(), err
	case d.RefundID != "":
		var e payments.Event
		err := dynamo.UnmarshalItem(image, &e)
		return d, e.PollAt(), err
	default:
		return d, time.Time{}, nil
	}
}

// FastPathFilter lists patterns of AWS's event filtering for the stream. They match the images for which [FastPath]
// returns a message, so that other images cause no call.
var FastPathFilter = []map[string]any{
	newImage(jsonObject{"state": text(outbox.Pending), "sweeps": jsonObject{"N": exists(false)}}),
	newImage(jsonObject{"attempt": jsonObject{"M": jsonObject{
		"state":         text(string(payments.AttemptPending), string(payments.AttemptRequiresAction)),
		"unknown_since": jsonObject{"S": exists(true)},
	}}}),
	newImage(jsonObject{
		"status":        text(string(payments.EventBegun), string(payments.EventPending)),
		"unknown_since": jsonObject{"S": exists(true)},
	}),
}

type jsonObject = map[string]any

func newImage(attributes jsonObject) jsonObject {
	return jsonObject{"dynamodb": jsonObject{"NewImage": attributes}}
}

func exists(there bool) []any { return []any{jsonObject{"exists": there}} }

func text(values ...string) jsonObject {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return jsonObject{"S": list}
}

// imageKey returns the image's key. A removed item has no image.
func imageKey(image map[string]types.AttributeValue) key {
	text := func(name string) string {
		if v, ok := image[name].(*types.AttributeValueMemberS); ok {
			return v.Value
		}
		return ""
	}
	return key{text(partitionKey), text(sortKey)}
}
