package s3

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

const (
	// LogName is the name of an Engine's log inside its folder.
	LogName = "objects"
	// versionsFolder is the subfolder with a file for the content of each version.
	versionsFolder = "versions"
	unfinished     = ".new" // suffix of a file's name while it is written
	private        = 0o600
)

// note is a record of the log: a new bucket, or a version that was added to a bucket or removed.
type note struct {
	Bucket  string   `json:"bucket"`
	Key     string   `json:"key,omitempty"`
	Added   *version `json:"added,omitempty"`
	Removed string   `json:"removed,omitempty"` // version's id
}

// Open returns an Engine that keeps its objects in dir, and restores every acknowledged change. If the disk refuses a
// write, nothing changes and the client gets InternalError. Open fails if content is missing, or with the errors of
// [wal.Open].
func Open(c Config, dir string, options wal.Options) (*Engine, error) {
	e := New(c)
	o := e.objects
	o.folder = filepath.Join(dir, versionsFolder)
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return nil, err
	}
	log, err := wal.OpenNotes(dir, LogName, options, o.applyNote, o.notes, o.notice)
	if err != nil {
		return nil, err
	}
	o.log = log
	if err := o.tidy(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return e, nil
}

// Close closes the log. The Engine must come from Open.
func (e *Engine) Close() error {
	e.objects.mu.Lock()
	defer e.objects.mu.Unlock()
	return e.objects.log.Close()
}

// Refused returns the log's error for the last record, or nil if the log took it. The Engine must come from Open.
func (e *Engine) Refused() error { return e.objects.log.Refused() }

func (o *objects) path(id string) string { return filepath.Join(o.folder, id) }

// add adds a version. It writes the content to its final file before it logs the version. Callers hold mu.
func (o *objects) add(name, key string, v *version) error {
	if o.folder != "" && !v.Deletion {
		err := os.WriteFile(o.path(v.ID)+unfinished, v.content, private)
		if err == nil {
			err = os.Rename(o.path(v.ID)+unfinished, o.path(v.ID))
		}
		if err != nil {
			return errors.Join(err, o.removeFile(v.ID+unfinished))
		}
		v.content = nil
	}
	if err := o.log.Keep(note{Bucket: name, Key: key, Added: v}); err != nil {
		return errors.Join(err, o.removeFile(v.ID))
	}
	o.buckets[name][key] = append(o.buckets[name][key], v)
	return nil
}

// remove removes a version. It logs the removal before it deletes the content. Callers hold mu.
func (o *objects) remove(name, key string, v *version) error {
	if err := o.log.Keep(note{Bucket: name, Key: key, Removed: v.ID}); err != nil {
		return err
	}
	o.forget(name, key, v.ID)
	if err := o.removeFile(v.ID); err != nil {
		o.notice(err) // the next Open deletes the file
	}
	return nil
}

func (o *objects) forget(name, key, id string) {
	b := o.buckets[name]
	b[key] = slices.DeleteFunc(b[key], func(v *version) bool { return v.ID == id })
	if len(b[key]) == 0 {
		delete(b, key)
	}
}

// removeFile deletes a file if it exists.
func (o *objects) removeFile(file string) error {
	if o.folder == "" {
		return nil
	}
	if err := os.Remove(o.path(file)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tidy deletes files without a version, which an interrupted process left behind. It fails if content is missing.
func (o *objects) tidy() error {
	entries, err := os.ReadDir(o.folder)
	if err != nil {
		return err
	}
	there := map[string]int64{}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		there[entry.Name()] = info.Size()
	}
	for _, n := range o.notes() {
		if v := n.Added; v != nil && !v.Deletion {
			if size, ok := there[v.ID]; !ok || size != v.Size {
				return fmt.Errorf("%s, the content of %s, is missing or cut off. Restore it from a copy, or empty everything "+
					"with `make reset`", o.path(v.ID), n.Key)
			}
			delete(there, v.ID)
		}
	}
	for file := range there {
		if err := o.removeFile(file); err != nil {
			return err
		}
	}
	return nil
}

// notes returns the whole state as notes.
func (o *objects) notes() (all []note) {
	for _, name := range slices.Sorted(maps.Keys(o.buckets)) {
		all = append(all, note{Bucket: name})
		for _, key := range slices.Sorted(maps.Keys(o.buckets[name])) {
			for _, v := range o.buckets[name][key] {
				all = append(all, note{Bucket: name, Key: key, Added: v})
			}
		}
	}
	return all
}

func (o *objects) applyNote(n note) error {
	b := o.buckets[n.Bucket]
	switch {
	case n.Key == "" && b == nil && n.Bucket != "":
		o.buckets[n.Bucket] = bucket{}
	case n.Key == "" || b == nil:
		return errors.New("a record names no bucket, or one twice")
	case n.Added != nil:
		b[n.Key] = append(b[n.Key], n.Added)
	default:
		o.forget(n.Bucket, n.Key, n.Removed)
	}
	return nil
}
