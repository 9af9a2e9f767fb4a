package file_test

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/file"
)

// kindsOf returns the kinds of breaks.
func kindsOf(breaks []file.Break) []file.BreakKind {
	var all []file.BreakKind
	for _, b := range breaks {
		all = append(all, b.Kind)
	}
	return all
}

// TestBreaks checks that each difference is found, and nothing else.
func TestBreaks(t *testing.T) {
	t.Parallel()
	const key = "files/00"
	entry := func(state file.State, rev string) *file.Entry {
		return &file.Entry{Key: key, Tenant: tenant, File: "file_1", State: state, Revision: rev}
	}
	record := func(status file.Status, rev string) *file.File {
		return &file.File{ID: "file_1", Object: key, Status: status, Revision: rev, Size: 10}
	}
	elsewhere := &file.File{ID: "file_1", Object: "files/01", Status: file.Uploaded, Revision: "rev", Size: 10}
	good := file.Listed{Key: key, Revision: "rev", Size: 10}
	short := file.Listed{Key: key, Revision: "rev", Size: 9}
	other := file.Listed{Key: key, Revision: "other", Size: 10}
	mark := file.Listed{Key: key, Revision: "mark", Deletion: true}
	marked := file.Listed{Key: key, Revision: "rev", Deletion: true}
	uploaded, pending := entry(file.ObjectUploaded, "rev"), entry(file.ObjectPending, "")
	doomed, done := entry(file.ObjectDoomed, "rev"), record(file.Uploaded, "rev")
	duplicate, differs := []file.BreakKind{file.ObjectDuplicate}, []file.BreakKind{file.FileDiffers}
	missing := []file.BreakKind{file.ObjectMissing}
	for name, c := range map[string]struct {
		entry    *file.Entry
		file     *file.File
		versions []file.Listed
		want     []file.BreakKind
	}{
		"nothing":                        {nil, nil, nil, nil},
		"uploaded":                       {uploaded, done, []file.Listed{good}, nil},
		"pending":                        {pending, record(file.Pending, ""), nil, nil},
		"pending, with content":          {pending, record(file.Pending, ""), []file.Listed{other, good}, nil},
		"doomed":                         {doomed, nil, []file.Listed{mark, good}, nil},
		"doomed, and gone":               {doomed, nil, nil, nil},
		"doomed, and another file":       {doomed, elsewhere, nil, nil},
		"an object alone":                {nil, nil, []file.Listed{good}, []file.BreakKind{file.ObjectUnexpected}},
		"a mark alone":                   {nil, nil, []file.Listed{mark}, []file.BreakKind{file.ObjectUnexpected}},
		"uploaded, without content":      {uploaded, done, nil, missing},
		"uploaded, with other content":   {uploaded, done, []file.Listed{other}, missing},
		"uploaded, with a mark":          {uploaded, done, []file.Listed{marked}, missing},
		"uploaded, of another size":      {uploaded, done, []file.Listed{short}, []file.BreakKind{file.ObjectDiffers}},
		"uploaded twice":                 {uploaded, done, []file.Listed{other, good}, duplicate},
		"uploaded, with a mark after it": {uploaded, done, []file.Listed{mark, good}, duplicate},
		"uploaded twice, of another size": {uploaded, done, []file.Listed{other, short},
			[]file.BreakKind{file.ObjectDiffers, file.ObjectDuplicate}},
		"uploaded without a file":         {uploaded, nil, []file.Listed{good}, []file.BreakKind{file.FileMissing}},
		"uploaded, and another's file":    {uploaded, elsewhere, []file.Listed{good}, []file.BreakKind{file.FileMissing}},
		"pending without a file":          {pending, nil, nil, []file.BreakKind{file.FileMissing}},
		"uploaded, and a pending file":    {uploaded, record(file.Pending, ""), []file.Listed{good}, differs},
		"pending, and an uploaded file":   {pending, done, []file.Listed{good}, differs},
		"doomed with its file":            {doomed, done, []file.Listed{good}, differs},
		"uploaded, and another revision":  {uploaded, record(file.Uploaded, "x"), []file.Listed{good}, differs},
		"neither pending nor uploaded":    {entry("", ""), record(file.Pending, ""), nil, differs},
		"uploaded, with nothing anywhere": {uploaded, nil, nil, []file.BreakKind{file.FileMissing, file.ObjectMissing}},
	} {
		p := file.Pair{Key: key, Entry: c.entry, File: c.file}
		for _, v := range c.versions {
			p.Add(v)
		}
		if diff := gocmp.Diff(c.want, kindsOf(p.Breaks())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// sequence returns a sequence of the values. If the error is not nil, the sequence ends with it.
func sequence[T any](values []T, err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

// genKey generates keys in a few shards, including keys that NewKey never makes.
func genKey() *rapid.Generator[string] {
	return rapid.Map(rapid.StringMatching(`[0-9a-f]{1,2}|[g-z]{0,2}|[A-Z]|é`), func(s string) string {
		return file.Prefix + s
	})
}

// TestMatch_EachKeyOnce checks that each key is matched once, with its entry and versions, however the messages divide
// the keys.
func TestMatch_EachKeyOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]file.Pair{}
		var entries []file.Entry
		var objects []file.Listed
		for _, key := range rapid.SliceOfDistinct(genKey(), rapid.ID[string]).Draw(t, "entries") {
			e := file.Entry{Key: key, State: file.ObjectUploaded, Revision: "1"}
			entries = append(entries, e)
			want[key] = file.Pair{Key: key, Entry: &e}
		}
		for _, key := range rapid.SliceOfDistinct(genKey(), rapid.ID[string]).Draw(t, "objects") {
			p := want[key]
			p.Key = key
			for rev := range rapid.IntRange(1, 4).Draw(t, "versions") {
				v := file.Listed{Key: key, Revision: fmt.Sprint(rev)}
				objects = append(objects, v)
				p.Add(v)
			}
			want[key] = p
		}
		slices.SortFunc(entries, func(a, b file.Entry) int { return cmp.Compare(a.Key, b.Key) })
		slices.SortStableFunc(objects, func(a, b file.Listed) int { return cmp.Compare(a.Key, b.Key) })
		got, some := map[string]file.Pair{}, rapid.IntRange(1, 5).Draw(t, "of a message")
		for shard := range file.Shards {
			after, last := file.ShardRange(shard)
			for whole := false; !whole; {
				pairs := matchPart(t, entries, objects, after, last, some)
				for _, p := range pairs {
					if _, twice := got[p.Key]; twice || p.Key <= after {
						t.Errorf("got %s after %q, %t twice; want it once and in order", p.Key, after, twice)
					}
					got[p.Key], after = p, p.Key
				}
				whole = len(pairs) < some
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("matched (-want +got):\n%s", diff)
		}
	})
}

// matchPart returns the pairs that one message compares. Their keys are greater than the parameter after. The parameter
// some is their maximum number.
func matchPart(t *rapid.T, entries []file.Entry, objects []file.Listed, after, last string, some int) []file.Pair {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e file.Entry) bool { return e.Key <= after })
	objects = slices.DeleteFunc(slices.Clone(objects), func(o file.Listed) bool { return o.Key <= after })
	var pairs []file.Pair
	for p, err := range file.Match(sequence(entries, nil), sequence(objects, nil), last) {
		if err != nil {
			t.Fatal(err)
		}
		if pairs = append(pairs, p); len(pairs) == some {
			break
		}
	}
	return pairs
}

// TestMatch_Error checks that an error ends the match. A key that was not completely read is left out.
func TestMatch_Error(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	entries := []file.Entry{{Key: "files/00"}, {Key: "files/01"}}
	objects := []file.Listed{{Key: "files/00"}, {Key: "files/01"}}
	for name, c := range map[string]struct {
		entries iter.Seq2[file.Entry, error]
		objects iter.Seq2[file.Listed, error]
		want    []string
	}{
		"entries at once": {sequence(entries[:0], broken), sequence(objects, nil), nil},
		"objects at once": {sequence(entries, nil), sequence(objects[:0], broken), nil},
		"entries":         {sequence(entries[:1], broken), sequence(objects, nil), []string{"files/00"}},
		"objects":         {sequence(entries, nil), sequence(objects, broken), []string{"files/00"}},
	} {
		var got []string
		var last error
		for p, err := range file.Match(c.entries, c.objects, "files0") {
			if last = err; err == nil {
				got = append(got, p.Key)
			}
		}
		if !errors.Is(last, broken) || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, then error %v; want %v, then %v", name, got, last, c.want, broken)
		}
	}
}

// TestShardRange checks that each key with the prefix is in one shard.
func TestShardRange(t *testing.T) {
	t.Parallel()
	keys := map[string]int{}
	for _, key := range []string{"files/", "files/!", "files/0", "files/00", "files/9z", "files/A", "files/a0", "files/f",
		"files/ff", "files/z", "files/\U0010ffff\U0010ffff", file.NewKey()} {
		keys[key] = 0
	}
	for shard := range file.Shards {
		after, last := file.ShardRange(shard)
		for key := range maps.Keys(keys) {
			if key > after && key <= last {
				keys[key]++
			}
		}
	}
	for key, shards := range keys {
		if shards != 1 {
			t.Errorf("got %q in %d shards, want 1", key, shards)
		}
	}
}
