package files_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/file"
)

// storeMany stores n pending files in one shard, each with its entry and object, and returns the objects' keys in
// order.
func (s shop) storeMany(n int) []string {
	s.Helper()
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("%s7%031x", file.Prefix, i)
		s.storePending(fmt.Sprintf("file_%d", i), keys[i], "")
		s.putContent(keys[i], file.Text, "x")
	}
	return keys
}

// TestCompare_ManyObjects compares more objects than one call reads, so that several calls read several pages each. In
// the test a process dies, so that messages come twice.
func TestCompare_ManyObjects(t *testing.T) {
	enginetest.InMemory(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const objects = 2500
		s := newShop(t)
		keys := s.storeMany(objects)
		var want []broken
		for _, i := range []int{0, 999, 1000, 1500, objects - 1} {
			s.deleteItem(s.records(), fmt.Sprintf("FILE#file_%d", i))
			want = append(want, broken{s.Tenant().String(), string(file.FileMissing), fmt.Sprintf("file_%d", i)})
		}
		s.deleteItem(partitionOf(keys[1200]), file.ObjectID(keys[1200]))
		want = append(want, broken{"", string(file.ObjectUnexpected), ""},
			broken{s.Tenant().String(), string(file.EntryMissing), "file_1200"})
		s.Reconcile()
		dying := s.Process()
		dying.Steps.Slow(faults.Latency{Table: time.Second})
		dying.Steps.Inject(func(string) faults.Fault {
			if slices.Contains(s.loggedBreaks(), want[0]) {
				return faults.DieAfter
			}
			return faults.None
		})
		s.drain(dying)
		if !dying.Steps.Gone() || !slices.Contains(s.loggedBreaks(), want[0]) {
			t.Errorf("got a process gone %t after %v, want it gone after some breaks", dying.Steps.Gone(), s.loggedBreaks())
		}
		s.Clock.Advance(functions.Files.Visibility)
		s.Main().Steps.Slow(faults.Latency{Table: time.Second})
		calls := s.drain(s.Main())
		s.Main().Steps.Slow(faults.Latency{})
		if calls <= 2 {
			t.Errorf("got %d messages, want more", calls)
		}
		found := map[broken]int{}
		for _, b := range s.loggedBreaks() {
			found[b]++
		}
		for _, b := range want {
			if found[b] == 0 {
				t.Errorf("got breaks %v, want %v in them", found, b)
			}
		}
		if len(found) != len(want) {
			t.Errorf("got breaks %v, want only %v", found, want)
		}
		// The log names only the shard that has objects.
		if whole := strings.Count(s.Logs.String(), `"whole":true`); whole != 1 {
			t.Errorf("got %d shards compared to the end, want 1", whole)
		}
	})
}

// TestCompare_WithoutTime checks that a call with too little time compares nothing and leaves its message in the queue.
func TestCompare_WithoutTime(t *testing.T) {
	enginetest.InMemory(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		short, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		reply, err := s.Main().Invoke(short, "files", shardMessage(0, ""))
		if want := `{"batchItemFailures":[{"itemIdentifier":"1"}]}`; err != nil || string(reply) != want {
			t.Errorf("got reply %s, error %v; want %s", reply, err, want)
		}
		s.Main().Steps.Slow(faults.Latency{Table: 30 * time.Second})
		s.Reconcile()
		s.drain(s.Main())
		s.Main().Steps.Slow(faults.Latency{})
		if log := s.Logs.String(); strings.Contains(log, `"whole":true`) || !strings.Contains(log, "message failed") {
			t.Errorf("got log\n%s\nwant messages that failed", log)
		}
		s.Clock.Advance(functions.Files.Visibility)
		if n := s.drain(s.Main()); n != file.Shards {
			t.Errorf("got %d messages, want %d", n, file.Shards)
		}
	})
}
