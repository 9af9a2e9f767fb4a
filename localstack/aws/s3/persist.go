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
	// LogName is the name of an Engine's log in its folder.
	LogName = "objects"
	// contents is the folder in it that has a file for each version.
	contents   = "versions"
	unfinished = ".new" // after the name of a file that is being written
	private    = 0o600
)

// note is a record of the log: a bucket that was made, or a version that was added to it or removed.
type note struct {
	Bucket  string   `json:"bucket"`
	Key     string   `json:"key,omitempty"`
	Added   *version `json:"added,omitempty"`
	Removed string   `json:"removed,omitempty"` // id
}

// Open returns an Engine that keeps its objects in the folder, and restores all that was acknowledged. What the disk
// refuses does not happen and gets InternalError. Errors: those of [wal.Open], missing content.
func Open(c Config, dir string, options wal.Options) (*Engine, error) {
	e := New(c)
	o := e.objects
	o.folder = filepath.Join(dir, contents)
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return nil, err
	}
	log, err := wal.OpenNotes(dir, LogName, options, o.read, o.notes, o.notice)
	if err != nil {
		return nil, err
	}
	o.log = log
	if err := o.tidy(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return e, nil
}

// Close ends the log of an engine that Open has made.
func (e *Engine) Close() error {
	e.objects.mu.Lock()
	defer e.objects.mu.Unlock()
	return e.objects.log.Close()
}

// Refused returns why the log of an engine that Open has made refused the last record; nil when it took it.
func (e *Engine) Refused() error { return e.objects.log.Refused() }

func (o *objects) path(id string) string { return filepath.Join(o.folder, id) }

// add adds a version: its content has its name before the log has the version. Callers hold mu.
func (o *objects) add(name, key string, v *version) error {
	if o.folder != "" && !v.Deletion {
		err := os.WriteFile(o.path(v.ID)+unfinished, v.content, private)
		if err == nil {
			err = os.Rename(o.path(v.ID)+unfinished, o.path(v.ID))
		}
		if err != nil {
			return errors.Join(err, o.drop(v.ID+unfinished))
		}
		v.content = nil
	}
	if err := o.log.Keep(note{Bucket: name, Key: key, Added: v}); err != nil {
		return errors.Join(err, o.drop(v.ID))
	}
	o.buckets[name][key] = append(o.buckets[name][key], v)
	return nil
}

// remove removes a version: its content when the log does not have it any more. Callers hold mu.
func (o *objects) remove(name, key string, v *version) error {
	if err := o.log.Keep(note{Bucket: name, Key: key, Removed: v.ID}); err != nil {
		return err
	}
	o.forget(name, key, v.ID)
	if err := o.drop(v.ID); err != nil {
		o.notice(err) // the next Open removes it
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

// drop removes a file, if there is one.
func (o *objects) drop(file string) error {
	if o.folder == "" {
		return nil
	}
	if err := os.Remove(o.path(file)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tidy removes files of no version, which a process left that ended while it worked. Error: content that is missing.
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
		if err := o.drop(file); err != nil {
			return err
		}
	}
	return nil
}

// notes returns everything there is now.
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

func (o *objects) read(n note) error {
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
