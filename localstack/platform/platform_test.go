package platform

import (
	"net"
	"strings"
	"testing"
)

func TestCheckPort_Taken(t *testing.T) {
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
	// The system picks the free port, because another test may take a fixed one.
	if err := (Config{Port: 0}).checkPort(); err != nil {
		t.Errorf("free port: got error %v, want none", err)
	}
}
