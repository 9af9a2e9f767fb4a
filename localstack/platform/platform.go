// Package platform runs the whole platform on this machine: a table, queues, every function with its caller, and five
// merchants. Call Start with a Folder, which keeps the data between runs and lets other processes call functions.
package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/inspector"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runtime"
	"github.com/cashwrap/cashwrap/localstack/platform/reader"
	"github.com/cashwrap/cashwrap/localstack/platform/repository"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Values of Config.Engine and Config.Runtime.
const (
	InMemory      = "memory"
	DynamoDBLocal = "dynamodb-local"
	InProcess     = "in-process"
	Bootstraps    = "bootstrap" // each function as deployed, in separate processes
)

// Config configures the platform.
type Config struct {
	Port    int    // of the API on 127.0.0.1; 0 picks a free port
	Engine  string // InMemory or DynamoDBLocal
	Runtime string // InProcess or Bootstraps
	// Live has the variables of functions that charge live payments (linkstripe.Variables); nil: they answer 424.
	Live     map[string]string
	Disk     wal.Options  // under InMemory; tests inject faults
	Progress io.Writer    // receives a line for each step longer than a second, and for each move of the clock
	Log      *slog.Logger // receives a record per request
}

// Platform is a platform that runs until Stop.
type Platform struct {
	// Env holds the contents of .local/env: the API's address and the merchants' keys.
	Env map[string]string
	// Ended is closed when an engine has ended unexpectedly. EngineLog then shows the reason.
	Ended <-chan struct{}

	runner      *runner.Runner
	backend     *backend
	inspector   *inspector.Inspector
	clock       *clock.Ahead
	moving      sync.Mutex   // serialises moves of the clock
	stopControl func() error // ends the server of listen; nil before that
	release     func()       // unlocks the folder
}

// Start runs the platform. It fails if a program or a part of the folder is missing, if the folder has another format,
// if the port is taken, or with errRunning.
func Start(ctx context.Context, f Folder, c Config) (*Platform, error) {
	release, err := f.lock()
	if err != nil {
		return nil, err
	}
	p := &Platform{release: release, inspector: inspector.New()}
	context.AfterFunc(ctx, p.inspector.Close) // open streams would delay the end
	if err := p.start(ctx, f, c); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func (p *Platform) start(ctx context.Context, f Folder, c Config) error {
	if err := f.open(); err != nil {
		return err
	}
	if err := c.checkPort(); err != nil {
		return err
	}
	programs, err := c.buildFunctions(ctx)
	if err != nil {
		return err
	}
	// The secret comes before the data, because open refuses data without a secret.
	if _, err = f.ensureSecret(); err != nil {
		return err
	}
	offset, err := f.readClockOffset()
	if err != nil {
		return err
	}
	p.clock = clock.NewAhead(offset)
	if p.backend, err = startBackend(ctx, f, c, p.clock); err != nil {
		return err
	}
	p.Ended = p.backend.ended
	if err = p.startFunctions(ctx, f, c, programs); err != nil {
		return c.explainPortError(err)
	}
	host, err := p.listen(f, c) //nolint:contextcheck // Stop ends everything that listen starts
	if err != nil {
		return err
	}
	err = f.writeFunctions(Surroundings{AccessKey: p.backend.AccessKey, Environment: p.runner.Environment(),
		Control: host})
	if err != nil {
		return err
	}
	if p.Env, err = seed(ctx, f, p.runner); err != nil {
		return err
	}
	return p.serveInspector(f, c)
}

// Stop ends the platform. Acknowledged changes are kept. If a write could not be kept, Stop returns an error.
func (p *Platform) Stop() error {
	var errs []error
	p.inspector.Close()
	if p.stopControl != nil {
		errs = append(errs, p.stopControl())
	}
	if p.runner != nil {
		p.runner.Stop()
		errs = append(errs, p.runner.Wait())
	}
	if p.backend != nil {
		errs = append(errs, p.backend.stop())
	}
	p.release()
	return errors.Join(errs...)
}

// patience is the time after which a slow step is reported.
const patience = time.Second

// buildFunctions returns the folder of the built functions, or "" if functions run in this process.
func (c Config) buildFunctions(ctx context.Context) (string, error) {
	if c.Runtime != Bootstraps {
		return "", nil
	}
	notice := time.AfterFunc(patience, func() { fmt.Fprintln(c.Progress, "Building the functions …") })
	defer notice.Stop()
	return runtime.Build(ctx, allNames()...)
}

func (p *Platform) startFunctions(ctx context.Context, f Folder, c Config, programs string) error {
	secret, err := f.ensureSecret()
	if err != nil {
		return err
	}
	file, err := os.Stat(f.path(secretFile))
	if err != nil {
		return err
	}
	environment := p.backend.Environment(secret, file.ModTime())
	environment["COMMIT"] = repository.Commit()
	environment[clockVariable] = p.clock.Offset().String()
	maps.Copy(environment, c.Live)
	watch := p.inspector
	p.runner, err = runner.Start(ctx, runner.Config{
		Environment: environment, HTTP: p.backend.http, WrapAPI: watch.WatchAPI,
		Overrides: app.Overrides{
			Now: p.clock.Now, Credentials: p.backend.Credentials(),
			Log: watch.WatchLog(c.Log), HTTP: watch.WatchCalls(p.backend.http),
			WrapTerminals: func(virtual terminal.Terminals) terminal.Terminals {
				return watch.WatchTerminals(reader.Switchboard{Dir: f.path(readersDir), Others: virtual})
			},
			WrapAcquirer: watch.WatchAcquirer, WrapCallbacks: watch.WatchCallbacks,
		},
		Addr: c.addr(), SkipBacklog: true, Log: c.Log,
		Programs: programs,
	})
	return err
}

func (c Config) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)) }

// explainPortError explains a taken port to a developer. It returns other errors unchanged.
func (c Config) explainPortError(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is taken: end what listens there, or choose another with PORT=%d",
			c.Port, c.Port%65535+1)
	}
	return err
}

// checkPort returns an error if the port is taken. Call it before the engines start, because their start takes seconds.
func (c Config) checkPort() error {
	listener, err := net.Listen("tcp", c.addr())
	if err != nil {
		return c.explainPortError(err)
	}
	return listener.Close()
}
