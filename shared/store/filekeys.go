package store

import (
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// The keys of files, of collections and of their objects, as the table in keys.go lists them.

const (
	filePrefix            = "FILE#"
	fileEntryPrefix       = "FILES#"
	collectionPrefix      = "COLLECTION#"
	collectionEntryPrefix = "COLLECTIONS#"
)

func fileKey(t identity.Tenant, id string) key { return key{KindFiles.of(t), filePrefix + bounded(id)} }

func deletedFileKey(t identity.Tenant, id string) key {
	return key{KindFiles.of(t), deletedPrefix + bounded(id)}
}

func fileCountKey(t identity.Tenant) key { return key{KindFiles.of(t), "COUNT#FILES"} }

func collectionKey(t identity.Tenant, id string) key {
	return key{KindFiles.of(t), collectionPrefix + bounded(id)}
}

func collectionCountKey(t identity.Tenant) key { return key{KindFiles.of(t), "COUNT#COLLECTIONS"} }

// listedKey is of an entry in a list in the order of creation.
func listedKey(t identity.Tenant, prefix string, created time.Time, id string) key {
	return key{KindFiles.of(t), prefix + micros(created) + "#" + id}
}

// listedID is the id in the key of such an entry.
func (k key) listedID() string { return k.SK[strings.LastIndex(k.SK, "#")+1:] }

// objectPartition is that of a shard.
func objectPartition(shard int) string {
	return KindObjects.named(file.Digits(file.ShardPrefix(shard)))
}

// objectKey is of an object's entry. The object's key is random, so its first digit spreads the entries evenly.
func objectKey(object string) key {
	random := file.Digits(object)
	return key{KindObjects.named(random[:min(1, len(random))]), bounded(random)}
}
