package dynamodb

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// TestSnapshot_RecordSize checks that no record comes near the log's limit of 64 MB, in any state.
func TestSnapshot_RecordSize(t *testing.T) {
	t.Parallel()
	const count, most = 20_000, recordSize + 1000
	var s state
	for i := range count {
		s.tokens = append(s.tokens, token{name: fmt.Sprintf("%036d", i)})
	}
	f := frozen{table: &table{name: "ledger"}}
	for i := range count {
		f.rows = append(f.rows, &row{order: fmt.Sprint(i),
			text: string(attr.AppendMap(nil, attr.NewMap(attr.Field{Name: "pk", Value: attr.Int(i)})))})
	}
	s.tables = append(s.tables, f)
	var all []byte
	for record := range s.records() {
		if len(record) > most {
			t.Errorf("got a record of %d bytes, want at most %d", len(record), most)
		}
		all = append(all, record...)
	}
	var want []byte
	for _, token := range s.tokens {
		want = token.appendNote(want)
	}
	want = appendTTL(appendTable(want, f.table), "ledger", "")
	for _, r := range f.rows {
		want = appendPut(want, f.table, r, r.text)
	}
	if !bytes.Equal(all, want) {
		t.Errorf("got records %q, want %q", all, want)
	}
}
