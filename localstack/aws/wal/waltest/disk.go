// Package waltest makes the disk under a log fail. Only tests import it.
package waltest

import (
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// Disk takes writes until its room, zero at first, is used up, except to full files. It is safe for concurrent use.
type Disk struct {
	mu   sync.Mutex
	room int    // bytes
	dead bool   // nothing works any more, as when the process has ended
	full string // text in the names of files for which there is no room
}

// Unlimited is room for all tests.
const Unlimited = 1 << 40

// NewDisk has room for so many bytes.
func NewDisk(room int) *Disk { return &Disk{room: room} }

// Options are for wal.Open.
func (d *Disk) Options() wal.Options { return wal.Options{OpenFile: d.open} }

// SetRoom sets for how many more bytes there is room.
func (d *Disk) SetRoom(room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = room
}

// SetFull leaves no room for files with that text in their names; "" for all files again.
func (d *Disk) SetFull(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = name
}

// Dies makes the disk do nothing more once its room is used up: files stay as that write has left them.
func (d *Disk) Dies() *Disk {
	d.dead = true
	return d
}

// use takes n bytes of room for a file, or what there is.
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

func (d *Disk) gone() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dead && d.room == 0
}

func (d *Disk) open(path string, flag int) (wal.File, error) {
	if d.gone() {
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

// Write writes as much as there is room for.
func (f *file) Write(b []byte) (int, error) {
	room := f.disk.use(f.Name(), len(b))
	n, err := f.File.Write(b[:room])
	if err == nil && room < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}

// Truncate works on a full disk, but not on a dead one.
func (f *file) Truncate(size int64) error {
	if f.disk.gone() {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}
