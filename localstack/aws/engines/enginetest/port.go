package enginetest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
)

const (
	// leastPort begins a range that the kernel does not use for port 0 (Linux: from 32768, macOS: from 49152).
	leastPort = 20_000
	ports     = 10_000
)

var (
	firstPort = rand.Uint32N(ports) // at random, because several test processes take ports at the same time
	taken     atomic.Uint32
)

// FreePort returns a free port of 127.0.0.1, a different one each time. While nothing listens there, connections are
// refused: no program gets the port by listening on port 0.
func FreePort(tb testing.TB) int {
	tb.Helper()
	for range ports {
		port := leastPort + int((firstPort+taken.Add(1))%ports)
		if listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			listener.Close()
			return port
		}
	}
	tb.Fatal("got no free port, want one")
	return 0
}
