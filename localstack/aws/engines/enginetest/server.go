package enginetest

import (
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"testing"
	"time"
)

// StartServer starts a server, and waits until it listens on the address. The server ends with the test, and its
// temporary files are the test's. Its standard input ends with the test process, so that it can end then, too.
func StartServer(tb testing.TB, server *exec.Cmd, address string) {
	tb.Helper()
	server.Env = append(server.Environ(), "TMPDIR="+tb.TempDir())
	stop, err := startServer(server, address, time.Minute)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stop)
}

// startServer starts a server, and waits until it listens on the address. If the server ends or takes longer than the
// limit, the error has its standard error.
func startServer(server *exec.Cmd, address string, limit time.Duration) (func(), error) {
	var output bytes.Buffer
	server.Stderr = &output
	if _, err := server.StdinPipe(); err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait()
		close(ended)
	}()
	stop := func() {
		_ = server.Process.Kill()
		<-ended
	}
	tooLate := time.After(limit)
	for {
		if line, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			_ = line.Close()
			return stop, nil
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("%s: %s before it listened on %s:\n%s", server.Path, server.ProcessState, address, &output)
		case <-tooLate:
			stop() // the next round reports it
		case <-time.After(100 * time.Millisecond):
		}
	}
}
