package file

import (
	"cmp"
	"fmt"
	"iter"
)

// Pair has our records of one key's object, and the object's versions at S3.
type Pair struct {
	Key     string
	Entry   *Entry  // nil: no entry
	File    *File   // the entry's file; nil: no file
	Checked *Listed // the version that was checked when the file was completed; nil: absent
	Others  int     // other versions, and marks of deletions
}

// Add counts a version of the key's object.
func (p *Pair) Add(v Listed) {
	if p.Entry != nil && p.Entry.State == ObjectUploaded && !v.Deletion && v.Revision == p.Entry.Revision {
		p.Checked = &v
		return
	}
	p.Others++
}

// BreakKind tells which records do not match.
type BreakKind string

// Kinds of breaks between files, the entries of their objects, and the objects.
const (
	ObjectUnexpected BreakKind = "object_unexpected"    // an object without an entry
	ObjectMissing    BreakKind = "object_missing"       // the checked version is absent
	ObjectDiffers    BreakKind = "object_differs"       // the checked version has another size than the file
	ObjectDuplicate  BreakKind = "object_duplicate"     // versions other than the checked one
	FileMissing      BreakKind = "file_missing"         // an entry without its file
	FileDiffers      BreakKind = "file_differs"         // a file that differs from the entry
	EntryMissing     BreakKind = "object_entry_missing" // a file whose object has no entry
)

// Break is one difference between records.
type Break struct {
	Kind BreakKind
	Text string // for operators
}

// Breaks returns the differences of a key. Any versions may exist for a doomed entry, because all are to be deleted. A
// pending entry allows any upload, because the completion checks it.
func (p Pair) Breaks() []Break {
	if p.Entry == nil {
		if p.Others == 0 {
			return nil
		}
		return []Break{{ObjectUnexpected, fmt.Sprintf("%d versions of an object that no entry knows", p.Others)}}
	}
	if p.File != nil && p.File.Object != p.Key { // the file of an operation that was repeated long after its end
		p.File = nil
	}
	return append(p.recordBreaks(), p.objectBreaks()...)
}

// recordBreaks compares the entry with its file.
func (p Pair) recordBreaks() []Break {
	e, f := *p.Entry, p.File
	switch {
	case e.State == ObjectDoomed && f == nil:
		return nil
	case f == nil:
		return []Break{{FileMissing, fmt.Sprintf("the entry of its object is %s, and there is no such file", e.State)}}
	case e.State == ObjectPending && f.Status == Pending,
		e.State == ObjectUploaded && f.Status == Uploaded && e.Revision == f.Revision:
		return nil
	default:
		return []Break{{FileDiffers, fmt.Sprintf("the file is %s with revision %q, and the entry of its object %s with %q",
			f.Status, f.Revision, e.State, e.Revision)}}
	}
}

// objectBreaks compares the entry, and the size of its file, with the versions of the object.
func (p Pair) objectBreaks() []Break {
	if p.Entry.State != ObjectUploaded {
		return nil
	}
	if p.Checked == nil {
		return []Break{{ObjectMissing, fmt.Sprintf("revision %q is not there; %d others are", p.Entry.Revision, p.Others)}}
	}
	var found []Break
	if p.File != nil && p.Checked.Size != p.File.Size {
		found = append(found, Break{ObjectDiffers, fmt.Sprintf("the object has %d bytes, and the file %d", p.Checked.Size,
			p.File.Size)})
	}
	if p.Others > 0 {
		found = append(found, Break{ObjectDuplicate, fmt.Sprintf("%d versions beside the one that was checked", p.Others)})
	}
	return found
}

// pastAll follows every key that begins with Prefix, because the character "0" follows "/".
const pastAll = "files0"

// ShardRange returns the range of a shard's keys. The keys are greater than after, and at most last. Each key with
// Prefix is in one shard.
func ShardRange(shard int) (after, last string) {
	if shard > 0 {
		after = shardPrefix(shard)
	}
	if shard == Shards-1 {
		return after, pastAll
	}
	return after, shardPrefix(shard + 1)
}

// Match pairs entries with the versions of objects, up to the key last. The pairs have no files yet. Entries and
// objects must be in the order of keys, and the pairs have the same order. Match holds only one entry and one version
// in memory. An error of either sequence ends the walk.
func Match(entries iter.Seq2[Entry, error], objects iter.Seq2[Listed, error], last string) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		nextEntry, stopEntries := iter.Pull2(entries)
		defer stopEntries()
		nextObject, stopObjects := iter.Pull2(objects)
		defer stopObjects()
		m := matching{entries: source[Entry]{next: nextEntry}, objects: source[Listed]{next: nextObject}, last: last}
		m.entries.read()
		m.objects.read()
		for {
			p, ok, err := m.readPair()
			if err != nil {
				yield(Pair{}, err)
			}
			if err != nil || !ok || !yield(p, nil) {
				return
			}
		}
	}
}

// source is a sequence whose next value has been read.
type source[T any] struct {
	next  func() (T, error, bool)
	value T
	ok    bool // value is set
	err   error
}

func (s *source[T]) read() { s.value, s.err, s.ok = s.next() }

// matching has the positions in both sequences.
type matching struct {
	entries source[Entry]
	objects source[Listed]
	last    string
}

// readPair reads the next pair. It returns false at the end.
func (m *matching) readPair() (p Pair, ok bool, err error) {
	e, o := &m.entries, &m.objects
	if err := cmp.Or(e.err, o.err); err != nil {
		return p, false, err
	}
	hasEntry, hasObject := e.ok && e.value.Key <= m.last, o.ok && o.value.Key <= m.last
	switch {
	case hasEntry && (!hasObject || e.value.Key <= o.value.Key):
		entry := e.value
		p.Key, p.Entry = entry.Key, &entry
		e.read()
	case hasObject:
		p.Key = o.value.Key
	default:
		return p, false, nil
	}
	for o.err == nil && o.ok && o.value.Key == p.Key {
		p.Add(o.value)
		o.read()
	}
	return p, true, o.err // some of the pair's versions may not have been read
}
