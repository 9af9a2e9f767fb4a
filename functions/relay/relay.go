// Package relay is the fast path of the outbox: it reads the table's stream
// and has each callback that became owed sent at its time. Nothing depends on
// it: a record that never comes, comes twice, or comes late and out of order
// costs a minute or an extra message, because package sweep sends what is
// overdue and package callbacks decides by the item, not by the message.
package relay

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Record handles one record of the table's stream (view type NEW_IMAGE). An
// error, only ever the queue's, has Lambda repeat the record.
func Record(a *app.App) func(context.Context, events.DynamoDBEventRecord) error {
	callbacks := queue.Open(a)
	return func(ctx context.Context, record events.DynamoDBEventRecord) error {
		if record.EventName != string(events.DynamoDBOperationTypeInsert) &&
			record.EventName != string(events.DynamoDBOperationTypeModify) {
			return nil
		}
		c, ok, err := store.CallbackImage(image(record.Change.NewImage))
		if err != nil { // repeating it would only hold up the records behind it
			a.Log.ErrorContext(ctx, "unreadable callback in the stream", "sequence", record.Change.SequenceNumber, "error", err)
			return nil
		}
		if !ok || !relayed(c) {
			return nil
		}
		delay, fast := c.QueueDelay(a.Now())
		if !fast {
			return nil // longer than a queue can wait: the sweep sends it
		}
		return callbacks.Send(ctx, c.ID, delay)
	}
}

// relayed says the image shows a try that nobody has sent yet. An image that
// the sweep left behind when it sent the try itself must not send another.
func relayed(c payments.Callback) bool {
	return c.State == payments.CallbackOwed && c.Sweeps == 0
}
