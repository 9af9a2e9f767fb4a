// Package waltest simulates a failing disk under a log. Tests pass a Disk's Options to wal.Open.
package waltest

import (
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// Disk accepts writes until its room is used up. A zero Disk has no room. SetFull makes chosen files refuse writes. A
// Disk is safe for concurrent use.
type Disk struct {
	mu   sync.Mutex
	room int    // bytes
	dead bool   // once its room is used up, every operation fails, as after the end of the process
	full string // part of the names of files without room; "" for none
}

// Unlimited is enough room for every test.
const Unlimited = 1 << 40

// NewDisk returns a disk with room for the given number of bytes.
func NewDisk(room int) *Disk { return &Disk{room: room} }

// Options returns the options that make wal.Open use the disk.
func (d *Disk) Options() wal.Options { return wal.Options{OpenFile: d.open} }

// SetRoom sets the number of bytes that can still be written.
func (d *Disk) SetRoom(room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = room
}

// SetFull makes the disk refuse writes to files whose names contain name. The name "" makes it accept all writes again.
func (d *Disk) SetFull(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = name
}

// Dies makes every operation fail once the room is used up, so that files stay as the last write left them.
func (d *Disk) Dies() *Disk {
	d.dead = true
	return d
}

// use takes up to n bytes of room for a file and returns how many it took.
func (d *Disk) use(path string, n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full != "" && strings.Contains(path, d.full) {
		return 0
	}
	used := min(n, d.room)
	d.room -= used
	return used
}

func (d *Disk) isDead() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dead && d.room == 0
}

func (d *Disk) open(path string, flag int) (wal.File, error) {
	if d.isDead() {
		return nil, syscall.EIO
	}
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &file{f, d}, nil
}

type file struct {
	*os.File
	disk *Disk
}

// Write writes as many bytes as there is room for.
func (f *file) Write(b []byte) (int, error) {
	room := f.disk.use(f.Name(), len(b))
	n, err := f.File.Write(b[:room])
	if err == nil && room < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}

// Truncate works while the room is used up, but not on a dead disk.
func (f *file) Truncate(size int64) error {
	if f.disk.isDead() {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}
