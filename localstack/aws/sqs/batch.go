package sqs

import (
	"errors"
	"regexp"
	"slices"
)

const maxEntries = 10

var batchEntryID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

type (
	batchOutput struct {
		Successful []any
		Failed     []batchFailure
	}
	batchFailure struct {
		Id          string
		SenderFault bool
		Code        string
		Message     string
	}
)

// batchOperation turns an operation on one message into a batch operation. A failed entry does not affect the others.
func batchOperation[In, Out any](do func(*Engine, *queue, In) (Out, error)) operation {
	type (
		entry struct {
			Id      string
			Message In `json:",embed"`
		}
		input struct {
			ofQueue
			Entries []entry
		}
		success struct {
			Id     string
			Result Out `json:",embed"`
		}
	)
	return queueOperation(func(e *Engine, q *queue, in input) (out batchOutput, err error) {
		var ids []string
		size := 0
		for _, entry := range in.Entries {
			ids = append(ids, entry.Id)
			if o, ok := any(entry.Message).(outgoing); ok {
				size += o.size()
			}
		}
		if err := checkBatch(ids, size); err != nil {
			return out, err
		}
		for _, entry := range in.Entries {
			result, err := do(e, q, entry.Message)
			var failed *apiError
			switch {
			case errors.As(err, &failed):
				out.Failed = append(out.Failed, batchFailure{entry.Id, !failed.ours, failed.code, failed.message})
			case err != nil:
				return out, err
			default:
				out.Successful = append(out.Successful, success{entry.Id, result})
			}
		}
		return out, nil
	})
}

// checkBatch checks the ids of a batch's entries. size is the total size in bytes of the messages to send.
func checkBatch(ids []string, size int) error {
	switch {
	case size > maxMessageBytes:
		return fail(batchTooLong,
			"Batch requests cannot be longer than %d bytes. You have sent %d bytes.", maxMessageBytes, size)
	case len(ids) == 0:
		return fail(emptyBatch, "There should be at least one entry in the request.")
	case len(ids) > maxEntries:
		return fail(tooManyEntries,
			"Maximum number of entries per request are %d. You have sent %d.", maxEntries, len(ids))
	}
	for i, id := range ids {
		if !batchEntryID.MatchString(id) {
			return fail(invalidBatchID, "A batch entry id can only contain alphanumeric characters, hyphens and "+
				"underscores. It can be at most 80 letters long.")
		}
		if slices.Contains(ids[:i], id) {
			return fail(batchIDsNotDistinct, "Id %s repeated.", id)
		}
	}
	return nil
}
