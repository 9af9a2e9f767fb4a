package dynamodb

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/reply"
)

// fault is an error of the service other than ValidationException.
type fault struct {
	code    string
	message string
	detail  []byte // further members of the answer, each after a comma
	status  int    // of HTTP; 0 means 400
}

func (f *fault) Error() string { return f.code + ": " + f.message }

const (
	apiNamespace        = "com.amazonaws.dynamodb.v20120810#"
	validationNamespace = "com.amazon.coral.validate#"
	syntaxNamespace     = "com.amazon.coral.service#"
	contentType         = "application/x-amz-json-1.0"
	maxRequest          = 16 << 20 // bytes (API reference, BatchWriteItem, which has the highest limit)
)

type operation func(e *Engine, d *jsontext.Decoder) ([]byte, error)

// operations maps the X-Amz-Target, without its prefix, to the operation.
var operations = map[string]operation{
	"CreateTable": (*Engine).createTable, "DescribeTable": tableOperation("DescribeTable", describeTable),
	"ListTables": (*Engine).listTables, "DeleteTable": tableOperation("DeleteTable", (*Engine).deleteTable),
	"UpdateTimeToLive":   (*Engine).updateTimeToLive,
	"DescribeTimeToLive": tableOperation("DescribeTimeToLive", describeTimeToLive),

	"GetItem": (*Engine).getItem, "PutItem": writeOperation("PutItem", putting),
	"UpdateItem": writeOperation("UpdateItem", updating), "DeleteItem": writeOperation("DeleteItem", deleting),
	"Query": pageOperation("Query"), "Scan": pageOperation("Scan"),
	"BatchGetItem": (*Engine).batchGetItem, "BatchWriteItem": (*Engine).batchWriteItem,
	"TransactGetItems": (*Engine).transactGetItems, "TransactWriteItems": (*Engine).transactWriteItems,

	"ListStreams": (*Engine).listStreams, "DescribeStream": (*Engine).describeStream,
	"GetShardIterator": (*Engine).getShardIterator, "GetRecords": (*Engine).getRecords,
}

func (e *Engine) handle(target string, body []byte) (int, []byte) {
	name := strings.TrimPrefix(strings.TrimPrefix(target, "DynamoDB_20120810."), "DynamoDBStreams_20120810.")
	op, known := operations[name]
	if !known || name == target {
		return encodeError(&fault{code: "UnknownOperationException", message: "Operation not supported: " + name})
	}
	e.settle()
	answer, err := op(e, jsontext.NewDecoder(bytes.NewBuffer(body), attr.Options))
	if err != nil {
		return encodeError(err)
	}
	return http.StatusOK, answer
}

func encodeError(err error) (int, []byte) {
	code, message, detail := "", "", []byte(nil)
	var (
		f       *fault
		invalid attr.Invalid
	)
	switch {
	case errors.As(err, &f):
		code, message, detail = apiNamespace+f.code, f.message, f.detail
	case errors.As(err, &invalid):
		code, message = validationNamespace+"ValidationException", invalid.Error()
	case attr.IsSyntax(err):
		code, message = syntaxNamespace+"SerializationException", "The request is not JSON of the expected shape"
	default:
		panic(fmt.Sprintf("dynamodb: error of no kind the service has: %v", err))
	}
	dst := attr.AppendString([]byte(`{"__type":`), code)
	dst = append(dst, detail...)
	member := `,"message":`
	if f != nil && (f.code == "TransactionCanceledException" || f.code == "IdempotentParameterMismatchException") {
		member = `,"Message":` // the service's model has this spelling for these two codes
	}
	dst = attr.AppendString(append(dst, member...), message)
	status := http.StatusBadRequest
	if f != nil && f.status != 0 {
		status = f.status
	}
	return status, append(dst, '}')
}

const errRequestSize = attr.Invalid("Request size exceeds the limit of 16 MB")

// ServeHTTP answers a request. Request ids are consecutive numbers, so that the same seed gives the same history.
func (e *Engine) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	status, answer := e.serve(req)
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(answer)))
	header.Set("X-Amzn-Requestid", fmt.Sprintf("%052X", e.requests.Add(1)))
	header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(answer)), 10))
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may have gone
}

// RoundTrip answers a request without a socket, as described at [reply.From].
func (e *Engine) RoundTrip(req *http.Request) (*http.Response, error) { return reply.From(e, req) }

func (e *Engine) serve(req *http.Request) (int, []byte) {
	body, err := io.ReadAll(io.LimitReader(req.Body, maxRequest+1))
	if err == nil && len(body) > maxRequest {
		err = errRequestSize
	}
	if err != nil {
		return encodeError(attr.Invalidf("The request's body can't be read: %v", err))
	}
	return e.handle(req.Header.Get("X-Amz-Target"), body)
}
