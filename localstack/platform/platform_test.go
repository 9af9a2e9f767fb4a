package platform

import (
	"net"
	"strings"
	"testing"
)

func TestATakenPortIsNamed(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Port: taken.Addr().(*net.TCPAddr).Port}
	if err := c.checkPort(); err == nil || !strings.Contains(err.Error(), "is taken") {
		t.Errorf("error %v", err)
	}
	taken.Close()
	// Another test may have taken that port at once, so the free one is of the system's choice.
	if err := (Config{Port: 0}).checkPort(); err != nil {
		t.Error(err)
	}
}
