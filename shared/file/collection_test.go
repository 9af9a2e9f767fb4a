package file_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestCollection_Statuses checks the changes of status, and the changes to files that each status allows.
func TestCollection_Statuses(t *testing.T) {
	t.Parallel()
	all := []file.CollectionStatus{file.Open, file.Closed, file.Archived}
	for _, from := range all {
		before := file.Collection{ID: "col_1", Name: "a", Status: from, UpdatedAt: now}
		for _, to := range all {
			got, err := file.CollectionChange{Status: to}.Apply(before, now.Add(time.Hour))
			want, refused := before, from == file.Archived && to != from
			if !refused && to != from {
				want.Status, want.UpdatedAt = to, now.Add(time.Hour)
			}
			if got != want || failure.Is(err, failure.KindConflict) != refused {
				t.Errorf("%s to %s: got %+v, %v, want %+v", from, to, got, err, want)
			}
		}
		if _, err := (file.CollectionChange{Status: "lost"}).Apply(before, now); failure.Of(err).Param != "status" {
			t.Errorf("%s: got error %v, want an invalid status", from, err)
		}
		if err := before.CheckTakes(); failure.Is(err, failure.KindConflict) != (from != file.Open) {
			t.Errorf("%s: got error %v for a file that comes", from, err)
		}
		if err := before.CheckGives(); failure.Is(err, failure.KindConflict) != (from == file.Archived) {
			t.Errorf("%s: got error %v for a file that leaves", from, err)
		}
	}
}

// TestCollectionChange_Fields checks that sent fields are overwritten, but not in an archived collection.
func TestCollectionChange_Fields(t *testing.T) {
	t.Parallel()
	name, none, metadata := "b", "", member.Metadata(`{"b":1}`)
	for _, status := range []file.CollectionStatus{file.Open, file.Closed, file.Archived} {
		before := file.Collection{ID: "col_1", Name: "a", Description: "about", Metadata: `{"a":1}`, Status: status,
			Files: 3, UpdatedAt: now}
		for what, c := range map[string]struct {
			change file.CollectionChange
			apply  func(*file.Collection)
		}{
			"name":        {file.CollectionChange{Name: &name}, func(c *file.Collection) { c.Name = "b" }},
			"description": {file.CollectionChange{Description: &none}, func(c *file.Collection) { c.Description = "" }},
			"metadata":    {file.CollectionChange{Metadata: &metadata}, func(c *file.Collection) { c.Metadata = metadata }},
			"nothing":     {file.CollectionChange{}, nil},
			"the same":    {file.CollectionChange{Name: &before.Name, Status: status}, nil},
		} {
			want, refused := before, status == file.Archived && c.apply != nil
			if c.apply != nil && !refused {
				c.apply(&want)
				want.UpdatedAt = now.Add(time.Hour)
			}
			got, err := c.change.Apply(before, now.Add(time.Hour))
			if got != want || failure.Is(err, failure.KindConflict) != refused {
				t.Errorf("%s of an %s one: got %+v, %v, want %+v", what, status, got, err, want)
			}
		}
	}
}
