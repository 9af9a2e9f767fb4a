package dynamodb

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

func compareNames(a, b *table) int { return cmp.Compare(a.name, b.name) }

const tableNameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

func checkTableName(name string) error {
	switch {
	case name == "":
		return missingError("tableName")
	case len(name) < 3 || len(name) > 255 || strings.Trim(name, tableNameCharacters) != "":
		return attr.Invalid("Invalid table/index name.  Table/index names must be between 3 and 255 characters long, and " +
			"may contain only the characters a-z, A-Z, 0-9, '_', '-', and '.'")
	}
	return nil
}

func (e *Engine) createTable(d *jsontext.Decoder) ([]byte, error) {
	var p definition
	if err := decode(d, "CreateTable", &p); err != nil {
		return nil, err
	}
	t, err := p.newTable()
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tables[t.name] != nil {
		return nil, &fault{code: "ResourceInUseException", message: "Table already exists: " + t.name}
	}
	t.created = e.now()
	if p.StreamSpecification.StreamEnabled {
		t.stream = e.newStream(t)
	}
	if err := e.persist(appendTable(nil, t)); err != nil {
		return nil, err
	}
	e.add(t)
	return append(t.append([]byte(`{"TableDescription":`), "ACTIVE"), '}'), nil
}

// tableOperation returns an operation whose only parameter is a table's name.
func tableOperation(name string, do func(e *Engine, t *table) ([]byte, error)) operation {
	return func(e *Engine, d *jsontext.Decoder) ([]byte, error) {
		var in struct{ TableName string }
		if err := decode(d, name, &in); err != nil {
			return nil, err
		}
		return e.withTable(in.TableName, func(t *table) ([]byte, error) { return do(e, t) })
	}
}

// withTable looks up a table, locks mu, and calls do with the table. If the table is missing, withTable returns the
// error that control operations return.
func (e *Engine) withTable(name string, do func(t *table) ([]byte, error)) ([]byte, error) {
	t, err := e.table(name)
	if errors.Is(err, errNoTable) {
		err = &fault{code: errNoTable.code, message: "Requested resource not found: Table: " + name + " not found"}
	}
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.checkExists(t); err != nil {
		return nil, err
	}
	return do(t)
}

func describeTable(_ *Engine, t *table) ([]byte, error) {
	return append(t.append([]byte(`{"Table":`), "ACTIVE"), '}'), nil
}

// add registers a table and its stream. Callers hold mu.
func (e *Engine) add(t *table) {
	e.tables[t.name] = t
	if t.stream != nil {
		e.streams = append(e.streams, t.stream)
	}
}

// drop removes a table. Its stream stays readable. Callers hold mu.
func (e *Engine) drop(t *table) {
	delete(e.tables, t.name)
	if t.stream != nil {
		t.stream.closed = true
	}
}

func (e *Engine) deleteTable(t *table) ([]byte, error) {
	if t.definition.DeletionProtectionEnabled {
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

func (e *Engine) listTables(d *jsontext.Decoder) ([]byte, error) {
	var in struct {
		Limit                   int
		ExclusiveStartTableName string
	}
	in.Limit = maxTableList
	if err := decode(d, "ListTables", &in); err != nil {
		return nil, err
	}
	limit := in.Limit
	if err := checkLimit("limit", limit, maxTableList); err != nil {
		return nil, err
	}
	e.mu.RLock()
	tables := e.sortedTables()
	e.mu.RUnlock()
	tables = slices.DeleteFunc(tables, func(t *table) bool { return t.name <= in.ExclusiveStartTableName })
	answer := attr.AppendList([]byte(`{"TableNames":`), tables[:min(limit, len(tables))],
		func(dst []byte, t *table) []byte { return attr.AppendString(dst, t.name) })
	if len(tables) > limit {
		answer = fmt.Appendf(answer, `,"LastEvaluatedTableName":%s`, quote(tables[limit-1].name))
	}
	return append(answer, '}'), nil
}

type timeToLiveSpecification struct {
	AttributeName string
	Enabled       bool
}

func (e *Engine) updateTimeToLive(d *jsontext.Decoder) ([]byte, error) {
	var in struct {
		TableName               string
		TimeToLiveSpecification *timeToLiveSpecification
	}
	if err := decode(d, "UpdateTimeToLive", &in); err != nil {
		return nil, err
	}
	var wanted timeToLiveSpecification
	if in.TimeToLiveSpecification != nil {
		wanted = *in.TimeToLiveSpecification
		if wanted.AttributeName == "" {
			return nil, attr.Invalid("TimeToLiveSpecification.AttributeName must not be empty")
		}
	}
	return e.withTable(in.TableName, func(t *table) ([]byte, error) {
		if err := e.setTTL(t, wanted); err != nil {
			return nil, err
		}
		return fmt.Appendf(nil, `{"TimeToLiveSpecification":%s}`, toJSON(wanted)), nil
	})
}

func (e *Engine) setTTL(t *table, wanted timeToLiveSpecification) error {
	attribute := wanted.AttributeName
	switch current := t.ttl.attribute; {
	case wanted.Enabled && current == attribute:
		return attr.Invalid("TimeToLive is already enabled")
	case !wanted.Enabled && current == "":
		return attr.Invalid("TimeToLive is already disabled")
	case current != "" && current != attribute:
		return attr.Invalid("TimeToLive is active on a different AttributeName")
	case !wanted.Enabled:
		attribute = ""
	}
	if err := e.persist(appendTTL(nil, t.name, attribute)); err != nil {
		return err
	}
	t.enableTTL(attribute)
	e.schedule()
	return nil
}

func describeTimeToLive(_ *Engine, t *table) ([]byte, error) {
	if t.ttl.attribute == "" {
		return []byte(`{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}`), nil
	}
	return fmt.Appendf(nil, `{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":%s}}`,
		quote(t.ttl.attribute)), nil
}
