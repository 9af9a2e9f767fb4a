package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/lambda/runtime"
	"github.com/cashwrap/cashwrap/shared/app"
)

// accessKey opens the database of the local run in DynamoDB Local.
const accessKey = "cashwrap"

// run is the platform until ctx ends; log gets a line per request. Errors: what is missing on this machine, a port in use, errRunning, an engine that
// ended.
func run(ctx context.Context, place folder, s settings, out, log io.Writer) error {
	unlock, err := place.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := place.check(); err != nil {
		return err
	}
	if err := s.checkPort(); err != nil {
		return err
	}
	programs, err := s.programs(ctx, out)
	if err != nil {
		return interrupted(ctx, err)
	}
	// Before the data: what there is without a secret was there with one.
	if _, err := place.secret(); err != nil {
		return err
	}
	debug.SetGCPercent(garbagePercent)
	world, err := startWorld(ctx, place, s, out)
	if err != nil {
		return interrupted(ctx, err)
	}
	defer world.stop() // its error was returned, when there was time for one
	r, err := startPlatform(ctx, place, s, world, programs, slog.New(newTerminal(log)))
	if err != nil {
		return interrupted(ctx, s.portTaken(err))
	}
	defer r.Stop()
	env, err := seed(ctx, place, r)
	if err != nil {
		return interrupted(ctx, err)
	}
	if err := greet(out, env, time.Now()); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-world.ended:
		return fmt.Errorf("an engine ended by itself: see %s", place.path(engineLog))
	}
	fmt.Fprintln(out, "\nStopping.")
	r.Stop()
	if err := errors.Join(r.Wait(), world.stop()); err != nil {
		return err
	}
	fmt.Fprintln(out, "Everything is kept in .local/.")
	return nil
}

// garbagePercent is how much memory may be garbage, of what is in use. The table is: at Go's 100 % it would take twice its
// size, and at 50 % the collector costs some 5 % more.
const garbagePercent = 50

// interrupted is no error when Ctrl-C came first.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// programs is the folder of the built functions; "" when they run in this process.
func (s settings) programs(ctx context.Context, out io.Writer) (string, error) {
	if s.runtime != bootstraps {
		return "", nil
	}
	notice := time.AfterFunc(patience, func() { fmt.Fprintln(out, "Building the functions …") })
	defer notice.Stop()
	return runtime.Build(ctx, names()...)
}

// startPlatform runs the functions over the engines and notes how to run another beside them.
func startPlatform(ctx context.Context, place folder, s settings, e world, programs string, log *slog.Logger) (*runner.Runner, error) {
	secret, err := place.secret()
	if err != nil {
		return nil, err
	}
	since, err := place.secretSince()
	if err != nil {
		return nil, err
	}
	r, err := runner.Start(ctx, runner.Config{
		Environment: e.Environment(secret, since), HTTP: e.http,
		Outside: app.Outside{Credentials: e.Credentials(), Log: log, HTTP: e.http}, Addr: s.addr(), SkipBacklog: true, Log: log,
		Programs: programs,
	})
	if err != nil {
		return nil, err
	}
	environment := r.Environment()
	delete(environment, "PLATFORM_SECRET")
	if err := place.writeFunctions(beside{AccessKey: e.AccessKey, Environment: environment}); err != nil {
		r.Stop()
		return nil, err
	}
	return r, nil
}

// world is the engines that run.
type world struct {
	runner.Engines
	http  aws.HTTPClient  // reaches them from this process; nil: over their ports
	ended <-chan struct{} // closed when one of them has
	// stop ends them; the error says what they could not keep.
	stop func() error
}

func startWorld(ctx context.Context, place folder, s settings, out io.Writer) (world, error) {
	if s.engine == inMemory {
		return startMemory(place, s.disk)
	}
	return startRealEngines(ctx, place, out)
}

// startRealEngines installs the engines where they are missing and starts them side by side.
func startRealEngines(ctx context.Context, place folder, out io.Writer) (world, error) {
	if err := install(ctx, out); err != nil {
		return world{}, err
	}
	log, err := os.OpenFile(place.path(engineLog), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, private)
	if err != nil {
		return world{}, err
	}
	var database, queues *engines.Engine
	var g errgroup.Group
	g.Go(func() (err error) {
		database, err = engines.StartDynamoDB(ctx, engines.Options{Dir: place.path(databaseDir), Log: log})
		return err
	})
	// Queues live in memory; what they lose with a restart the sweep sends again.
	g.Go(func() (err error) {
		queues, err = engines.StartFauxqs(ctx, engines.Options{Log: log})
		return err
	})
	stop := sync.OnceValue(func() error {
		for _, e := range []*engines.Engine{database, queues} {
			if e != nil {
				e.Stop()
			}
		}
		return log.Close()
	})
	if err := g.Wait(); err != nil {
		return world{}, errors.Join(err, stop())
	}
	return world{
		Engines: runner.Engines{DynamoDB: database.Endpoint, SQS: queues.Endpoint, AccessKey: accessKey},
		ended:   either(database.Done(), queues.Done()), stop: stop,
	}, nil
}

// either is closed when one of two channels is.
func either(a, b <-chan struct{}) <-chan struct{} {
	c := make(chan struct{})
	go func() {
		defer close(c)
		select {
		case <-a:
		case <-b:
		}
	}()
	return c
}

// patience passes before a word about what takes so long.
const patience = time.Second

func install(ctx context.Context, out io.Writer) error {
	if err := engines.Check(); err != nil {
		return fmt.Errorf("this machine lacks something:\n%w", err)
	}
	root, err := engines.Root()
	if err != nil {
		return err
	}
	notice := time.AfterFunc(patience, func() {
		fmt.Fprintf(out, "Installing DynamoDB Local and fauxqs into %s, once …\n", filepath.Join(root, "node_modules"))
	})
	defer notice.Stop()
	return engines.Install(ctx, root)
}
