package dynamodb

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

func compareNames(a, b *table) int { return cmp.Compare(a.name, b.name) }

func checkTableName(name string) error {
	ok := len(name) >= 3 && len(name) <= 255
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		ok = ok && (letter || c >= '0' && c <= '9' || strings.IndexByte("_-.", c) >= 0)
	}
	if name == "" {
		return attr.Invalid("1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member " +
			"must not be null")
	}
	if !ok {
		return attr.Invalid("Invalid table/index name.  Table/index names must be between 3 and 255 characters long, and " +
			"may contain only the characters a-z, A-Z, 0-9, '_', '-', and '.'")
	}
	return nil
}

func (e *Engine) createTable(r *attr.Reader) ([]byte, error) {
	p, err := readPlan(r)
	if err != nil {
		return nil, err
	}
	t, err := p.table()
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tables[t.name] != nil {
		return nil, &fault{code: "ResourceInUseException", message: "Table already exists: " + t.name}
	}
	t.created = e.now()
	if p.streamView != "" {
		t.stream = e.newStream(t, p.streamView, t.created)
	}
	if err := e.persist(appendTable(nil, t)); err != nil {
		return nil, err
	}
	e.add(t)
	return append(t.append([]byte(`{"TableDescription":`), "ACTIVE"), '}'), nil
}

// named runs a control operation that takes a table's name and nothing else.
func (e *Engine) named(r *attr.Reader, operation string) (*table, error) {
	var name string
	err := r.Object(func(member string) (err error) {
		if member != "TableName" {
			return refuseParameter(operation, member)
		}
		name, err = r.Str()
		return err
	})
	if err == nil {
		err = checkTableName(name)
	}
	if err != nil {
		return nil, err
	}
	return e.controlled(name)
}

// controlled finds a table; its error has the message of the control operations.
func (e *Engine) controlled(name string) (*table, error) {
	t, err := e.table(name)
	if errors.Is(err, errNoTable) {
		err = &fault{code: errNoTable.code, message: "Requested resource not found: Table: " + name + " not found"}
	}
	return t, err
}

func (e *Engine) describeTable(r *attr.Reader) ([]byte, error) {
	t, err := e.named(r, "DescribeTable")
	if err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	return append(t.append([]byte(`{"Table":`), "ACTIVE"), '}'), nil
}

// add makes a table known. Callers hold mu.
func (e *Engine) add(t *table) {
	e.tables[t.name] = t
	if t.stream != nil {
		e.streams = append(e.streams, t.stream)
	}
}

// drop forgets a table; its stream stays readable. Callers hold mu.
func (e *Engine) drop(t *table) {
	delete(e.tables, t.name)
	if t.stream != nil {
		t.stream.closed = true
	}
}

func (e *Engine) deleteTable(r *attr.Reader) ([]byte, error) {
	t, err := e.named(r, "DeleteTable")
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.current(t); err != nil {
		return nil, err
	}
	if t.protected {
		return nil, attr.Invalidf("Resource cannot be deleted as it is currently protected against deletion. Disable " +
			"deletion protection first.")
	}
	if err := e.persist(appendDrop(nil, t.name)); err != nil {
		return nil, err
	}
	e.drop(t)
	return append(t.append([]byte(`{"TableDescription":`), "DELETING"), '}'), nil
}

const maxTableList = 100 // API reference, ListTables

func (e *Engine) listTables(r *attr.Reader) ([]byte, error) {
	limit, after := maxTableList, ""
	err := r.Object(func(name string) (err error) {
		switch name {
		case "Limit":
			limit, err = r.Int()
		case "ExclusiveStartTableName":
			after, err = r.Str()
		default:
			err = refuseParameter("ListTables", name)
		}
		return err
	})
	if err == nil && (limit < 1 || limit > maxTableList) {
		err = attr.Invalidf("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: Member must "+
			"have value between 1 and 100", limit)
	}
	if err != nil {
		return nil, err
	}
	e.mu.RLock()
	tables := e.sortedTables()
	e.mu.RUnlock()
	tables = slices.DeleteFunc(tables, func(t *table) bool { return t.name <= after })
	answer := []byte(`{"TableNames":[`)
	for i, t := range tables[:min(limit, len(tables))] {
		if i > 0 {
			answer = append(answer, ',')
		}
		answer = attr.AppendString(answer, t.name)
	}
	answer = append(answer, ']')
	if len(tables) > limit {
		answer = attr.AppendString(append(answer, `,"LastEvaluatedTableName":`...), tables[limit-1].name)
	}
	return append(answer, '}'), nil
}

func (e *Engine) updateTimeToLive(r *attr.Reader) ([]byte, error) {
	var (
		table, attribute string
		enabled          bool
	)
	err := r.Object(func(name string) (err error) {
		switch name {
		case "TableName":
			table, err = r.Str()
		case "TimeToLiveSpecification":
			attribute, enabled, err = readTimeToLive(r)
		default:
			err = refuseParameter("UpdateTimeToLive", name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	t, err := e.controlled(table)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.current(t); err != nil {
		return nil, err
	}
	if err := t.checkTTL(attribute, enabled); err != nil {
		return nil, err
	}
	if err := e.setTTL(t, attribute, enabled); err != nil {
		return nil, err
	}
	answer := attr.AppendString([]byte(`{"TimeToLiveSpecification":{"AttributeName":`), attribute)
	if enabled {
		return append(answer, `,"Enabled":true}}`...), nil
	}
	return append(answer, `,"Enabled":false}}`...), nil
}

func readTimeToLive(r *attr.Reader) (attribute string, enabled bool, err error) {
	err = r.Object(func(name string) (err error) {
		switch name {
		case "AttributeName":
			attribute, err = r.Str()
		case "Enabled":
			enabled, err = r.Bool()
		default:
			err = refuseParameter("TimeToLiveSpecification", name)
		}
		return err
	})
	if err == nil && attribute == "" {
		err = attr.Invalid("TimeToLiveSpecification.AttributeName must not be empty")
	}
	return attribute, enabled, err
}

func (t *table) checkTTL(attribute string, enabled bool) error {
	current := t.ttl.attribute
	switch {
	case enabled && current == attribute:
		return attr.Invalid("TimeToLive is already enabled")
	case !enabled && current == "":
		return attr.Invalid("TimeToLive is already disabled")
	case current != "" && current != attribute:
		return attr.Invalid("TimeToLive is active on a different AttributeName")
	}
	return nil
}

func (e *Engine) setTTL(t *table, attribute string, enabled bool) error {
	if !enabled {
		attribute = ""
	}
	if err := e.persist(appendTTL(nil, t.name, attribute)); err != nil {
		return err
	}
	t.enableTTL(attribute)
	e.schedule()
	return nil
}

func (e *Engine) describeTimeToLive(r *attr.Reader) ([]byte, error) {
	t, err := e.named(r, "DescribeTimeToLive")
	if err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if t.ttl.attribute == "" {
		return []byte(`{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}`), nil
	}
	answer := []byte(`{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":`)
	return append(attr.AppendString(answer, t.ttl.attribute), `}}`...), nil
}
