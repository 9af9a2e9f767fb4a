package linear

import (
	"cmp"
	"fmt"
)

// Record is a role, a member or an API key as clients see it (contract §8). The zero Record is absent.
type Record struct {
	Name   string // for a member: the note in its metadata
	Rights string // permissions of a role, roles of a member, or scopes of a key
}

// RecordChange creates or deletes a record, or sets the fields of Set that are not empty.
type RecordChange struct {
	Make, Delete bool
	Set          Record
}

// RecordRequest is one request about a record, as its client saw it. Call and Return are times as in Request. A change
// whose Return is Never may take effect at any later time, or never.
type RecordRequest struct {
	ID     string
	Change *RecordChange // nil if the request reads the record
	Shows  Record        // for a read
	Call   int64
	Return int64
}

func (r RecordRequest) String() string {
	if r.Change == nil {
		return fmt.Sprintf("shows %+v", r.Shows)
	}
	return fmt.Sprintf("changes %+v", *r.Change)
}

// RecordHistory contains the clients' views of a tenant's roles, members and keys. Begin has the first records, by id.
type RecordHistory struct {
	Begin    map[string]Record
	Requests []RecordRequest
}

// Check finds, for each record, an order of the requests that explains all answers. Errors: ErrNotLinear, ErrTooLong.
func (h RecordHistory) Check() error {
	var ids []string
	about := map[string][]RecordRequest{}
	for _, r := range h.Requests {
		if about[r.ID] == nil {
			ids = append(ids, r.ID)
		}
		about[r.ID] = append(about[r.ID], r)
	}
	for _, id := range ids {
		if err := check(h.Begin[id], about[id]); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	return nil
}

func (r RecordRequest) times() (call, until int64) { return r.Call, r.Return }

func (r RecordRequest) step(now Record) (fits bool, after Record) {
	absent := now == Record{}
	switch c := r.Change; {
	case c == nil:
		return now == r.Shows, now
	case c.Make:
		return absent, c.Set
	case absent:
		return r.Return == Never, now
	case c.Delete:
		return true, Record{}
	default:
		return true, Record{cmp.Or(c.Set.Name, now.Name), cmp.Or(c.Set.Rights, now.Rights)}
	}
}
