package simulator

import "github.com/cashwrap/cashwrap/shared/store"

// transaction is what a TransactWriteItems request puts and deletes.
type transaction struct {
	ClientRequestToken string
	TransactItems      []struct {
		Put            struct{ Item Item }
		Update, Delete struct{ Key Item }
	}
}

// readTransaction reads a request. Of another operation it returns none.
func readTransaction(body []byte) transaction { return Decoded[transaction](body) }

// Write is what a call has changed in the table: the items that it put, and the keys of those that it updated and
// deleted.
type Write struct{ Puts, Updated, Deleted []Item }

// ReadWrite reads a call that has been done; false when it had been done before and its reply was lost, so that nothing
// was written.
func (w *World) ReadWrite(operation string, body []byte) (is Write, first bool) {
	if operation == "PutItem" {
		return Write{Puts: []Item{Decoded[struct{ Item Item }](body).Item}}, true
	}
	call := readTransaction(body)
	w.Record(func() {
		first = call.ClientRequestToken == "" || !w.done[call.ClientRequestToken]
		w.done[call.ClientRequestToken] = true
	})
	for _, one := range call.TransactItems {
		if len(one.Put.Item) > 0 {
			is.Puts = append(is.Puts, one.Put.Item)
		}
		if len(one.Update.Key) > 0 {
			is.Updated = append(is.Updated, one.Update.Key)
		}
		if len(one.Delete.Key) > 0 {
			is.Deleted = append(is.Deleted, one.Delete.Key)
		}
	}
	return is, first
}

// checkOwner sees that only the request that holds an idempotency key ends
// its claim.
func (w *World) checkOwner(by *Invocation, operation string, body []byte) {
	keys := ValuesOf(string(body), "pk")
	if len(keys) == 0 || Partition(keys[0]).Kind != store.KindIdempotency {
		return
	}
	if operation == "PutItem" {
		by.claim = ValuesOf(string(body), "owner")[0]
		return
	}
	if operation != "UpdateItem" {
		return
	}
	stored := w.Read(keys[0], "IDEMPOTENCY")
	if stored.Text("owner") != by.claim {
		w.Find("", "%s ended the claim of another request on %s", by.Actor, keys[0])
	}
}
