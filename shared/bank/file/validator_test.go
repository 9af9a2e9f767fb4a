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

// validator is the JDK's, in its own process, which ends with its input, so with
// this process at the latest.
type validator struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Reader
}

// schema is the validator for all tests; false unless this run plays what needs more than Go, here a JDK.
func schema(t *testing.T) (*validator, bool) {
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
	command := exec.Command("java", "-XX:TieredStopAtLevel=1", // it starts faster
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

// validate returns what is wrong with the document; "" if it is valid.
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
