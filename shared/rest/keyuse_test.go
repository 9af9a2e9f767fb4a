package rest_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// TestKeyUses_OnceAnHour checks that each process reads the table once an hour, and all processes together write once
// an hour, also with concurrent requests.
func TestKeyUses_OnceAnHour(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{route("GET", "/things", respond("x"))})
	other := f.newProcess([]rest.Route{route("GET", "/things", respond("x"))})
	readBefore, writtenBefore := f.wire.Calls("GetItem"), f.wire.Calls("PutItem")
	want := func(when string, reads, writes int) {
		t.Helper()
		read, written := f.wire.Calls("GetItem")-readBefore, f.wire.Calls("PutItem")-writtenBefore
		if read != reads || written != writes {
			t.Errorf("%s: got %d reads and %d writes, want %d and %d", when, read, written, reads, writes)
		}
	}
	for hour := range 3 {
		for _, after := range []time.Duration{0, 59 * time.Minute} {
			f.Advance(after)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { f.ask("GET", "/things", "") })
			}
			all.Wait()
			answer(other, f.request("GET", "/things", ""))
			want("in an hour", 2*(hour+1), hour+1)
		}
		f.Advance(time.Minute)
	}
	f.ask("GET", "/things", "", "Authorization: Bearer "+f.other) // refused, but the key is used
	want("another key", 7, 4)
	f.ask("GET", "/things", "", "Authorization: Bearer "+f.secret[:len(f.secret)-1]+"!")
	f.ask("GET", "/things", "", "Authorization:")
	want("no key", 7, 4)
}

// TestKeyUses_WriteFails checks that the request succeeds although the write fails. The failure is logged, and the next
// try is a minute later.
func TestKeyUses_WriteFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{route("GET", "/things", respond("x"))})
	f.wire.Inject(faults.Always("PutItem", faults.FailBefore))
	ask := func() {
		t.Helper()
		if w := f.ask("GET", "/things", ""); w.Code != 200 {
			t.Errorf("got %d %s, want 200", w.Code, w.Body)
		}
	}
	ask()
	ask()
	const line = "use of a key not noted"
	if got := strings.Count(f.log.String(), line); got != 1 {
		t.Errorf("got %d lines %q, want 1", got, line)
	}
	f.wire.Inject(nil)
	before := f.wire.Calls("PutItem")
	f.Advance(time.Minute)
	ask()
	if got := f.wire.Calls("PutItem") - before; got != 1 {
		t.Errorf("a minute later: got %d writes, want 1", got)
	}
}
