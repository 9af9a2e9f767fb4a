package rest_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// TestAProcessNotesAKeysUseOnceAnHour, whatever comes at once: it asks the table once, and writes once.
func TestAProcessNotesAKeysUseOnceAnHour(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{route("GET", "/things", respond("x"))})
	other := f.process([]rest.Route{route("GET", "/things", respond("x"))})
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
	f.ask("GET", "/things", "", "Authorization: Bearer "+f.other) // which may not, but is used all the same
	want("another key", 7, 4)
	f.ask("GET", "/things", "", "Authorization: Bearer "+f.secret[:len(f.secret)-1]+"!")
	f.ask("GET", "/things", "", "Authorization:")
	want("no key", 7, 4)
}

// TestARequestSucceedsThoughItsKeysUseIsNotNoted, which is logged, and tried again a minute later.
func TestARequestSucceedsThoughItsKeysUseIsNotNoted(t *testing.T) {
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
