package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// Where the emulator pretends to be, and as whom it is called. It checks no
// signature.
const (
	account   = "000000000000"
	region    = "us-east-1"
	accessKey = "emulator"
)

// startLimit is how long the emulator may take until it answers; a second or
// two on a quiet machine.
const startLimit = time.Minute

// emulator is one that runs.
type emulator struct {
	endpoint string // of all services
	stop     func() // ends it with the functions it has started, and may be called again
}

// asked is how often a starting emulator is asked whether it is ready.
const asked = 100 * time.Millisecond

// startEmulator starts one on a free port of 127.0.0.1. Everything it writes
// goes below the folder, and its log into the file. It ends with the context.
func startEmulator(ctx context.Context, python, root, folder string, log *os.File) (*emulator, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &emulator{endpoint: "http://127.0.0.1:" + strconv.Itoa(port)}
	cmd := process(ctx, folder, e.environment(port, folder), log, python,
		filepath.Join(root, "infra", "emulator", "run.py"))
	lifeline, err := cmd.StdinPipe() // closes with us, see run.py
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // that it ended is all there is to know; why is in the log
		killGroup(cmd)
		close(ended)
	}()
	e.stop = func() {
		cancel()
		_ = lifeline.Close()
		<-ended
	}
	if err := e.await(ctx, ended); err != nil {
		e.stop()
		return nil, fmt.Errorf("the emulator does not start: %w\n%s", err, tail(log, 0))
	}
	return e, nil
}

// environment of the emulator, which hands it on to the functions: they find
// AWS where AWS_ENDPOINT_URL says, as under LocalStack.
func (e *emulator) environment(port int, folder string) []string {
	return environment("BIND_HOST=127.0.0.1", "GATEWAY_PORT="+strconv.Itoa(port), "AWS_ENDPOINT_URL="+e.endpoint,
		"MINISTACK_REGION="+region, "MINISTACK_ACCOUNT_ID="+account,
		"LAMBDA_EXECUTOR=local", "PERSIST_STATE=0", "TMPDIR="+folder, "PYTHONDONTWRITEBYTECODE=1",
		"IOT_MTLS_ENABLED=0", "SFTP_ENABLED=0") // or they would listen on every interface
}

var errEnded = errors.New("it ended at once")

// await returns when it answers.
func (e *emulator) await(ctx context.Context, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(asked)
	defer tick.Stop()
	for !e.ready(ctx) {
		select {
		case <-tick.C:
		case <-ended:
			return errEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (e *emulator) ready(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.endpoint+"/_ministack/health", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode == http.StatusOK
}

// Ports below those that systems hand out by themselves (Linux from 32768,
// others from 49152): until the emulator listens, nobody gets one by chance.
const (
	firstPort = 20_000
	ports     = 12_000
	portTries = 100
)

// freePort is one of these that is free now.
func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	var err error
	for range portTries {
		port := firstPort + rand.N(ports)
		var listener net.Listener
		if listener, err = config.Listen(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, listener.Close()
		}
	}
	return 0, err
}

// missing are the programs that deploying needs and this machine lacks.
func missing() error {
	var problems []error
	for _, needed := range []struct{ program, why string }{
		{"python3", "the emulator needs Python 3.10 or later with its venv module"},
		{"node", "the CDK needs Node.js 20 or later"},
		{"npm", "the CDK's command comes from npm"},
	} {
		if _, err := exec.LookPath(needed.program); err != nil {
			problems = append(problems, fmt.Errorf("%s, and no %s is in the PATH", needed.why, needed.program))
		}
	}
	return errors.Join(problems...)
}
