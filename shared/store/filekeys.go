package store

import (
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// The keys of files, collections and their objects, as the table in keys.go lists them.

const (
	filePrefix             = "FILE#"
	listedFilePrefix       = "FILES#"
	collectionPrefix       = "COLLECTION#"
	listedCollectionPrefix = "COLLECTIONS#"
)

func fileKey(t identity.Tenant, id string) key { return key{KindFiles.of(t), filePrefix + bounded(id)} }

func fileCountKey(t identity.Tenant) key { return key{KindFiles.of(t), "COUNT#FILES"} }

func collectionKey(t identity.Tenant, id string) key {
	return key{KindFiles.of(t), collectionPrefix + bounded(id)}
}

func collectionCountKey(t identity.Tenant) key { return key{KindFiles.of(t), "COUNT#COLLECTIONS"} }

// listedKey returns the key of a listed file or collection. Keys sort by the time of creation.
func listedKey(t identity.Tenant, prefix string, created time.Time, id string) key {
	return key{KindFiles.of(t), prefix + micros(created) + "#" + id}
}

// listedID returns the id in a key of listedKey.
func (k key) listedID() string { return k.SK[strings.LastIndex(k.SK, "#")+1:] }

// objectPartition returns the partition of the entries of a shard's objects.
func objectPartition(shard int) string {
	return KindObjects.named(file.ShardName(shard))
}

// objectKey returns the key of an object's entry. The object's own key is random, so its first digit spreads the
// entries evenly.
func objectKey(object string) key {
	id := file.ObjectID(object)
	return key{KindObjects.named(id[:min(1, len(id))]), bounded(id)}
}
