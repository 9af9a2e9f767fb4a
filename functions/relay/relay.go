// Package relay is the fast path of the outbox. Record reads the table's stream. It queues a message for each callback
// and mail to send, and for each payment or refund whose unknown outcome must be polled. A lost, repeated, late or
// reordered record costs only a minute or an extra message: package sweep processes everything overdue, and callbacks,
// mails and polls do only what the stored item requires.
package relay

import (
	"context"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Record handles one record of the table's stream (view type NEW_IMAGE). It returns an error only if a queue fails;
// Lambda then repeats the record.
func Record(a *app.App) func(context.Context, events.DynamoDBEventRecord) error {
	r := relay{callbacks: queue.OpenCallbacks(a), mails: queue.OpenMails(a), polls: queue.OpenPolls(a)}
	return func(ctx context.Context, record events.DynamoDBEventRecord) error {
		if record.EventName != string(events.DynamoDBOperationTypeInsert) &&
			record.EventName != string(events.DynamoDBOperationTypeModify) {
			return nil
		}
		due, at, err := store.FastPath(image(record.Change.NewImage))
		if err != nil { // repeating the record would only delay the records behind it
			a.Log.ErrorContext(ctx, "unreadable item in the stream", "sequence", record.Change.SequenceNumber, "error", err)
			return nil
		}
		if at.IsZero() {
			return nil
		}
		delay, fast := outbox.QueueDelay(at, a.Now())
		if !fast {
			return nil // too long for a queue's delay; sweep will send the message
		}
		return r.send(ctx, due, delay)
	}
}

type relay struct {
	callbacks *queue.Callbacks
	mails     *queue.Mails
	polls     *queue.Polls
}

func (r relay) send(ctx context.Context, due store.Due, delay time.Duration) error {
	if due.CallbackID != "" {
		return r.callbacks.SendLater(ctx, due.Tenant, app.CallbackMessage{ID: due.CallbackID}, delay)
	}
	if due.MailID != "" {
		return r.mails.SendLater(ctx, due.Tenant, app.MailMessage{ID: due.MailID}, delay)
	}
	poll := app.PollMessage{Tenant: due.Tenant.String(), Checkout: due.CheckoutID, Refund: due.RefundID}
	return r.polls.SendLater(ctx, due.Tenant, poll, delay)
}

// image converts an item of Lambda's event into the type of the AWS SDK.
func image(of map[string]events.DynamoDBAttributeValue) map[string]types.AttributeValue {
	item := make(map[string]types.AttributeValue, len(of))
	for name, value := range of {
		item[name] = attribute(value)
	}
	return item
}

func attribute(v events.DynamoDBAttributeValue) types.AttributeValue {
	switch v.DataType() {
	case events.DataTypeString:
		return &types.AttributeValueMemberS{Value: v.String()}
	case events.DataTypeNumber:
		return &types.AttributeValueMemberN{Value: v.Number()}
	case events.DataTypeBoolean:
		return &types.AttributeValueMemberBOOL{Value: v.Boolean()}
	case events.DataTypeBinary:
		return &types.AttributeValueMemberB{Value: v.Binary()}
	case events.DataTypeStringSet:
		return &types.AttributeValueMemberSS{Value: v.StringSet()}
	case events.DataTypeNumberSet:
		return &types.AttributeValueMemberNS{Value: v.NumberSet()}
	case events.DataTypeBinarySet:
		return &types.AttributeValueMemberBS{Value: v.BinarySet()}
	case events.DataTypeMap:
		return &types.AttributeValueMemberM{Value: image(v.Map())}
	case events.DataTypeList:
		list := make([]types.AttributeValue, len(v.List()))
		for i, element := range v.List() {
			list[i] = attribute(element)
		}
		return &types.AttributeValueMemberL{Value: list}
	default:
		return &types.AttributeValueMemberNULL{Value: true}
	}
}
