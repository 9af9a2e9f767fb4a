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

// fault is an error of the service other than a ValidationException.
type fault struct {
	code    string
	message string
	detail  []byte // further members of the answer, each preceded by a comma
	status  int    // of HTTP; 0 is 400
}

func (f *fault) Error() string { return f.code + ": " + f.message }

const (
	apiNamespace        = "com.amazonaws.dynamodb.v20120810#"
	validationNamespace = "com.amazon.coral.validate#"
	syntaxNamespace     = "com.amazon.coral.service#"
	contentType         = "application/x-amz-json-1.0"
	maxRequest          = 16 << 20 // bytes (API reference, BatchWriteItem; the largest of all)
)

type operation func(e *Engine, d *jsontext.Decoder) ([]byte, error)

// operations by X-Amz-Target without its prefix.
var operations = map[string]operation{
	"CreateTable": (*Engine).createTable, "DescribeTable": onTable("DescribeTable", describeTable),
	"ListTables": (*Engine).listTables, "DeleteTable": onTable("DeleteTable", (*Engine).deleteTable),
	"UpdateTimeToLive":   (*Engine).updateTimeToLive,
	"DescribeTimeToLive": onTable("DescribeTimeToLive", describeTimeToLive),

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
		member = `,"Message":` // as the model of these two spells it
	}
	dst = attr.AppendString(append(dst, member...), message)
	status := http.StatusBadRequest
	if f != nil && f.status != 0 {
		status = f.status
	}
	return status, append(dst, '}')
}

const errRequestSize = attr.Invalid("Request size exceeds the limit of 16 MB")

// ServeHTTP answers over a port. It numbers the answers, so that one seed gives one history.
func (e *Engine) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	status, answer := e.serve(req)
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(answer)))
	header.Set("X-Amzn-Requestid", fmt.Sprintf("%052X", e.requests.Add(1)))
	header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(answer)), 10))
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may be gone
}

// RoundTrip answers without a socket, as [reply.From] does.
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
