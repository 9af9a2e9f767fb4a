// Package runtime runs programs as Lambda does on provided.al2023. A Function starts instances of a program: each has a
// deployment's environment, gets one event at a time over the Runtime API, and ends when idle, too slow or not needed
// any more. Unlike Lambda, the package freezes no idle process, limits no memory and uses this machine's network. When
// the maximum number of instances is busy, further calls wait; Lambda would throttle them. Only the local run and tests
// import this package.
package runtime

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// Config configures one function. Name, Program and Timeout are required.
type Config struct {
	Name        string
	Program     string            // absolute path of the bootstrap
	Environment map[string]string // the function's variables, its region, and its role's credentials
	ARN         string
	Timeout     time.Duration // limit of a call, after which its process is killed
	Instances   int           // maximum at the same time; 0 means a new AWS account's limit for all its functions
	Idle        time.Duration // time without a call after which an instance ends; 0 means five minutes
	Log         *slog.Logger  // receives each line that the processes print; nil means slog.Default
}

const (
	defaultInstances = 10
	defaultIdle      = 5 * time.Minute
)

var (
	errStopped = errors.New("runtime: the function is stopped")
	// errGone reports that an instance ended before it received the event.
	errGone = errors.New("runtime: the instance is gone")
)

// Function is a function whose instances are started by calls. It is safe for concurrent use.
type Function struct {
	slots chan struct{} // one per running call

	mu      sync.Mutex
	config  Config
	version int         // of the environment
	idle    []*Instance // in order of last use
	all     map[*Instance]bool
	started int
	stopped bool
}

// New returns a function. The first call starts its first process.
func New(c Config) *Function {
	if c.Instances == 0 {
		c.Instances = defaultInstances
	}
	if c.Idle == 0 {
		c.Idle = defaultIdle
	}
	return &Function{config: c, slots: make(chan struct{}, c.Instances), all: map[*Instance]bool{}}
}

// Invoke makes one call in an instance. It fails with an *Error of the function or its process. If ctx ends during the
// call, Invoke returns ctx's error and kills the process.
func (f *Function) Invoke(ctx context.Context, id string, payload []byte) ([]byte, error) {
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-f.slots }()
	for {
		i, err := f.take(ctx, id)
		if err != nil {
			return nil, err
		}
		reply, err := i.call(ctx, id, payload)
		if errors.Is(err, errGone) && i.calls > 0 { // ended while idle, so take another
			continue
		}
		if errors.Is(err, errGone) {
			err = i.exitError(id)
		}
		f.put(i)
		return reply, err
	}
}

// Stop kills all instances with their calls and returns when their processes have ended.
func (f *Function) Stop() {
	f.mu.Lock()
	f.stopped = true
	var running []*Instance
	for i := range f.all {
		running = append(running, i)
	}
	f.mu.Unlock()
	for _, i := range running {
		i.kill()
	}
	for _, i := range running {
		<-i.ended
	}
}

// SetVariable changes a variable, like a deployment. Idle processes end at once, others after their call.
func (f *Function) SetVariable(name, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	environment := map[string]string{}
	maps.Copy(environment, f.config.Environment)
	environment[name] = value
	f.config.Environment = environment
	f.version++
	for _, i := range f.idle {
		i.kill()
	}
	f.idle = nil
}

// take returns the most recently used idle instance, so that the other idle instances can end. If no instance is idle,
// take returns a new instance.
func (f *Function) take(ctx context.Context, id string) (*Instance, error) {
	f.mu.Lock()
	if last := len(f.idle) - 1; last >= 0 {
		i := f.idle[last]
		f.idle = f.idle[:last]
		f.mu.Unlock()
		i.retirement.Stop()
		return i, nil
	}
	f.started++
	config, version, number := f.config, f.version, f.started
	f.mu.Unlock()

	i, err := spawn(config, number) //nolint:contextcheck // an instance outlives the call that starts it
	if err != nil {
		return nil, err
	}
	i.version = version
	if !f.adopt(i) {
		i.Stop()
		return nil, errStopped
	}
	return i, i.awaitReady(ctx, id)
}

// adopt registers an instance until it ends. It returns false if the function was stopped in the meantime.
func (f *Function) adopt(i *Instance) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return false
	}
	f.all[i] = true
	go func() {
		<-i.ended
		f.forget(i)
	}()
	return true
}

func (f *Function) forget(i *Instance) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, i)
	f.remove(i)
}

// remove removes an instance from the idle ones. It returns false if the instance is not idle.
func (f *Function) remove(i *Instance) bool {
	at := slices.Index(f.idle, i)
	if at >= 0 {
		f.idle = slices.Delete(f.idle, at, at+1)
	}
	return at >= 0
}

// put keeps an instance for the next call, unless it has ended.
func (f *Function) put(i *Instance) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.all[i] || i.hasEnded() {
		return
	}
	if i.version != f.version {
		i.kill()
		return
	}
	f.idle = append(f.idle, i)
	i.retirement = time.AfterFunc(f.config.Idle, func() { f.retire(i) })
}

func (f *Function) retire(i *Instance) {
	f.mu.Lock()
	idle := f.remove(i)
	f.mu.Unlock()
	if idle {
		i.kill()
	}
}
