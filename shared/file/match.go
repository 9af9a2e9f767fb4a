package file

import (
	"cmp"
	"fmt"
	"iter"
)

// Pair is what is known of one key: our records of its object, and what S3 has there.
type Pair struct {
	Key     string
	Entry   *Entry  // nil: there is none
	File    *File   // that the entry names; nil: there is none
	Checked *Listed // the version that was checked when the file was completed; nil: it is not there
	Others  int     // all other versions, and marks of deletions
}

// Add counts a version of the key's object.
func (p *Pair) Add(v Listed) {
	if p.Entry != nil && p.Entry.State == ObjectUploaded && !v.Deletion && v.Revision == p.Entry.Revision {
		p.Checked = &v
		return
	}
	p.Others++
}

// BreakKind says what does not match.
type BreakKind string

// The kinds of breaks between files, the entries of their objects, and the objects.
const (
	ObjectUnexpected BreakKind = "object_unexpected"    // it has no entry
	ObjectMissing    BreakKind = "object_missing"       // the version that was checked is not there
	ObjectDiffers    BreakKind = "object_differs"       // that version has another size than the file
	ObjectDuplicate  BreakKind = "object_duplicate"     // there are others than that version
	FileMissing      BreakKind = "file_missing"         // an entry's
	FileDiffers      BreakKind = "file_differs"         // from the entry
	EntryMissing     BreakKind = "object_entry_missing" // a file's
)

// Break is one thing that does not match.
type Break struct {
	Kind BreakKind
	Text string // for operators
}

// Breaks returns what does not match of a key. A doomed entry explains whatever is there, as all of it is to be
// deleted, and a pending one any upload, as the completion checks it.
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
	return append(p.record(), p.object()...)
}

// record compares the entry with its file.
func (p Pair) record() []Break {
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

// object compares the entry, and the size of its file, with the versions of the object.
func (p Pair) object() []Break {
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

// pastAll is after each key that begins with Prefix: "0" follows "/".
const pastAll = "files0"

// ShardRange returns a shard's keys: after the one, up to the other inclusive. Each key with Prefix is in one shard.
func ShardRange(shard int) (after, last string) {
	if shard > 0 {
		after = shardPrefix(shard)
	}
	if shard == Shards-1 {
		return after, pastAll
	}
	return after, shardPrefix(shard + 1)
}

// Match pairs entries with the versions of objects, up to the last key, without their files. Both are in the order of
// keys, and so are the pairs. It keeps one of each in memory. An error of either ends it.
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
			p, ok, err := m.pair()
			if err != nil {
				yield(Pair{}, err)
			}
			if err != nil || !ok || !yield(p, nil) {
				return
			}
		}
	}
}

// source is a sequence of which the next value is known.
type source[T any] struct {
	next  func() (T, error, bool)
	value T
	ok    bool // there is a value
	err   error
}

func (s *source[T]) read() { s.value, s.err, s.ok = s.next() }

// matching is how far both sequences have been read.
type matching struct {
	entries source[Entry]
	objects source[Listed]
	last    string
}

// pair reads the next pair; false: there is none.
func (m *matching) pair() (p Pair, ok bool, err error) {
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
	return p, true, o.err // not all of its versions may have been read
}
