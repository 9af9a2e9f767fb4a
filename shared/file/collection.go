package file

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// CollectionStatus decides which changes a collection allows.
type CollectionStatus string

// The statuses of collections. An open or closed collection can change to any status.
const (
	Open     CollectionStatus = "open"
	Closed   CollectionStatus = "closed"   // takes no files
	Archived CollectionStatus = "archived" // final; takes no change
)

// Values returns all statuses.
func (CollectionStatus) Values() []string {
	return []string{string(Open), string(Closed), string(Archived)}
}

// Collection holds files.
type Collection struct {
	ID          string           `dynamo:"id"`
	Name        string           `dynamo:"name"`
	Description string           `dynamo:"description,omitempty"`
	Metadata    member.Metadata  `dynamo:"metadata,omitempty"`
	Status      CollectionStatus `dynamo:"status"`
	Files       int              `dynamo:"files_count"` // including pending ones
	CreatedAt   time.Time        `dynamo:"created_at"`
	UpdatedAt   time.Time        `dynamo:"updated_at"`
	Version     int              `dynamo:"version"`
}

var (
	errTakesNoFiles = failure.Conflict("The collection is not open. It takes no files.")
	errArchived     = failure.Conflict("The collection is archived. Nothing in it can be changed.")
	errFinal        = failure.Conflict("The collection is archived. It cannot be changed.")
)

// CollectionID returns the id of the collection that an operation makes. The same operation always gets the same id.
func CollectionID(operation string) string {
	return identity.DerivedID("col_", "collection\x00"+operation)
}

// CheckTakes refuses to create or complete a file in the collection, or to move a file to it. Failure: Conflict unless
// open.
func (c Collection) CheckTakes() error {
	if c.Status != Open {
		return errTakesNoFiles
	}
	return nil
}

// CheckGives refuses to move a file out of the collection, or to delete it. Failure: Conflict when archived.
func (c Collection) CheckGives() error {
	if c.Status == Archived {
		return errArchived
	}
	return nil
}

// CollectionChange is an update of a collection. A nil field leaves the collection's field unchanged, and so does an
// empty status.
type CollectionChange struct {
	Status      CollectionStatus `json:"status" validate:"required"`
	Name        *string          `json:"name" validate:"text=255 min=1"`
	Description *string          `json:"description" validate:"lines=1000"` // "" removes it
	Metadata    *member.Metadata `json:"metadata"`                          // replaces all entries
}

// Apply returns the collection after the change. A change without effect keeps the time, and is always allowed.
// Failures: Invalid status; Conflict when the collection is archived.
func (u CollectionChange) Apply(c Collection, now time.Time) (Collection, error) {
	before := c
	switch u.Status {
	case "":
	case Open, Closed, Archived:
		c.Status = u.Status
	default:
		return before, failure.Invalid("status", "must be open, closed or archived")
	}
	if u.Name != nil {
		c.Name = *u.Name
	}
	if u.Description != nil {
		c.Description = *u.Description
	}
	if u.Metadata != nil {
		c.Metadata = *u.Metadata
	}
	if c == before {
		return before, nil
	}
	if before.Status == Archived {
		return before, errFinal
	}
	c.UpdatedAt = now
	return c, nil
}

// ForAudit returns the collection as audit entries show it.
func (c Collection) ForAudit() any {
	return struct {
		Name        string           `json:"name"`
		Description string           `json:"description,omitempty"`
		Metadata    member.Metadata  `json:"metadata,omitzero"`
		Status      CollectionStatus `json:"status"`
	}{c.Name, c.Description, c.Metadata, c.Status}
}
