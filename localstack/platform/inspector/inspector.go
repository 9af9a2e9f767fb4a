// Package inspector shows a developer, on /sandbox and to commands, the platform's requests with their steps and calls,
// and its callbacks with their signatures. It watches from outside the functions: before the HTTP API, and on the way
// to the table, the acquirer and receivers; of a function in another process only requests. It keeps only the latest,
// in memory. Secrets are hidden within seconds, before anything is shown (package redact).
package inspector

import (
	"slices"
	"sync"
	"time"
)

// Limits of what is kept.
const (
	maxRequests  = 200
	maxCallbacks = 100
	maxBody      = 64 << 10 // bytes of a body that are recorded
)

// digestInterval is how long events wait to be made readable while nobody looks. Most of a flood never is, at no cost.
const digestInterval = 5 * time.Second

// Inspector watches one platform. It is safe for concurrent use.
type Inspector struct {
	closed    chan struct{}
	close     func()
	ended     sync.WaitGroup
	urgent    chan struct{} // somebody looks
	digesting sync.Mutex    // one digest at a time

	mu        sync.Mutex
	waiting   []func()    // make readable what has happened, the latest last
	requests  []*Request  // the latest last
	callbacks []*Callback // likewise
	watchers  map[chan struct{}]bool
	listeners []*listener
	site      *site // nil until Serve
}

// New returns an inspector that records until Close.
func New() *Inspector {
	i := &Inspector{closed: make(chan struct{}), urgent: make(chan struct{}, 1), watchers: map[chan struct{}]bool{}}
	i.close = sync.OnceFunc(func() { close(i.closed) })
	i.ended.Go(i.record)
	return i
}

// Close ends the pages and streams that are open. It may be called again.
func (i *Inspector) Close() {
	i.close()
	i.ended.Wait()
}

// record makes readable what waits, beside the requests themselves: their replies do not wait for it.
func (i *Inspector) record() {
	tick := time.NewTicker(digestInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-i.urgent:
		case <-i.closed:
			return
		}
		i.settle()
	}
}

// later has something made readable: soon if somebody watches.
func (i *Inspector) later(do func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.waiting = latest(append(i.waiting, do), maxRequests)
	if len(i.watchers) > 0 {
		select {
		case i.urgent <- struct{}{}:
		default: // it is on its way
		}
	}
}

// settle digests the events so far, so that they can be read.
func (i *Inspector) settle() {
	i.digesting.Lock()
	defer i.digesting.Unlock()
	i.mu.Lock()
	waiting := i.waiting
	i.waiting = nil
	i.mu.Unlock()
	for _, do := range waiting {
		do()
	}
}

func (i *Inspector) addRequest(r *Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.requests = latest(append(i.requests, r), maxRequests)
	i.changed()
}

func (i *Inspector) addCallback(c *Callback) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.callbacks = latest(append(i.callbacks, c), maxCallbacks)
	i.changed()
}

// latest returns the end of a list, in its place: what comes before is not held any more.
func latest[T any](list []T, most int) []T { return slices.Delete(list, 0, max(0, len(list)-most)) }

func (i *Inspector) forget() {
	i.settle()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.requests, i.callbacks = nil, nil
}

// Changed says that what the page shows of the platform may have changed.
func (i *Inspector) Changed() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.changed()
}

func (i *Inspector) changed() {
	for watcher := range i.watchers {
		select {
		case watcher <- struct{}{}:
		default: // it looks soon anyway
		}
	}
}

// watch gets a signal after changes, until stop.
func (i *Inspector) watch() (changes <-chan struct{}, stop func()) {
	signal := make(chan struct{}, 1)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.watchers[signal] = true
	return signal, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.watchers, signal)
	}
}

// Requests are the latest ones, the latest first.
func (i *Inspector) Requests() []*Request {
	i.mu.Lock()
	defer i.mu.Unlock()
	return newestFirst(i.requests)
}

// Request returns the request of that X-Request-Id; nil if it is not kept.
func (i *Inspector) Request(id string) *Request {
	for _, r := range i.Requests() {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Callbacks returns the latest attempts to deliver one, the latest first.
func (i *Inspector) Callbacks() []*Callback {
	i.mu.Lock()
	defer i.mu.Unlock()
	return newestFirst(i.callbacks)
}

func newestFirst[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
