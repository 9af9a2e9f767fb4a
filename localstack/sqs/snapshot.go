package sqs

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

const snapshotVersion = 1

// snapshot is all that an Engine keeps. Times stay absolute: what falls due while nothing runs is due at Load.
type snapshot struct {
	Version int                  `json:"version"`
	Queues  []*queue             `json:"queues"`
	Deleted map[string]time.Time `json:"deleted,omitempty"`
}

// Save writes the state as JSON, the same bytes for the same state. Messages in flight stay so.
func (e *Engine) Save(w io.Writer) error {
	e.mu.Lock()
	s := snapshot{Version: snapshotVersion, Queues: []*queue{}, Deleted: e.deleted}
	for _, name := range slices.Sorted(maps.Keys(e.queues)) {
		s.Queues = append(s.Queues, e.queues[name])
	}
	b, err := json.Marshal(s)
	e.mu.Unlock()
	if err != nil {
		return fmt.Errorf("save queues: %w", err)
	}
	_, err = w.Write(b)
	return err
}

// Load replaces the state by one that Save wrote. After an error nothing has changed.
func (e *Engine) Load(r io.Reader) error {
	var s snapshot
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return fmt.Errorf("load queues: %w", err)
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("load queues: snapshot version %d, this program reads %d", s.Version, snapshotVersion)
	}
	queues := map[string]*queue{}
	for _, q := range s.Queues {
		q.changed = make(chan struct{})
		queues[q.Name] = q
	}
	if s.Deleted == nil {
		s.Deleted = map[string]time.Time{}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, q := range e.queues {
		q.wake()
	}
	e.queues, e.deleted = queues, s.Deleted
	return nil
}
