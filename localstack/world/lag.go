package world

import (
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
)

// LagIndexes has the table's indexes trail behind it from now on, as they may
// on AWS. Those of DynamoDB Local never do.
func (w *World) LagIndexes(by time.Duration) {
	if engine, ok := w.table.(*dynamodb.Engine); ok {
		engine.SetIndexLag(by)
	}
}
