package engines

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/processgroup"
)

const (
	startLimit = 60 * time.Second
	// stopLimit is the time that an engine has to close its files before it is killed.
	stopLimit = 5 * time.Second
	// ready is the text that both launchers print before the port when they accept requests.
	ready = "listening "
)

// Engine is a running child process.
type Engine struct {
	// Endpoint is the engine's base URL, such as http://127.0.0.1:41234.
	Endpoint string

	cmd      *exec.Cmd
	lifeline io.Closer
	done     chan struct{}
}

// Stop ends the engine and waits until its process has ended and its port is closed. It may be called again.
func (e *Engine) Stop() {
	e.lifeline.Close()
	select {
	case <-e.done:
	case <-time.After(stopLimit):
		processgroup.Kill(e.cmd)
		<-e.done
	}
}

// Done returns a channel that is closed when the process has ended.
func (e *Engine) Done() <-chan struct{} { return e.done }

func start(ctx context.Context, name string, log io.Writer, program string, args ...string) (*Engine, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()

	cmd := exec.Command(program, args...)
	processgroup.Own(cmd)
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out := newOutput(log)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	e := &Engine{cmd: cmd, lifeline: lifeline, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait()  // done and the output say more than the exit status
		_ = out.Close() // stops the scanner; always nil
		<-out.scanned
		close(e.done)
	}()

	select {
	case port := <-out.port:
		e.Endpoint = "http://127.0.0.1:" + port
		return e, nil
	case <-e.done:
		return nil, fmt.Errorf("start %s: it ended at once:\n%s", name, strings.TrimSpace(strings.Join(out.lines, "")))
	case <-ctx.Done():
		processgroup.Kill(cmd)
		<-e.done
		return nil, fmt.Errorf("start %s: %w", name, ctx.Err())
	}
}

// output forwards a child's output to the log. It keeps the first lines for an error report and extracts the port.
type output struct {
	*io.PipeWriter
	port    chan string
	scanned chan struct{}
	lines   []string // read only after scanned is closed
}

const reportLines = 40

func newOutput(log io.Writer) *output {
	if log == nil {
		log = io.Discard
	}
	r, w := io.Pipe()
	o := &output{PipeWriter: w, port: make(chan string, 1), scanned: make(chan struct{})}
	go o.scan(bufio.NewReader(r), log)
	return o
}

// scan reads lines of any length until the child closes its output. A failing log must not block the child.
func (o *output) scan(r *bufio.Reader, log io.Writer) {
	defer close(o.scanned)
	for {
		line, err := r.ReadString('\n')
		if port, ok := strings.CutPrefix(line, ready); ok {
			select {
			case o.port <- strings.TrimSpace(port):
			default:
			}
		} else if line != "" {
			if len(o.lines) < reportLines {
				o.lines = append(o.lines, line)
			}
			_, _ = io.WriteString(log, line)
		}
		if err != nil {
			return
		}
	}
}
