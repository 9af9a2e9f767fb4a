package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/localstack/aws/engines"
	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
)

// accessKey selects the local run's database in DynamoDB Local.
const accessKey = "cashwrap"

type backend struct {
	runner.Engines
	http  aws.HTTPClient  // reaches the engines from this process; nil uses their ports
	ended <-chan struct{} // closed when an engine has ended
	stops []func() error  // end the started engines, in reverse order
}

// startBackend starts the engines. Engines in this process run by the given clock.
func startBackend(ctx context.Context, f Folder, c Config, clock *clock.Ahead) (*backend, error) {
	b := &backend{Engines: runner.Engines{AccessKey: accessKey}}
	if err := b.start(ctx, f, c, clock); err != nil {
		return nil, errors.Join(err, b.stop())
	}
	return b, nil
}

func (b *backend) start(ctx context.Context, f Folder, c Config, clock *clock.Ahead) error {
	// Make the objects before the table, because Folder.open treats data without objects as a loss.
	if err := makeObjects(f, c.Disk); err != nil {
		return err
	}
	here := &ownEngines{mails: ses.New(ses.Config{Now: clock.Now, Folder: f.Mails()})}
	var err error
	if c.Engine == InMemory {
		if here.memory, err = openMemory(f, c.Disk, clock); err != nil {
			return err
		}
		b.stops = append(b.stops, here.close)
	} else if err = b.startRealEngines(ctx, f, c.Progress); err != nil {
		return err
	}
	if here.objects, err = openObjects(f, c.Disk); err != nil {
		return err
	}
	b.stops = append(b.stops, func() error { return closeEngines("file", here.objects) })
	// Functions in other processes, and clients that have a link, reach the engines over a port.
	server := &http.Server{Handler: here, ReadHeaderTimeout: 10 * time.Second}
	address, ended, err := control.Serve(server)
	if err != nil {
		return err
	}
	b.stops = append(b.stops, func() error {
		_ = server.Close()
		<-ended
		return nil
	})
	b.SES, b.S3 = address, address
	if c.Engine == InMemory {
		b.DynamoDB, b.SQS, b.http, b.ended = address, address, &http.Client{Transport: here}, ended
	}
	return nil
}

// stop ends the engines. It returns an error if an engine could not keep a write. It may be called again.
func (b *backend) stop() error {
	var errs []error
	for _, stop := range slices.Backward(b.stops) {
		errs = append(errs, stop())
	}
	b.stops = nil
	return errors.Join(errs...)
}

func (b *backend) startRealEngines(ctx context.Context, f Folder, progress io.Writer) error {
	if err := install(ctx, progress); err != nil {
		return err
	}
	log, err := os.OpenFile(f.path(EngineLog), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, private)
	if err != nil {
		return err
	}
	var database, queues *engines.Engine
	b.stops = append(b.stops, func() error {
		for _, e := range []*engines.Engine{database, queues} {
			if e != nil {
				e.Stop()
			}
		}
		return log.Close()
	})
	var g errgroup.Group
	g.Go(func() (err error) {
		database, err = engines.StartDynamoDB(ctx, engines.Options{Dir: f.path(databaseDir), Log: log})
		return err
	})
	// Queues are in memory. If a restart loses messages, the sweep sends them again.
	g.Go(func() (err error) {
		queues, err = engines.StartFauxqs(ctx, engines.Options{Log: log})
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	b.DynamoDB, b.SQS, b.ended = database.Endpoint, queues.Endpoint, either(database.Done(), queues.Done())
	return nil
}

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
