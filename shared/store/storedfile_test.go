package store_test

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedFiles = map[string]stored{
	"CreateFile": {
		sets: "Version is 1",
		write: func(w fixture) []storedtest.Read {
			c := w.storeCollection()
			f := w.storeFile(c)
			c.Files++
			c.Version++
			return append(w.files(f.Entry(w.tenant), only(c), f), w.fileAgain(f), w.counted(1))
		},
		unseen: storedtest.NotRead{"FILE write_id": notRead, "COLLECTION write_id": notRead, objectID + " write_id": notRead},
	},
	"UpdateFile, completed": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			c := w.storeCollection()
			f := w.markUploaded(w.storeFile(c))
			c.Files++
			c.Version++
			entry := f.Entry(w.tenant).Follow(f)
			entry.Version = 1
			return append(w.files(entry, only(c), f), w.fileAgain(f), w.counted(1))
		},
		unseen: storedtest.NotRead{"FILE write_id": notRead, "COLLECTION write_id": notRead, objectID + " write_id": notRead},
	},
	"UpdateFile, moved": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			to, from := w.storeCollection(), w.storeCollection()
			f := w.storeFile(from)
			f.Collection, f.Version = to.ID, 2
			got, err := w.UpdateFile(w.Context(), w.actor(), w.tenant, f.ID, func(before file.File) (file.File, error) {
				return before.Move(to.ID, f.UpdatedAt), nil
			})
			wantAnswer(w, f, got, err)
			from.Version, to.Version = 3, 2
			to.Files++
			return append(w.files(f.Entry(w.tenant), []file.Collection{to, from}, f), w.counted(1))
		},
		unseen: storedtest.NotRead{"FILE write_id": notRead, "COLLECTION write_id": notRead, objectID + " write_id": notRead},
	},
	"DeleteFile": {
		sets: "its object is doomed; it expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			c := w.storeCollection()
			f := w.markUploaded(w.storeFile(c))
			got, err := w.DeleteFile(w.Context(), w.actor(), w.tenant, f.ID, "deletion")
			wantAnswer(w, f, got, err)
			c.Version = 3
			entry := f.Entry(w.tenant).Follow(f).Doom(w.Now())
			entry.Version = 2
			return append(w.files(entry, only(c)), w.fileAgain(f), w.counted(1), w.expiries(start.AddDate(0, 0, 31)),
				storedtest.Expect("the deletion again", f, func(ctx context.Context) (file.File, error) {
					return w.DeleteFile(ctx, byTest, w.tenant, f.ID, "deletion")
				}))
		},
		unseen: storedtest.NotRead{"COLLECTION write_id": notRead, objectID + " write_id": notRead},
	},
	"DropFile": {
		sets: "its object is doomed; it expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			c := w.storeCollection()
			f := w.storeFile(c)
			got, err := w.DropFile(w.Context(), w.actor(), w.tenant, f.ID, "completion", "The content is another.")
			wantAnswer(w, f, got, err)
			c.Version = 3
			entry := f.Entry(w.tenant).Doom(w.Now())
			entry.Version = 1
			type dropped struct {
				File   file.File
				Reason string
			}
			return append(w.files(entry, only(c)), w.fileAgain(f), w.counted(1), w.expiries(start.AddDate(0, 0, 31)),
				storedtest.Expect("DroppedFile", dropped{f, "The content is another."},
					func(ctx context.Context) (dropped, error) {
						was, reason, err := w.DroppedFile(ctx, w.tenant, f.ID, "completion")
						return dropped{was, reason}, err
					}))
		},
		unseen: storedtest.NotRead{"COLLECTION write_id": notRead, objectID + " write_id": notRead},
	},
	"SaveObject": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			entry := storedtest.Fill(w, w.Filler, func(e *file.Entry) { e.Key = file.Prefix + objectID })
			entry.Version = 0 // none is stored yet
			w.must(w.SaveObjectEntry(w.Context(), entry))
			return w.objects(entry)
		},
		unseen: storedtest.NotRead{objectID + " write_id": notRead},
	},
}

var storedCollections = map[string]stored{
	"CreateCollection": {
		sets: "Version is 1",
		write: func(w fixture) []storedtest.Read {
			c := w.storeCollection()
			return append(w.collections(c), storedtest.Expect("the creation again", c,
				func(ctx context.Context) (file.Collection, error) {
					return w.CreateCollection(ctx, byTest, w.tenant, file.Collection{ID: c.ID, Name: "as asked"})
				}))
		},
		unseen: storedtest.NotRead{"COLLECTION write_id": notRead},
	},
	"UpdateCollection": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			c := w.storeCollection()
			c.Status, c.Name = file.Archived, "another"
			got, err := w.UpdateCollection(w.Context(), w.actor(), w.tenant, c.ID,
				func(file.Collection) (file.Collection, error) { return c, nil })
			c.Version = 2
			wantAnswer(w, c, got, err)
			return w.collections(c)
		},
		unseen: storedtest.NotRead{"COLLECTION write_id": notRead},
	},
}

// objectID is the digits in the key of the stored object.
const objectID = "a0112233445566778899aabbccddeeff"

// storeCollection stores a collection with all its fields.
func (w fixture) storeCollection() file.Collection {
	w.Helper()
	c := storedtest.Fill(w, w.Filler, func(c *file.Collection) { c.Status, c.Metadata = file.Open, `{"a":1}` })
	got, err := w.CreateCollection(w.Context(), w.actor(), w.tenant, c)
	c.Version = 1
	wantAnswer(w, c, got, err)
	return c
}

// storeFile stores a file in the collection, with all its fields except the fields that the completion sets.
func (w fixture) storeFile(c file.Collection) file.File {
	w.Helper()
	f := storedtest.Fill(w, w.Filler, func(f *file.File) {
		f.Collection, f.Object, f.Metadata, f.Status = c.ID, file.Prefix+objectID, `{"a":1}`, file.Pending
	})
	f.Revision, f.UploadedAt = "", time.Time{}
	got, err := w.CreateFile(w.Context(), w.actor(), w.tenant, f)
	f.Version = 1
	wantAnswer(w, f, got, err)
	return f
}

// markUploaded returns the file after its upload.
func (w fixture) markUploaded(f file.File) file.File {
	w.Helper()
	seen := storedtest.Fill[file.Content](w, w.Filler)
	got, err := w.UpdateFile(w.Context(), w.actor(), w.tenant, f.ID, func(f file.File) (file.File, error) {
		return f.Complete(seen, w.Now()), nil
	})
	f = f.Complete(seen, w.Now())
	f.Version = 2
	wantAnswer(w, f, got, err)
	return f
}

// files expects the tenant's files, their collection and their object from each read. The version of the parameter
// entry is one below the stored version.
func (w fixture) files(entry file.Entry, collections []file.Collection, want ...file.File) []storedtest.Read {
	reads := append(w.objects(entry), w.collections(collections...)...)
	reads = append(reads, w.listedFiles("", "", want...), w.listedFiles("", collections[0].ID, want...))
	byObject := map[string]file.File{}
	for _, f := range want {
		byObject[f.Object] = f
		reads = append(reads, w.listedFiles(f.Status, "", f),
			storedtest.Expect("File", f, func(ctx context.Context) (file.File, error) {
				return w.File(ctx, w.tenant, f.ID)
			}))
	}
	return append(reads, storedtest.Expect("FilesOf", byObject, func(ctx context.Context) (map[string]file.File, error) {
		return w.FilesOf(ctx, []file.Entry{entry})
	}))
}

func (w fixture) listedFiles(status file.Status, collection string, want ...file.File) storedtest.Read {
	filter := store.FileFilter{Status: status, Collection: collection}
	return storedtest.Expect("Files", page[file.File]{want, len(want)},
		func(ctx context.Context) (page[file.File], error) {
			found, total, err := w.Files(ctx, w.tenant, filter, 0, 10)
			return page[file.File]{found, total}, err
		})
}

func only(c file.Collection) []file.Collection { return []file.Collection{c} }

// page is a page of a list, and the number of items on all pages.
type page[T any] struct {
	Items []T
	Total int
}

// objects expects the only object from each read.
func (w fixture) objects(entry file.Entry) []storedtest.Read {
	entry.Version++
	var due []store.Due
	if !entry.DueAt.IsZero() {
		due = append(due, store.Due{Object: entry.Key})
	}
	const shard = 10 // of the digit a
	return []storedtest.Read{
		storedtest.Expect("Object", entry, func(ctx context.Context) (file.Entry, error) {
			return w.ObjectEntry(ctx, entry.Key)
		}),
		storedtest.Expect("Objects", []file.Entry{entry}, func(ctx context.Context) ([]file.Entry, error) {
			return collect(w.ObjectEntries(ctx, shard, ""))
		}),
		w.dueItems(due...),
	}
}

// fileAgain expects the stored file from a repeated creation, not the file in the request.
func (w fixture) fileAgain(want file.File) storedtest.Read {
	return storedtest.Expect("the creation again", want, func(ctx context.Context) (file.File, error) {
		return w.CreateFile(ctx, byTest, w.tenant, file.File{ID: want.ID, Name: "as asked"})
	})
}

// counted expects the count of files, which only writes read. Files whose objects are not gone count too.
func (w fixture) counted(want int) storedtest.Read { return w.count("COUNT#FILES", want) }

func (w fixture) count(sortKey string, want int) storedtest.Read {
	return storedtest.Expect(sortKey, &want, func(ctx context.Context) (*int, error) {
		_, table := w.Raw()
		var got struct {
			Count *int `dynamo:"count"`
		}
		err := table.Get("pk", "FILES#"+w.tenant.String()).Range("sk", dynamo.Equal, sortKey).One(ctx, &got)
		return got.Count, err
	})
}

// collections expects the tenant's collections, all of one status, from each read.
func (w fixture) collections(want ...file.Collection) []storedtest.Read {
	reads := []storedtest.Read{w.audited(w.tenant.Merchant), w.count("COUNT#COLLECTIONS", len(want)),
		storedtest.Expect("Collections", page[file.Collection]{want, len(want)},
			func(ctx context.Context) (page[file.Collection], error) {
				found, total, err := w.Collections(ctx, w.tenant, []file.CollectionStatus{want[0].Status}, 0, 10)
				return page[file.Collection]{found, total}, err
			})}
	for _, c := range want {
		reads = append(reads, storedtest.Expect("Collection", c, func(ctx context.Context) (file.Collection, error) {
			return w.Collection(ctx, w.tenant, c.ID)
		}))
	}
	return reads
}
