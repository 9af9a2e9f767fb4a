// Package inspector shows a developer the platform's requests with their steps and calls, and its callbacks with their
// signatures. Make an Inspector with New, wrap the platform's handlers and clients by its Watch methods, and call Serve
// to show /sandbox. It watches from outside the functions: before the HTTP API, and on the way to the table, the
// acquirer and receivers. If functions run in other processes, it sees only their requests. It keeps only the latest
// events, in memory, and hides secrets within seconds, before it shows anything (package redact).
package inspector

import (
	"slices"
	"sync"
	"time"
)

// Limits of the recorded events.
const (
	maxRequests  = 200
	maxCallbacks = 100
	maxBody      = 64 << 10 // recorded bytes of a body
)

// digestInterval is the time between two digests of events while no page or command watches. In a flood of events, most
// are dropped before the next digest.
const digestInterval = 5 * time.Second

// Inspector watches one platform. It is safe for concurrent use.
type Inspector struct {
	closed    chan struct{}
	close     func()
	ended     sync.WaitGroup
	urgent    chan struct{} // has an entry when a watcher waits
	digesting sync.Mutex    // allows one digest at a time

	mu        sync.Mutex
	waiting   []func()    // functions that digest raw events, the latest last
	requests  []*Request  // the latest last
	callbacks []*Callback // the latest last
	watchers  map[chan struct{}]bool
	listeners []*listener
	site      *site // nil before Serve
}

// New returns an inspector that records until Close.
func New() *Inspector {
	i := &Inspector{closed: make(chan struct{}), urgent: make(chan struct{}, 1), watchers: map[chan struct{}]bool{}}
	i.close = sync.OnceFunc(func() { close(i.closed) })
	i.ended.Go(i.digestUntilClosed)
	return i
}

// Close ends the open pages and streams. It may be called again.
func (i *Inspector) Close() {
	i.close()
	i.ended.Wait()
}

// digestUntilClosed digests waiting events in the background, so that no reply to a request waits for a digest. To
// measure that:
//
//	go test ./localstack/platform/inspector -run '^$' -bench Requests
func (i *Inspector) digestUntilClosed() {
	tick := time.NewTicker(digestInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-i.urgent:
		case <-i.closed:
			return
		}
		i.digest()
	}
}

// queueDigest queues the digest of an event. The digest runs soon if there are watchers.
func (i *Inspector) queueDigest(do func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.waiting = keepLatest(append(i.waiting, do), maxRequests)
	if len(i.watchers) > 0 {
		select {
		case i.urgent <- struct{}{}:
		default: // already signalled
		}
	}
}

// digest digests the waiting events, so that they can be read.
func (i *Inspector) digest() {
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
	i.requests = keepLatest(append(i.requests, r), maxRequests)
	i.signalWatchers()
}

func (i *Inspector) addCallback(c *Callback) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.callbacks = keepLatest(append(i.callbacks, c), maxCallbacks)
	i.signalWatchers()
}

// keepLatest keeps the last elements of a list, up to the maximum number most. It deletes the older elements in place,
// so that the list no longer holds them in memory.
func keepLatest[T any](list []T, most int) []T { return slices.Delete(list, 0, max(0, len(list)-most)) }

func (i *Inspector) dropRecords() {
	i.digest()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.requests, i.callbacks = nil, nil
}

// Changed announces that the platform's data on the page may have changed.
func (i *Inspector) Changed() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.signalWatchers()
}

func (i *Inspector) signalWatchers() {
	for watcher := range i.watchers {
		select {
		case watcher <- struct{}{}:
		default: // already signalled
		}
	}
}

// watch signals changes until stop is called.
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

// Requests returns the recorded requests, the latest first.
func (i *Inspector) Requests() []*Request {
	i.mu.Lock()
	defer i.mu.Unlock()
	return newestFirst(i.requests)
}

// Request returns the request with an X-Request-Id, or nil if it is not recorded.
func (i *Inspector) Request(id string) *Request {
	for _, r := range i.Requests() {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Callbacks returns the recorded attempts to deliver callbacks, the latest first.
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
