package sqs

import "fmt"

// Error codes of the API reference, named like the SDK's error types.
const (
	batchIDsNotDistinct  = "BatchEntryIdsNotDistinct"
	batchTooLong         = "BatchRequestTooLong"
	emptyBatch           = "EmptyBatchRequest"
	internalFailure      = "InternalFailure"
	invalidAction        = "InvalidAction"
	invalidAddress       = "InvalidAddress"
	invalidAttributeName = "InvalidAttributeName"
	invalidAttribute     = "InvalidAttributeValue"
	invalidBatchID       = "InvalidBatchEntryId"
	invalidContents      = "InvalidMessageContents"
	invalidHandle        = "ReceiptHandleIsInvalid"
	invalidParameter     = "InvalidParameterValue"
	missingParameter     = "MissingParameter"
	notInflight          = "MessageNotInflight"
	overLimit            = "OverLimit"
	queueDoesNotExist    = "QueueDoesNotExist"
	queueNameExists      = "QueueNameExists"
	serialization        = "SerializationException"
	tooManyEntries       = "TooManyEntriesInBatchRequest"
	unsupported          = "UnsupportedOperation"
)

// queryCodes maps a code to the query protocol's code where the two differ. The service sends both codes, and the SDK
// reports the query protocol's code.
var queryCodes = map[string]string{
	batchIDsNotDistinct: "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
	batchTooLong:        "AWS.SimpleQueueService.BatchRequestTooLong",
	emptyBatch:          "AWS.SimpleQueueService.EmptyBatchRequest",
	invalidBatchID:      "AWS.SimpleQueueService.InvalidBatchEntryId",
	notInflight:         "AWS.SimpleQueueService.MessageNotInflight",
	queueDoesNotExist:   "AWS.SimpleQueueService.NonExistentQueue",
	queueNameExists:     "QueueAlreadyExists",
	tooManyEntries:      "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
	unsupported:         "AWS.SimpleQueueService.UnsupportedOperation",
}

type apiError struct {
	code, message string
	ours          bool // the service's fault, not the sender's
}

func internalError(format string, args ...any) *apiError {
	return &apiError{code: internalFailure, message: fmt.Sprintf(format, args...), ours: true}
}

func fail(code, format string, args ...any) *apiError {
	return &apiError{code: code, message: fmt.Sprintf(format, args...)}
}

func invalid(value any, parameter, reason string, args ...any) *apiError {
	return fail(invalidParameter, "Value %v for parameter %s is invalid. Reason: %s", value, parameter,
		fmt.Sprintf(reason, args...))
}

func (e *apiError) Error() string { return e.code + ": " + e.message }

func (e *apiError) queryCode() string {
	if q, ok := queryCodes[e.code]; ok {
		return q
	}
	return e.code
}
