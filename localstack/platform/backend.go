package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
	"github.com/cashwrap/cashwrap/localstack/clock"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
)

// accessKey opens the database of the local run in DynamoDB Local.
const accessKey = "cashwrap"

// backend is the engines that run.
type backend struct {
	runner.Engines
	http  aws.HTTPClient  // reaches them from this process; nil: over their ports
	ended <-chan struct{} // closed when one of them has
	// stop ends them; the error says what they could not keep.
	stop func() error
}

// startBackend starts the engines; those in memory run by the clock.
func startBackend(ctx context.Context, f Folder, c Config, clock *clock.Ahead) (backend, error) {
	// Before the table: what there is beside a table and without objects has lost them.
	if err := makeObjects(f, c.Disk); err != nil {
		return backend{}, err
	}
	b, err := startEngines(ctx, f, c, clock)
	if err != nil {
		return b, err
	}
	if b, err = b.withBucket(f, c.Disk); err != nil {
		return b, err
	}
	return b.withMailbox(f, clock.Now)
}

func startEngines(ctx context.Context, f Folder, c Config, clock *clock.Ahead) (backend, error) {
	if c.Engine == InMemory {
		return startMemory(f, c.Disk, clock)
	}
	return startRealEngines(ctx, f, c.Progress)
}

// startRealEngines installs the engines where they are missing and starts them side by side.
func startRealEngines(ctx context.Context, f Folder, progress io.Writer) (backend, error) {
	if err := install(ctx, progress); err != nil {
		return backend{}, err
	}
	log, err := os.OpenFile(f.path(EngineLog), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, private)
	if err != nil {
		return backend{}, err
	}
	var database, queues *engines.Engine
	var g errgroup.Group
	g.Go(func() (err error) {
		database, err = engines.StartDynamoDB(ctx, engines.Options{Dir: f.path(databaseDir), Log: log})
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
		return backend{}, errors.Join(err, stop())
	}
	return backend{
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

func install(ctx context.Context, progress io.Writer) error {
	if err := engines.Check(); err != nil {
		return fmt.Errorf("this machine lacks something:\n%w", err)
	}
	root, err := engines.Root()
	if err != nil {
		return err
	}
	notice := time.AfterFunc(patience, func() {
		fmt.Fprintf(progress, "Installing DynamoDB Local and fauxqs into %s, once …\n", filepath.Join(root, "node_modules"))
	})
	defer notice.Stop()
	return engines.Install(ctx, root)
}
