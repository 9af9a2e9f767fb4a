package simulator

import "github.com/cashwrap/cashwrap/shared/store"

// transaction is what a TransactWriteItems request puts and deletes.
type transaction struct {
	ClientRequestToken string
	TransactItems      []struct {
		Put            struct{ Item item }
		Update, Delete struct{ Key item }
	}
}

// readTransaction reads a request. Of another operation it returns none.
func readTransaction(body []byte) transaction { return decoded[transaction](body) }

// write is what a call has changed in the table: the items that it put, and the keys of those that it updated and
// deleted.
type write struct{ puts, updated, deleted []item }

// readWrite reads a call that has been done; false when it had been done before and its reply was lost, so that nothing
// was written.
func (w *World) readWrite(operation string, body []byte) (is write, first bool) {
	if operation == "PutItem" {
		return write{puts: []item{decoded[struct{ Item item }](body).Item}}, true
	}
	call := readTransaction(body)
	w.record(func() {
		first = call.ClientRequestToken == "" || !w.done[call.ClientRequestToken]
		w.done[call.ClientRequestToken] = true
	})
	for _, one := range call.TransactItems {
		if len(one.Put.Item) > 0 {
			is.puts = append(is.puts, one.Put.Item)
		}
		if len(one.Update.Key) > 0 {
			is.updated = append(is.updated, one.Update.Key)
		}
		if len(one.Delete.Key) > 0 {
			is.deleted = append(is.deleted, one.Delete.Key)
		}
	}
	return is, first
}

// checkOwner sees that only the request that holds an idempotency key ends
// its claim.
func (w *World) checkOwner(by *invocation, operation string, body []byte) {
	keys := valuesOf(string(body), "pk")
	if len(keys) == 0 || partition(keys[0]).Kind != store.KindIdempotency {
		return
	}
	if operation == "PutItem" {
		by.claim = valuesOf(string(body), "owner")[0]
		return
	}
	if operation != "UpdateItem" {
		return
	}
	stored := w.read(keys[0], "IDEMPOTENCY")
	if stored.text("owner") != by.claim {
		w.find("", "%s ended the claim of another request on %s", by.actor, keys[0])
	}
}
