package world

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
)

// Use is the cost of requests to the table.
type Use struct {
	Calls       []string           // operations, in order
	Read, Write float64            // capacity units, including the indexes' units
	Indexes     map[string]float64 // part of Write, by index
	Relayed     int                // number of records for relay, if the test counts them
	Acquirer    int                // number of requests to the acquirer, if the test counts them
}

// Minus returns the use without another use, which is a part of it.
func (u Use) Minus(other Use) Use {
	u.Read, u.Write = u.Read-other.Read, u.Write-other.Write
	u.Relayed, u.Acquirer = u.Relayed-other.Relayed, u.Acquirer-other.Acquirer
	u.Calls = slices.Clone(u.Calls)
	for _, call := range other.Calls {
		if i := slices.Index(u.Calls, call); i >= 0 {
			u.Calls = slices.Delete(u.Calls, i, i+1)
		}
	}
	indexes := map[string]float64{}
	for name, units := range u.Indexes {
		if units -= other.Indexes[name]; units != 0 {
			indexes[name] = units
		}
	}
	u.Indexes = indexes
	return u
}

// Meter adds up the cost of calls to the table. The platform does not ask for the consumed capacity, so the meter does.
type Meter struct {
	next http.RoundTripper
	mu   sync.Mutex
	use  Use
}

// Reset starts again at zero and returns the use so far.
func (m *Meter) Reset() Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	use := m.use
	m.use = Use{}
	return use
}

// RoundTrip passes a call on and adds its cost.
func (m *Meter) RoundTrip(r *http.Request) (*http.Response, error) {
	operation, isTable := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810.")
	if !isTable {
		return m.next.RoundTrip(r)
	}
	asked, err := withConsumedCapacity(r)
	if err != nil {
		return nil, err
	}
	response, err := m.next.RoundTrip(asked)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	m.note(operation, body)
	// The body's length no longer fits its checksum, but its bytes are the same.
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// withConsumedCapacity adds ReturnConsumedCapacity to a request. The body can change, because the tests' engines verify
// no signature.
func withConsumedCapacity(r *http.Request) (*http.Request, error) {
	asked := r.Clone(r.Context())
	body, err := sdkcall.Body(asked)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err = json.Unmarshal(body, &members); err != nil {
		return nil, err
	}
	members["ReturnConsumedCapacity"] = json.RawMessage(`"INDEXES"`)
	if body, err = json.Marshal(members); err != nil {
		return nil, err
	}
	asked.Body, asked.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return asked, nil
}

type consumed struct {
	CapacityUnits          float64
	GlobalSecondaryIndexes map[string]struct{ CapacityUnits float64 }
}

func (m *Meter) note(operation string, body []byte) {
	var one struct{ ConsumedCapacity consumed }
	var several struct{ ConsumedCapacity []consumed }
	if json.Unmarshal(body, &one) == nil {
		several.ConsumedCapacity = []consumed{one.ConsumedCapacity}
	} else {
		_ = json.Unmarshal(body, &several)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.use.Calls = append(m.use.Calls, operation)
	for _, entry := range several.ConsumedCapacity {
		m.use.add(operation, entry)
	}
}

func (u *Use) add(operation string, c consumed) {
	switch operation {
	case "GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems":
		u.Read += c.CapacityUnits
		return
	}
	u.Write += c.CapacityUnits
	if u.Indexes == nil {
		u.Indexes = map[string]float64{}
	}
	for name, index := range c.GlobalSecondaryIndexes {
		u.Indexes[name] += index.CapacityUnits
	}
}
