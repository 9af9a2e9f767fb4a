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
		t.Errorf("taken port: got error %v, want one that it is taken", err)
	}
	taken.Close()
	// Another test may have taken that port at once, so the free one is of the system's choice.
	if err := (Config{Port: 0}).checkPort(); err != nil {
		t.Errorf("free port: got error %v, want none", err)
	}
}
