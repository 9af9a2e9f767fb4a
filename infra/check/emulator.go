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

	"github.com/cashwrap/cashwrap/localstack/platform/processgroup"
)

// The account and region that the emulator simulates, and the access key, which it does not check.
const (
	account   = "000000000000"
	region    = "eu-central-1" // as in the guide
	accessKey = "emulator"
)

// startLimit limits the start of the emulator, which usually takes a second or two.
const startLimit = time.Minute

type emulator struct {
	endpoint string // for all services
	stop     func() // ends the emulator and its functions; may be called more than once
}

const pollInterval = 100 * time.Millisecond

// startEmulator starts an emulator on 127.0.0.1, which runs until ctx ends. The emulator writes only below the folder
// and to the log.
func startEmulator(ctx context.Context, programs, root, folder string, log *os.File) (*emulator, error) {
	port, err := findFreePort(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &emulator{endpoint: "http://127.0.0.1:" + strconv.Itoa(port)}
	cmd := newCmd(ctx, folder, e.variables(port, folder), log, filepath.Join(programs, "python"),
		filepath.Join(root, "infra", "emulator", "run.py"))
	lifeline, err := cmd.StdinPipe() // this pipe closes when this process ends, see run.py
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the log has the reason
		processgroup.Kill(cmd)
		close(ended)
	}()
	e.stop = func() {
		cancel()
		_ = lifeline.Close()
		<-ended
	}
	if err := e.awaitReady(ctx, ended); err != nil {
		e.stop()
		return nil, fmt.Errorf("the emulator does not start: %w\n%s", err, tail(log, 0))
	}
	return e, nil
}

// variables returns the environment of the emulator, which passes the variables to the functions. The functions find
// AWS at AWS_ENDPOINT_URL, as with LocalStack.
func (e *emulator) variables(port int, folder string) []string {
	return environment("BIND_HOST=127.0.0.1", "GATEWAY_PORT="+strconv.Itoa(port), "AWS_ENDPOINT_URL="+e.endpoint,
		"MINISTACK_REGION="+region, "MINISTACK_ACCOUNT_ID="+account,
		"LAMBDA_EXECUTOR=local", "PERSIST_STATE=0", "TMPDIR="+folder, "PYTHONDONTWRITEBYTECODE=1",
		"IOT_MTLS_ENABLED=0", "SFTP_ENABLED=0") // these services would listen on every interface
}

var errEnded = errors.New("it ended at once")

func (e *emulator) awaitReady(ctx context.Context, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for !e.checkReady(ctx) {
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

func (e *emulator) checkReady(ctx context.Context) bool {
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

// The ports are below the ports that systems assign (Linux from 32768, others from 49152), so that no other program
// gets one of our ports.
const (
	firstPort = 20_000
	ports     = 12_000
	portTries = 100
)

func findFreePort(ctx context.Context) (int, error) {
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

// checkPrograms fails if this machine lacks a program that deploying needs.
func checkPrograms() error {
	var problems []error
	for _, needed := range []struct{ program, why string }{
		{"python3", "the emulator needs Python 3.10 or later with its venv module"},
		{"node", "the CDK needs Node.js 20 or later; 22 is recommended"},
		{"npm", "the CDK's command comes from npm"},
		{"bash", "the guide's lines are for bash"},
		{"make", "the guide's lines call make"},
		{"curl", "the guide's lines call curl"},
	} {
		if _, err := exec.LookPath(needed.program); err != nil {
			problems = append(problems, fmt.Errorf("%s, and no %s is in the PATH", needed.why, needed.program))
		}
	}
	return errors.Join(problems...)
}
