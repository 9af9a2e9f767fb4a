//go:build unix

package platform

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes a lock that the kernel gives back when the process ends; false when another process holds it.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlock gives the lock back at once. Closing the file does not: a process that is being started may have it open, too, for
// a moment.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
