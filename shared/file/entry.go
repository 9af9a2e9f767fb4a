package file

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Shards is over how many partitions the entries of objects are spread: by the first digit of what follows Prefix.
const Shards = 16

const shardDigits = "0123456789abcdef"

// NewKey is the key of another object: random, so that it names neither the merchant nor the file.
func NewKey() string {
	var random [16]byte
	rand.Read(random[:]) //nolint:errcheck // it never fails (crypto/rand)
	return Prefix + hex.EncodeToString(random[:])
}

// ObjectID is what a key has after Prefix. It names the object's entry, and the object in messages.
func ObjectID(key string) string { return strings.TrimPrefix(key, Prefix) }

var objectID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// IsObjectID reports whether a text can be the ObjectID of a key that NewKey has made.
func IsObjectID(text string) bool { return objectID.MatchString(text) }

// ShardName begins the ObjectID of each of a shard's objects. Shards are 0 to Shards-1.
func ShardName(shard int) string { return shardDigits[shard : shard+1] }

func shardPrefix(shard int) string { return Prefix + ShardName(shard) }

// State is what is known of an object.
type State string

// The states of objects. A doomed one has no file any more, and is to be deleted.
const (
	ObjectPending  State = "pending"
	ObjectUploaded State = "uploaded"
	ObjectDoomed   State = "doomed"
)

// How long objects are kept or waited for.
const (
	lateUpload = time.Hour        // after the end of a link: for an upload that was begun in time, and clocks that differ
	resendTime = 15 * time.Minute // after which a message that has an object deleted is sent again
)

// Entry is what the platform knows of one object. It is made before anything can be uploaded, and is kept until the
// object is gone for good: so records and objects never disagree, wherever a process dies.
type Entry struct {
	Key       string          `dynamo:"-"` // of the object
	Tenant    identity.Tenant `dynamo:"tenant"`
	File      string          `dynamo:"file"` // id
	State     State           `dynamo:"state"`
	Revision  string          `dynamo:"revision,omitempty"` // the version of the object that was checked
	LinkUntil time.Time       `dynamo:"link_until"`         // when the link to upload it ends
	DueAt     time.Time       `dynamo:"due_at,omitempty"`   // when the sweep looks at it; zero: never
	Version   int             `dynamo:"version"`
}

// Entry is that of a new file's object.
func (f File) Entry(t identity.Tenant) Entry {
	return Entry{Key: f.Object, Tenant: t, File: f.ID, State: ObjectPending, LinkUntil: f.UploadUntil(),
		DueAt: f.CreatedAt.Add(PendingTime)}
}

// Follow is the entry after its file was completed.
func (e Entry) Follow(f File) Entry {
	e.State, e.Revision, e.DueAt = ObjectUploaded, f.Revision, time.Time{}
	return e
}

// Doom is the entry once its file is gone. The sweep finds it until [Entry.Deleted] says that the object is, too.
func (e Entry) Doom(now time.Time) Entry {
	e.State, e.DueAt = ObjectDoomed, now
	return e
}

// Due reports whether the sweep is to look at it.
func (e Entry) Due(now time.Time) bool { return !e.DueAt.IsZero() && !e.DueAt.After(now) }

// Sent is the doomed entry once a message was sent that has its object deleted.
func (e Entry) Sent(now time.Time) Entry {
	e.DueAt = now.Add(resendTime)
	return e
}

// Deleted returns the doomed entry after a deletion of all versions of the object that began at a time; gone: the entry
// is to be removed. Until the link ends somebody could still upload, and the object is deleted once more.
func (e Entry) Deleted(at time.Time) (after Entry, gone bool) {
	last := e.LinkUntil.Add(lateUpload)
	if !at.Before(last) {
		return e, true
	}
	e.DueAt = last
	return e, false
}
