package file_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

// validator is the JDK's validator in a second process. That process ends when its input ends, so it never outlives the
// test.
type validator struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Reader
}

// sharedValidator returns the validator that all tests share. It returns false if this run leaves out the tests that
// need more than Go. These tests need a JDK.
func sharedValidator(t *testing.T) (*validator, bool) {
	t.Helper()
	if !enginetest.All(t) {
		return nil, false
	}
	v, err := started()
	if err != nil {
		t.Fatal(err)
	}
	return v, true
}

var started = sync.OnceValues(func() (*validator, error) {
	command := exec.Command("java", "-XX:TieredStopAtLevel=1", // this flag makes the JVM start faster
		filepath.Join("testdata", "Validate.java"), filepath.Join("testdata", "pain.001.001.09.xsd"))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &validator{in: in, out: bufio.NewReader(out)}, command.Start()
})

// validate returns the document's first fault, or "" if the document is valid.
func (v *validator) validate(document []byte) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	framed := binary.BigEndian.AppendUint32(nil, uint32(len(document)))
	if _, err := v.in.Write(append(framed, document...)); err != nil {
		return "", err
	}
	line, err := v.out.ReadString('\n')
	if line = strings.TrimSpace(line); line == "valid" {
		line = ""
	}
	return line, err
}
