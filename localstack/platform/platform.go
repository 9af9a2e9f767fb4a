// Package platform is the platform on this machine: a table and queues, every function with its caller, and five
// merchants. A Folder keeps it between runs, and lets other processes call functions.
package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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

// Where the table and the queues are, and how functions run.
const (
	InMemory      = "memory"
	DynamoDBLocal = "dynamodb-local"
	InProcess     = "in-process"
	Bootstraps    = "bootstrap" // each function as it is deployed, in processes of its own
)

// Config is how the platform runs.
type Config struct {
	Port     int          // of the API, on 127.0.0.1; 0: any that is free
	Engine   string       // InMemory or DynamoDBLocal
	Runtime  string       // InProcess or Bootstraps
	Disk     wal.Options  // under InMemory; tests put faults here
	Progress io.Writer    // gets a line for what takes longer than a second, and for each move of the clock
	Log      *slog.Logger // gets a record for each request
}

// Platform runs until Stop.
type Platform struct {
	// Env is what .local/env holds: where the API is, and the merchants' keys.
	Env map[string]string
	// Ended is closed when an engine has ended by itself, which its log in the folder explains.
	Ended <-chan struct{}

	runner      *runner.Runner
	backend     *backend
	inspector   *inspector.Inspector
	clock       *clock.Ahead
	moving      sync.Mutex   // one move of the clock at a time
	stopControl func() error // ends the server that answers commands and terminals; nil before listen
	release     func()       // the folder
}

// Start runs the platform. Errors: something missing here or in the folder, another version, a used port, errRunning.
func Start(ctx context.Context, f Folder, c Config) (*Platform, error) {
	release, err := f.lock()
	if err != nil {
		return nil, err
	}
	p := &Platform{release: release, inspector: inspector.New()}
	context.AfterFunc(ctx, p.inspector.Close) // or streams that are open would delay the end
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
	programs, err := c.programs(ctx)
	if err != nil {
		return err
	}
	// Before the data: what there is without a secret was there with one.
	if _, err = f.secret(); err != nil {
		return err
	}
	offset, err := f.clockOffset()
	if err != nil {
		return err
	}
	p.clock = clock.NewAhead(offset)
	if p.backend, err = startBackend(ctx, f, c, p.clock); err != nil {
		return err
	}
	p.Ended = p.backend.ended
	if err = p.startFunctions(ctx, f, c, programs); err != nil {
		return c.portTaken(err)
	}
	host, err := p.listen(f, c) //nolint:contextcheck // what it starts ends with Stop
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
	return p.inspect(f, c)
}

// Stop ends the platform; what was acknowledged is kept. The error says what could not be.
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

// patience passes before a word about what takes so long.
const patience = time.Second

// programs returns the folder of the built functions; "" when they run in this process.
func (c Config) programs(ctx context.Context) (string, error) {
	if c.Runtime != Bootstraps {
		return "", nil
	}
	notice := time.AfterFunc(patience, func() { fmt.Fprintln(c.Progress, "Building the functions …") })
	defer notice.Stop()
	return runtime.Build(ctx, names()...)
}

func (p *Platform) startFunctions(ctx context.Context, f Folder, c Config, programs string) error {
	secret, err := f.secret()
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

// portTaken says it in a developer's words; other errors pass.
func (c Config) portTaken(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is taken: end what listens there, or choose another with PORT=%d",
			c.Port, c.Port%65535+1)
	}
	return err
}

// checkPort fails before the engines start, which takes seconds.
func (c Config) checkPort() error {
	listener, err := net.Listen("tcp", c.addr())
	if err != nil {
		return c.portTaken(err)
	}
	return listener.Close()
}
