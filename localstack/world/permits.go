package world

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/faults"
)

// Permits records what IAM would have had to allow each function, by the calls
// that left it: its own, and those that the sandbox's acquirer and bank make
// with its role.
type Permits struct {
	Learning bool // the rights are being recorded: what is missing is no error

	mu   sync.Mutex
	used map[string]map[string]bool // by function
}

// Of are the permissions a function used, sorted: "PutItem table", "Query
// index/due", "SendMessage callbacks". Those under "" are calls
// that no function's own context went with.
func (p *Permits) Of(function string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for permission := range p.used[function] {
		all = append(all, permission)
	}
	slices.Sort(all)
	return all
}

// Functions are all that used any.
func (p *Permits) Functions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for name := range p.used {
		all = append(all, name)
	}
	return all
}

func (p *Permits) note(function string, permissions []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used == nil {
		p.used = map[string]map[string]bool{}
	}
	if p.used[function] == nil {
		p.used[function] = map[string]bool{}
	}
	for _, permission := range permissions {
		p.used[function][permission] = true
	}
}

// over notes the calls that go through to next; of a test that is inspecting
// the world only those it makes in a function's stead.
func (p *Permits) over(next http.RoundTripper, inspecting bool) http.RoundTripper {
	return faults.RoundTrip(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		_ = r.Body.Close()
		asked := r.Clone(r.Context())
		asked.Body = io.NopCloser(bytes.NewReader(body))
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		permissions, err := permissionsOf(operation, body)
		if err != nil {
			return nil, err
		}
		if function := functionOf(r); function != "" || !inspecting {
			p.note(function, permissions)
		}
		return next.RoundTrip(asked)
	})
}

// functionOf is the function that makes a call, by the context that Lambda gives
// it.
func functionOf(r *http.Request) string {
	c, ok := lambdacontext.FromContext(r.Context())
	if !ok {
		return ""
	}
	return c.InvokedFunctionArn[strings.LastIndex(c.InvokedFunctionArn, ":")+1:]
}

// asked is what decides which permissions a call takes.
type asked struct {
	IndexName     string
	QueueURL      string `json:"QueueUrl"`
	TransactItems []map[string]json.RawMessage
}

// ofTransactions are the actions on items that IAM checks for the members of
// a transaction (AWS: "IAM policies for transactions").
var ofTransactions = map[string]string{
	"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem",
	"Get": "GetItem",
}

// permissionsOf are what IAM checks for one call (AWS: "Service Authorization
// Reference", DynamoDB and SQS): an action for each member of a transaction;
// for all else the operation itself, with an index as its own resource, and a
// batch of messages as the sending of them.
func permissionsOf(operation string, body []byte) ([]string, error) {
	var a asked
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	switch {
	case a.TransactItems != nil:
		var all []string
		for _, item := range a.TransactItems {
			for member := range item {
				all = append(all, ofTransactions[member]+" table")
			}
		}
		return all, nil
	case a.QueueURL != "":
		return []string{strings.TrimSuffix(operation, "Batch") + " " + path.Base(a.QueueURL)}, nil
	case a.IndexName != "":
		return []string{operation + " index/" + a.IndexName}, nil
	default:
		return []string{operation + " table"}, nil
	}
}

// checkPermits fails the test when a function did what its role in a
// deployment would not let it do, or when it is unknown whose call it was.
func (w *World) checkPermits() {
	if w.Permits.Learning {
		return
	}
	allowed := map[string][]string{}
	for _, f := range functions.All {
		allowed[f.Name] = f.Permissions()
	}
	for _, name := range w.Permits.Functions() {
		for _, permission := range w.Permits.Of(name) {
			if !slices.Contains(allowed[name], permission) {
				w.Errorf("the function %q used %s, which functions/access.json does not give it. `make golden` records what "+
					"examples of openapi.yaml and functions/access_test.go use", name, permission)
			}
		}
	}
}
