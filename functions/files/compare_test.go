package files_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
)

// broken is a log line about a break.
type broken struct{ Tenant, Kind, ID string }

// loggedBreaks returns the breaks in the log, sorted.
func (s shop) loggedBreaks() []broken {
	s.Helper()
	var all []broken
	for line := range strings.Lines(s.Logs.String()) {
		var entry struct {
			Msg string
			broken
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			s.Fatal(err)
		}
		if entry.Msg == "reconciliation break" {
			all = append(all, entry.broken)
		}
	}
	return sorted(all)
}

func sorted(all []broken) []broken {
	return slices.SortedFunc(slices.Values(all), func(a, b broken) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
}

// wantBreaks fails unless the log has exactly these breaks.
func (s shop) wantBreaks(what string, want ...broken) {
	s.Helper()
	if diff := gocmp.Diff(want, s.loggedBreaks()); diff != "" {
		s.Errorf("%s: breaks (-want +got):\n%s", what, diff)
	}
}

// reconcile compares all objects and records.
func (s shop) reconcile() {
	s.Helper()
	s.Reconcile()
	s.drain(s.Main())
}

func (s shop) drain(p *world.Process) int {
	s.Helper()
	n, err := p.DrainQueues(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// deleteObject deletes all versions of an object.
func (s shop) deleteObject(key string) {
	s.Helper()
	client, bucket := s.bucket()
	page, err := client.ListObjectVersions(s.Context(), &s3.ListObjectVersionsInput{Bucket: bucket, Prefix: &key})
	if err != nil {
		s.Fatal(err)
	}
	for _, v := range page.Versions {
		if _, err := client.DeleteObject(s.Context(), &s3.DeleteObjectInput{Bucket: bucket, Key: &key,
			VersionId: v.VersionId}); err != nil {
			s.Fatal(err)
		}
	}
}

// deleteItem removes an item of the table.
func (s shop) deleteItem(partition, sort string) {
	s.Helper()
	_, table := s.App.Store.Raw()
	if err := table.Delete("pk", partition).Range("sk", sort).If("attribute_exists(pk)").Run(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// setAttribute sets an attribute of an item of the table.
func (s shop) setAttribute(partition, sort, attribute string, value any) {
	s.Helper()
	_, table := s.App.Store.Raw()
	if err := table.Update("pk", partition).Range("sk", sort).Set("'"+attribute+"'", value).
		If("attribute_exists(pk)").Run(s.Context()); err != nil {
		s.Fatal(err)
	}
}

func partitionOf(key string) string        { return "OBJECTS#" + file.ObjectID(key)[:1] }
func (s shop) records() (partition string) { return "FILES#" + s.Tenant().String() }

// uploadFile returns a completed file and the key of its object.
func (s shop) uploadFile() (id, key string) {
	s.Helper()
	f := s.UploadedFile(world.PDF, nil)
	return f.ID, s.objectKey(f.ID)
}

// TestCompare_EachBreak checks that the comparison finds each break once a night, reports nothing else, and repairs
// nothing.
func TestCompare_EachBreak(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.uploadFile() // this file and the next three are correct
	s.NewFile(world.PDF, nil)
	s.put("pending", 200, s.NewFile(world.PDF, nil).Upload, world.PDF)
	gone, _ := s.uploadFile()
	s.Want("delete", 204, s.Send("DELETE", s.path(gone), nil))
	s.reconcile()
	s.wantBreaks("without a break")
	if got := s.Measured(metric.ReconciliationBreaks, identity.Test); len(got) != 1 {
		t.Errorf("got %v breaks measured, want only what reconcile measured itself", got)
	}

	var want []broken
	tenant := s.Tenant().String()
	expect := func(kind file.BreakKind, id string) { want = append(want, broken{tenant, string(kind), id}) }
	id, key := s.uploadFile()
	s.deleteObject(key)
	s.putContent(key+"x", file.PDF, "of a longer key")
	expect(file.ObjectMissing, id)
	id, key = s.uploadFile()
	s.putContent(key, file.PDF, "another")
	expect(file.ObjectDuplicate, id)
	id, key = s.uploadFile()
	client, bucket := s.bucket()
	if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: bucket, Key: &key}); err != nil {
		t.Fatal(err)
	}
	expect(file.ObjectDuplicate, id)
	id, _ = s.uploadFile()
	s.setAttribute(s.records(), "FILE#"+id, "size", 7)
	expect(file.ObjectDiffers, id)
	id, _ = s.uploadFile()
	s.deleteItem(s.records(), "FILE#"+id)
	expect(file.FileMissing, id)
	id, _ = s.uploadFile()
	s.setAttribute(s.records(), "FILE#"+id, "status", "pending")
	expect(file.FileDiffers, id)
	id, key = s.uploadFile()
	s.setAttribute(partitionOf(key), file.ObjectID(key), "state", "doomed")
	expect(file.FileDiffers, id)
	id = s.NewFile(world.PDF, nil).ID
	s.deleteItem(s.records(), "FILE#"+id)
	expect(file.FileMissing, id)
	id = s.NewFile(world.PDF, nil).ID
	key = s.objectKey(id)
	s.deleteItem(partitionOf(key), file.ObjectID(key))
	expect(file.EntryMissing, id)
	id, key = s.uploadFile()
	s.deleteItem(s.records(), "FILE#"+id)
	s.deleteItem(partitionOf(key), file.ObjectID(key))
	s.putContent(file.Prefix+"not by us", file.Text, "x")
	for range 3 {
		want = append(want, broken{"", string(file.ObjectUnexpected), ""})
	}

	entries, stored := s.readEntries(), s.Stored()
	s.reconcile()
	s.wantBreaks("the first night", sorted(want)...)
	if diff := gocmp.Diff(entries, s.readEntries()) + gocmp.Diff(stored, s.Stored()); diff != "" {
		t.Errorf("it changed entries or objects (-before +after):\n%s", diff)
	}
	for mode, found := range map[identity.Mode]int64{identity.Test: int64(len(want)) - 3, identity.Live: 3} {
		sum := int64(0)
		for _, n := range s.Measured(metric.ReconciliationBreaks, mode) {
			sum += n
		}
		if sum != found {
			t.Errorf("got %d breaks measured in %s mode, want %d", sum, mode.Name(), found)
		}
	}
	s.reconcile()
	s.wantBreaks("the second", sorted(slices.Concat(want, want))...)
}

// shardMessage returns the event of one call of the function, with a message to compare a shard.
func shardMessage(shard int, after string) json.RawMessage {
	body := fmt.Sprintf(`{"shard":%d,"after":%q}`, shard, after)
	return fmt.Appendf(nil, `{"Records":[{"messageId":"1","body":%q}]}`, body)
}

// shardOf returns the shard of an object's key.
func shardOf(key string) int { return strings.Index("0123456789abcdef", file.ObjectID(key)[:1]) }

// TestCompare_FileChangesMeanwhile changes a file between any two steps of the comparison. The test checks that no
// false break is reported.
func TestCompare_FileChangesMeanwhile(t *testing.T) {
	t.Parallel()
	for what, of := range map[string]struct {
		before, meanwhile func(s shop, f world.File)
	}{
		"uploaded": {func(shop, world.File) {}, func(s shop, f world.File) { s.put("upload", 200, f.Upload, world.PDF) }},
		"completed": {func(s shop, f world.File) { s.put("upload", 200, f.Upload, world.PDF) },
			func(s shop, f world.File) { s.ShownFile(200, s.CompleteFile(f.ID)) }},
		"uploaded and completed": {func(shop, world.File) {}, func(s shop, f world.File) {
			s.put("upload", 200, f.Upload, world.PDF)
			s.ShownFile(200, s.CompleteFile(f.ID))
		}},
		"dropped": {func(s shop, f world.File) { s.put("upload", 200, f.Upload, "%PDX"+world.PDF[4:]) },
			func(s shop, f world.File) { s.Want("complete", 409, s.CompleteFile(f.ID)) }},
		"deleted": {func(s shop, f world.File) {
			s.put("upload", 200, f.Upload, world.PDF)
			s.ShownFile(200, s.CompleteFile(f.ID))
		}, func(s shop, f world.File) { s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil)) }},
		"deleted for good": {func(s shop, f world.File) {
			s.put("upload", 200, f.Upload, world.PDF)
			s.ShownFile(200, s.CompleteFile(f.ID))
			s.Clock.Advance(2 * time.Hour)
		}, func(s shop, f world.File) { s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil)) }},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			p := s.Process()
			happened := true
			for step := 1; happened; step++ {
				f := s.NewFile(world.PDF, nil)
				shard := shardOf(s.objectKey(f.ID))
				of.before(s, f)
				happened = false
				p.Steps.Meanwhile("", step, func() {
					happened = true
					of.meanwhile(s, f)
				})
				if reply, err := p.Invoke(t.Context(), "files", shardMessage(shard, "")); err != nil ||
					string(reply) != `{"batchItemFailures":[]}` {
					t.Fatalf("step %d: got reply %s, error %v", step, reply, err)
				}
				if found := s.loggedBreaks(); len(found) > 0 {
					t.Fatalf("step %d of %v: got breaks %+v, want none", step, p.Steps.Taken(), found)
				}
			}
		})
	}
}

// TestCompare_FileCreatedMeanwhile creates, uploads and completes a file between any two steps of the comparison.
func TestCompare_FileCreatedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.Process()
	happened := true
	for step := 1; happened; step++ {
		happened = false
		p.Steps.Meanwhile("", step, func() {
			happened = true
			for range file.Shards {
				s.uploadFile()
			}
		})
		for shard := range 2 {
			if _, err := p.Invoke(t.Context(), "files", shardMessage(shard, "")); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.wantBreaks("files that are made meanwhile")
}

// TestCompare_FileGoneMeanwhile deletes a file while the reconciliation reads the table.
func TestCompare_FileGoneMeanwhile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.Process()
	happened := true
	for step := 1; happened; step++ {
		s.Clock.Advance(2 * time.Hour)
		one, _ := s.uploadFile()
		other := s.NewFile(world.PDF, nil).ID
		s.Clock.Advance(2 * time.Hour) // after this time a deletion removes the object's entry at once
		happened = false
		p.Steps.Meanwhile("", step, func() {
			happened = true
			s.Want("delete", 204, s.Send("DELETE", s.path(one), nil))
			s.Want("delete", 204, s.Send("DELETE", s.path(other), nil))
			s.uploadFile()
		})
		if _, err := p.Invoke(t.Context(), "reconcile", json.RawMessage(`{"whole":true}`)); err != nil {
			t.Fatal(err)
		}
		if found := s.loggedBreaks(); len(found) > 0 {
			t.Fatalf("step %d of %v: got breaks %+v, want none", step, p.Steps.Taken(), found)
		}
	}
}

// TestCompare_S3Down checks that an object that cannot be read is not reported, and is compared later.
func TestCompare_S3Down(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id, key := s.uploadFile()
	s.deleteObject(key)
	want := broken{s.Tenant().String(), string(file.ObjectMissing), id}
	s.RefuseObjects(func(string) bool { return true })
	s.reconcile()
	s.wantBreaks("without S3")
	s.RefuseObjects(nil)
	s.Clock.Advance(functions.Files.Visibility)
	s.drain(s.Main())
	s.wantBreaks("when S3 is back", want)
	s.Clock.Advance(functions.Files.Visibility)
	if n := s.drain(s.Main()); n != 0 {
		t.Errorf("got %d messages then, want none", n)
	}
}

// TestCompare_QueueDown checks that the reconciliation returns a report, and logs that files were not compared.
func TestCompare_QueueDown(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.Process()
	if _, err := p.Invoke(t.Context(), "reconcile", json.RawMessage(`{"whole":true}`)); err != nil {
		t.Fatal(err)
	}
	if n := s.drain(s.Main()); n != file.Shards {
		t.Errorf("got %d messages, want one of each shard", n)
	}
	last := len(p.Steps.Taken()) // the step that sends the second ten messages
	for step := last - 1; step <= last; step++ {
		before := len(s.Logs.String())
		p.Steps.Plan(step, faults.DieAfter)
		if _, err := p.Invoke(t.Context(), "reconcile", json.RawMessage(`{"whole":true}`)); err != nil {
			t.Errorf("step %d: got error %v, want the report", step, err)
		}
		if said := s.Logs.String()[before:]; !strings.Contains(said, `"level":"ERROR","msg":"objects not compared"`) {
			t.Errorf("step %d: got log %q, want that objects were not compared", step, said)
		}
	}
}

// TestCompare_KilledCall repeats a call that was killed at any step, and checks that the break is found.
func TestCompare_KilledCall(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id, key := s.uploadFile()
	s.deleteObject(key)
	want := broken{s.Tenant().String(), string(file.ObjectMissing), id}
	for step, gone := 1, true; gone; step++ {
		before := len(s.loggedBreaks())
		s.Reconcile()
		p := s.Process()
		p.Steps.Plan(step, faults.DieAfter)
		_, _ = p.DrainQueues(t.Context())
		gone = p.Steps.Gone()
		s.Clock.Advance(functions.Files.Visibility)
		s.drain(s.Main())
		found := s.loggedBreaks()[before:]
		if len(found) == 0 || slices.ContainsFunc(found, func(b broken) bool { return b != want }) {
			t.Errorf("step %d of %v: got breaks %v, want %v", step, p.Steps.Taken(), found, want)
		}
	}
}
