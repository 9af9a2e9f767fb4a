package file

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Shards is the number of partitions over which the entries of objects are spread, by the first digit after Prefix.
const Shards = 16

const shardDigits = "0123456789abcdef"

// NewKey returns a random key for an object, so that the key names neither the merchant nor the file.
func NewKey() string {
	var random [16]byte
	rand.Read(random[:]) //nolint:errcheck // it never fails (crypto/rand)
	return Prefix + hex.EncodeToString(random[:])
}

// ObjectID returns the part of a key after Prefix. It identifies the object's entry, and the object in messages.
func ObjectID(key string) string { return strings.TrimPrefix(key, Prefix) }

var objectID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// IsObjectID returns true if a text can be the ObjectID of a key from NewKey.
func IsObjectID(text string) bool { return objectID.MatchString(text) }

// ShardName returns the first digit of the ObjectIDs in a shard. Shards are 0 to Shards-1.
func ShardName(shard int) string { return shardDigits[shard : shard+1] }

func shardPrefix(shard int) string { return Prefix + ShardName(shard) }

// State is the state of an object.
type State string

// The states of objects. A doomed object has no file any more, and is to be deleted.
const (
	ObjectPending  State = "pending"
	ObjectUploaded State = "uploaded"
	ObjectDoomed   State = "doomed"
)

// Waiting times of objects.
const (
	lateUpload = time.Hour        // time after a link's end, for an upload that began in time and for clocks that differ
	resendTime = 15 * time.Minute // time until an unanswered message to delete an object is sent again
)

// Entry is the platform's record of one object. It is stored before anything can be uploaded, and kept until the object
// is gone for good. So records and objects never disagree, even if a process dies.
type Entry struct {
	Key       string          `dynamo:"-"` // key of the object
	Tenant    identity.Tenant `dynamo:"tenant"`
	File      string          `dynamo:"file"` // id of the file
	State     State           `dynamo:"state"`
	Revision  string          `dynamo:"revision,omitempty"` // the version of the object that was checked
	LinkUntil time.Time       `dynamo:"link_until"`         // when the link to upload it ends
	DueAt     time.Time       `dynamo:"due_at,omitempty"`   // when the sweep processes the entry; zero: never
	Version   int             `dynamo:"version"`
}

// Entry returns the entry of a new file's object.
func (f File) Entry(t identity.Tenant) Entry {
	return Entry{Key: f.Object, Tenant: t, File: f.ID, State: ObjectPending, LinkUntil: f.UploadUntil(),
		DueAt: f.CreatedAt.Add(PendingTime)}
}

// Follow returns the entry after its file was completed.
func (e Entry) Follow(f File) Entry {
	e.State, e.Revision, e.DueAt = ObjectUploaded, f.Revision, time.Time{}
	return e
}

// Doom returns the entry after its file was deleted. The sweep finds the entry until [Entry.Deleted] reports that the
// object is gone.
func (e Entry) Doom(now time.Time) Entry {
	e.State, e.DueAt = ObjectDoomed, now
	return e
}

// Due returns true if the sweep must process the entry.
func (e Entry) Due(now time.Time) bool { return !e.DueAt.IsZero() && !e.DueAt.After(now) }

// Sent returns the doomed entry after the message to delete its object was sent. The sweep processes the entry again
// after resendTime, in case the message was lost.
func (e Entry) Sent(now time.Time) Entry {
	e.DueAt = now.Add(resendTime)
	return e
}

// Deleted returns the doomed entry after all versions of its object were deleted. The parameter at is the time when
// the deletion began. If an upload could arrive after that time, the sweep processes the entry again after the last
// possible upload, and the object is deleted again. Otherwise gone is true, and the caller removes the entry.
func (e Entry) Deleted(at time.Time) (after Entry, gone bool) {
	last := e.LinkUntil.Add(lateUpload)
	if !at.Before(last) {
		return e, true
	}
	e.DueAt = last
	return e, false
}
