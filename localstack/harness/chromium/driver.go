package chromium

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

// command is a command for driver.mjs. driver.mjs documents each command.
type command map[string]any

// driver is a running driver.mjs with its Chromium. The whole test process shares one driver. driver.mjs ends when its
// input is closed, so it ends with the test process.
type driver struct {
	mu      sync.Mutex
	input   io.Writer
	waiting map[string]chan answer
	ended   error // nil while the driver runs
	stderr  bytes.Buffer
}

type answer struct {
	ID     string
	Result json.RawMessage
	Error  string
}

var (
	startMutex sync.Mutex
	running    *driver
)

func ensureDriver(tb testing.TB, chromium string) *driver {
	tb.Helper()
	startMutex.Lock()
	defer startMutex.Unlock()
	if running == nil {
		program := enginetest.NodeContext(context.Background(), tb, "harness/chromium/driver.mjs")
		program.Args = append(program.Args, chromium, os.Getenv("CASHWRAP_SCREENSHOTS"))
		d, err := startDriver(program)
		if err != nil {
			tb.Fatal(err)
		}
		running = d
	}
	return running
}

func startDriver(program *exec.Cmd) (*driver, error) {
	d := &driver{waiting: map[string]chan answer{}}
	program.Stderr = &d.stderr
	input, err := program.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := program.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.input = input
	if err := program.Start(); err != nil {
		return nil, err
	}
	go d.readAnswers(output, program.Wait)
	return d, nil
}

// readAnswers passes answers to their callers until the output ends.
func (d *driver) readAnswers(output io.Reader, wait func() error) {
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			a.Error = err.Error()
		}
		d.mu.Lock()
		to := d.waiting[a.ID]
		delete(d.waiting, a.ID)
		d.mu.Unlock()
		if to != nil {
			to <- a
		}
	}
	err := wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = fmt.Errorf("the driver of the browser has ended: %w: %s", errors.Join(io.EOF, err), d.stderr.String())
	for _, to := range d.waiting {
		to <- answer{Error: d.ended.Error()}
	}
}

// do sends a command, and decodes the answer into result if result is not nil. A failure ends the test.
func (d *driver) do(tb testing.TB, c command, result any) {
	tb.Helper()
	got, err := d.send(c)
	if err == nil && got.Error != "" {
		err = errors.New(got.Error)
	}
	if err == nil && result != nil && len(got.Result) > 0 {
		err = json.Unmarshal(got.Result, result)
	}
	if err != nil {
		tb.Fatalf("%v %v %v: %v", c["do"], c["element"], c["method"], err)
	}
}

func (d *driver) send(c command) (answer, error) {
	id, to := newID(), make(chan answer, 1)
	c["id"] = id
	line, err := json.Marshal(c)
	if err != nil {
		return answer{}, err
	}
	d.mu.Lock()
	if d.ended != nil {
		d.mu.Unlock()
		return answer{}, d.ended
	}
	d.waiting[id] = to
	_, err = d.input.Write(append(line, '\n'))
	d.mu.Unlock()
	if err != nil {
		return answer{}, err
	}
	return <-to, nil
}
