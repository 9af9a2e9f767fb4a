// Package platform is the whole platform on this machine, without Docker or an
// AWS account: a table and queues, every function with what calls it, and two
// merchants. A Folder keeps all of it from one run to the next, and lets other
// processes call functions beside the run.
package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"syscall"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/lambda/runtime"
	"github.com/cashwrap/cashwrap/shared/app"
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
	Progress io.Writer    // gets a line for what takes longer than a second
	Log      *slog.Logger // gets a record for each request
}

// Platform runs until Stop.
type Platform struct {
	// Env is what .local/env holds: where the API is, and the merchants' keys.
	Env map[string]string
	// Ended is closed when an engine has ended by itself, which its log in the
	// folder explains.
	Ended <-chan struct{}

	runner  *runner.Runner
	backend backend
	release func() // the folder
}

// Start runs the platform over a folder. Errors: what is missing on this machine
// or in the folder, data of another version, a port in use, ErrRunning.
func Start(ctx context.Context, f Folder, c Config) (*Platform, error) {
	release, err := f.lock()
	if err != nil {
		return nil, err
	}
	p := &Platform{release: release}
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
	if p.backend, err = startBackend(ctx, f, c); err != nil {
		return err
	}
	p.Ended = p.backend.ended
	if p.runner, err = startFunctions(ctx, f, c, p.backend, programs); err != nil {
		return c.portTaken(err)
	}
	p.Env, err = seed(ctx, f, p.runner)
	return err
}

// Stop ends the platform; what was acknowledged is kept. The error says what
// could not be.
func (p *Platform) Stop() error {
	var errs []error
	if p.runner != nil {
		p.runner.Stop()
		errs = append(errs, p.runner.Wait())
	}
	if p.backend.stop != nil {
		errs = append(errs, p.backend.stop())
	}
	p.release()
	return errors.Join(errs...)
}

// patience passes before a word about what takes so long.
const patience = time.Second

// programs is the folder of the built functions; "" when they run in this process.
func (c Config) programs(ctx context.Context) (string, error) {
	if c.Runtime != Bootstraps {
		return "", nil
	}
	notice := time.AfterFunc(patience, func() { fmt.Fprintln(c.Progress, "Building the functions …") })
	defer notice.Stop()
	return runtime.Build(ctx, names()...)
}

// startFunctions runs the functions over the engines and notes how to run another beside them.
func startFunctions(ctx context.Context, f Folder, c Config, b backend, programs string) (*runner.Runner, error) {
	secret, err := f.secret()
	if err != nil {
		return nil, err
	}
	since, err := f.secretSince()
	if err != nil {
		return nil, err
	}
	variables := b.Environment(secret, since)
	variables["COMMIT"] = Commit()
	r, err := runner.Start(ctx, runner.Config{
		Environment: variables, HTTP: b.http,
		Overrides: app.Overrides{Credentials: b.Credentials(), Log: c.Log, HTTP: b.http}, Addr: c.addr(),
		SkipBacklog: true, Log: c.Log,
		Programs: programs,
	})
	if err != nil {
		return nil, err
	}
	environment := r.Environment()
	delete(environment, secretVariable)
	if err := f.writeFunctions(Surroundings{AccessKey: b.AccessKey, Environment: environment}); err != nil {
		r.Stop()
		return nil, err
	}
	return r, nil
}

func (c Config) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)) }

// portTaken says it in a developer's words; other errors pass.
func (c Config) portTaken(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is taken: end what listens there, or choose another with `PORT=%d make run`",
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
