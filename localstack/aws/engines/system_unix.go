//go:build unix

package engines

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's Ctrl-C from the child: it goes to us first, and we stop the child in order.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends the child and whatever it started. An error means that it is gone already.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

// tryLock takes an exclusive lock that the kernel gives back when the process ends; false when another holds it.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
