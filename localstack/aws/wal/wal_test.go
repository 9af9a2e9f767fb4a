package wal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/aws/wal/waltest"
)

// journal is a log with the records that were read from it or appended to it.
type journal struct {
	*wal.Log
	records []string
}

func open(dir string, o wal.Options) (*journal, error) {
	b := &journal{}
	log, err := wal.Open(dir, "journal", o, func(payload []byte) error {
		b.records = append(b.records, string(payload))
		return nil
	})
	b.Log = log
	return b, err
}

func mustOpen(t *testing.T, dir string) *journal {
	t.Helper()
	b, err := open(dir, wal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func (b *journal) add(record string) error {
	err := b.Append([]byte(record))
	if err == nil {
		b.records = append(b.records, record)
	}
	return err
}

// snapshot writes a snapshot of the state.
func (b *journal) snapshot() error {
	snapshot, err := b.BeginSnapshot()
	if err != nil {
		return err
	}
	return snapshot.Write(func(yield func([]byte) bool) {
		for _, record := range b.records {
			if !yield([]byte(record)) {
				return
			}
		}
	})
}

func want(t *testing.T, what string, got, records []string) {
	t.Helper()
	if !slices.Equal(got, records) {
		t.Errorf("%s: got %d records %.200q, want %d %.200q", what, len(got), got, len(records), records)
	}
}

// fill writes records of all sizes and two snapshots. Most tests then read the log back. fill returns the acknowledged
// records.
func fill(b *journal) []string {
	var acknowledged []string
	for i := range 12 {
		record := fmt.Sprint(i, strings.Repeat("x", i*i*7))
		if b.add(record) == nil {
			acknowledged = append(acknowledged, record)
		}
		if i == 3 || i == 8 {
			_ = b.snapshot()
		}
	}
	return acknowledged
}

func TestOpen_RecordsInOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	records := fill(mustOpen(t, dir))
	again := mustOpen(t, dir)
	want(t, "opened again", again.records, records)
	if err := again.add("one more"); err != nil {
		t.Fatal(err)
	}
	want(t, "once more", mustOpen(t, dir).records, append(records, "one more"))
	want(t, "files", fileNames(t, dir), []string{"journal.000002.snapshot", "journal.000003.log"})
}

func fileNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestOpen_RecordsLargerThanBlock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := mustOpen(t, dir)
	for _, n := range []int{1, 1 << 20, 5 << 20, 3} {
		if err := b.add(strings.Repeat("y", n)); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "large", mustOpen(t, dir).records, b.records)
	for _, n := range []int{0, wal.MaxPayload + 1} {
		if b.Append(make([]byte, n)) == nil {
			t.Errorf("a record of %d bytes: got no error, want one", n)
		}
		snapshot, err := b.BeginSnapshot()
		if err != nil {
			t.Fatal(err)
		}
		if snapshot.Write(slices.Values([][]byte{make([]byte, n)})) == nil {
			t.Errorf("a snapshot with a record of %d bytes: got no error, want one", n)
		}
	}
	if b.Append([]byte{0}) == nil {
		t.Error("a record that Open skips: got no error, want one")
	}
	want(t, "refused", mustOpen(t, dir).records, b.records)
}

// TestOpen_TornTail cuts the segment at any byte, as a process that ends during a write would.
func TestOpen_TornTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := mustOpen(t, dir)
	ends := []int64{0}
	path := filepath.Join(dir, "journal.000001.log")
	for i := range 4 {
		if err := b.add(strings.Repeat("z", 1+i*5)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, fileSize(t, path))
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for length := range whole {
		left := t.TempDir()
		if err := os.WriteFile(filepath.Join(left, "journal.000001.log"), whole[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		n := 0
		for ends[n+1] <= int64(length) {
			n++
		}
		torn := mustOpen(t, left)
		want(t, fmt.Sprint("cut at ", length), torn.records, b.records[:n])
		if err := torn.add("next"); err != nil {
			t.Fatal(err)
		}
		want(t, fmt.Sprint("cut at ", length, " and written to"), mustOpen(t, left).records, torn.records)
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestOpen_FlippedBit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := mustOpen(t, dir)
	for i := range 3 {
		if err := errors.Join(b.add(fmt.Sprint("before ", i)), b.snapshot(), b.add(fmt.Sprint("after ", i))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range fileNames(t, dir) {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for bit := range 8 * len(whole) {
			damaged := bytes.Clone(whole)
			damaged[bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := open(dir, wal.Options{})
			var found *wal.CorruptError
			if !errors.As(err, &found) || found.File != path || !strings.Contains(err.Error(), "make reset") {
				t.Errorf("%s, bit %d: got error %v, want a CorruptError of %s", name, bit, err, path)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "repaired", mustOpen(t, dir).records, b.records)
}

func TestOpen_MissingFile(t *testing.T) {
	t.Parallel()
	full := func(t *testing.T) string {
		dir := t.TempDir()
		b := mustOpen(t, dir)
		for i := range 3 { // without snapshots, all segments stay
			_ = b.add(fmt.Sprint(i))
			snapshot, err := b.BeginSnapshot()
			if err != nil {
				t.Fatal(err)
			}
			if snapshot.Write(slices.Values([][]byte{nil})) == nil {
				t.Error("a record of no bytes: got no error, want one")
			}
		}
		return dir
	}
	for _, name := range fileNames(t, full(t)) {
		dir := full(t)
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := open(dir, wal.Options{}); err == nil || !strings.Contains(err.Error(), name+" is missing") {
			t.Errorf("without %s: got error %v, want that it is missing", name, err)
		}
	}
	// BeginSnapshot writes a new segment's header before it seals the previous segment. So a segment without a header is
	// an error if it follows a sealed segment or a snapshot.
	for _, name := range fileNames(t, full(t))[1:] {
		dir := full(t)
		if err := os.Truncate(filepath.Join(dir, name), 5); err != nil {
			t.Fatal(err)
		}
		var found *wal.CorruptError
		if _, err := open(dir, wal.Options{}); !errors.As(err, &found) || filepath.Base(found.File) != name {
			t.Errorf("%s without its header: got error %v, want a CorruptError", name, err)
		}
	}
	dir := t.TempDir()
	if err := errors.Join(mustOpen(t, dir).snapshot(), os.Remove(filepath.Join(dir, "journal.000002.log"))); err != nil {
		t.Fatal(err)
	}
	if _, err := open(dir, wal.Options{}); err == nil || !strings.Contains(err.Error(), "journal.000002.log is missing") {
		t.Errorf("a snapshot alone: got error %v, want that a segment is missing", err)
	}
}

// TestAppend_CrashAtAnyWrite stops the disk after every 13th byte of fill. Exactly the acknowledged records are read
// back.
func TestAppend_CrashAtAnyWrite(t *testing.T) {
	t.Parallel()
	for room := 1; ; room += 13 {
		dir := t.TempDir()
		disk := waltest.NewDisk(room).Dies()
		var acknowledged []string
		if b, err := open(dir, disk.Options()); err == nil {
			acknowledged = fill(b)
			_ = b.Close()
		}
		again := mustOpen(t, dir)
		want(t, fmt.Sprint("dead after ", room, " bytes"), again.records, acknowledged)
		if err := errors.Join(again.add("next"), again.snapshot(), again.add("last")); err != nil {
			t.Fatal(err)
		}
		want(t, fmt.Sprint("gone on after ", room, " bytes"), mustOpen(t, dir).records, again.records)
		if len(acknowledged) == 12 {
			return
		}
	}
}

func TestAppend_FullDisk(t *testing.T) {
	t.Parallel()
	for room := range 60 {
		dir := t.TempDir()
		disk := waltest.NewDisk(waltest.Unlimited)
		b, err := open(dir, disk.Options())
		if err != nil {
			t.Fatal(err)
		}
		if err := b.add("kept"); err != nil {
			t.Fatal(err)
		}
		disk.SetRoom(room)
		for b.add("refused or kept") == nil {
		}
		if b.Refused() == nil || b.Check() == nil {
			t.Errorf("room for %d bytes: got errors %v and %v, want two", room, b.Refused(), b.Check())
		}
		if err := b.snapshot(); err == nil {
			t.Errorf("room for %d bytes: got no error of the snapshot, want one", room)
		}
		want(t, fmt.Sprint("full, with room for ", room, " bytes"), mustOpen(t, dir).records, b.records)
		disk.SetRoom(waltest.Unlimited)
		if err := b.Check(); err != nil || b.Refused() != nil {
			t.Errorf("room again: got errors %v and %v, want none", err, b.Refused())
		}
		if err := errors.Join(b.add("later"), b.snapshot(), b.add("last")); err != nil {
			t.Fatal(err)
		}
		want(t, fmt.Sprint("after a full disk, with room for ", room, " bytes"), mustOpen(t, dir).records, b.records)
	}
}

// TestSnapshot_Incomplete puts back the files that a snapshot replaced, as if the process had ended before it removed
// them.
func TestSnapshot_Incomplete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := mustOpen(t, dir)
	if err := errors.Join(b.add("1"), b.snapshot(), b.add("2")); err != nil {
		t.Fatal(err)
	}
	before := os.DirFS(dir)
	saved := t.TempDir()
	if err := os.CopyFS(saved, before); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.snapshot(), b.add("3")); err != nil {
		t.Fatal(err)
	}
	err := fs.WalkDir(os.DirFS(saved), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(saved, path))
		return errors.Join(err, os.WriteFile(filepath.Join(dir, path), content, 0o600))
	})
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "journal.000009.snapshot.new"),
		[]byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	want(t, "with old files beside a snapshot", mustOpen(t, dir).records, []string{"1", "2", "3"})
	if slices.Contains(fileNames(t, dir), "journal.000009.snapshot.new") {
		t.Errorf("got files %q, want no unfinished snapshot", fileNames(t, dir))
	}
}
