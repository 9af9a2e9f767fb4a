package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
)

// ownEngines are the engines in this process. Beside the real ones there are no table and no queues.
type ownEngines struct {
	memory
	mails   *ses.Engine
	objects *s3.Engine
}

// engine answers calls of this process without a socket, and those of others.
type engine interface {
	http.Handler
	http.RoundTripper
}

// of returns the engine that a call is for. Those who have a link to a file send nothing by which a call is known.
func (o *ownEngines) of(r *http.Request) engine {
	target := r.Header.Get("X-Amz-Target")
	switch {
	case strings.HasPrefix(target, "AmazonSQS."):
		return o.queues
	case target != "":
		return o.table
	case ses.Sends(r):
		return o.mails
	default:
		return o.objects
	}
}

// RoundTrip carries a call of this process to its engine.
func (o *ownEngines) RoundTrip(r *http.Request) (*http.Response, error) { return o.of(r).RoundTrip(r) }

// ServeHTTP answers calls of other processes.
func (o *ownEngines) ServeHTTP(w http.ResponseWriter, r *http.Request) { o.of(r).ServeHTTP(w, r) }

// memory is the table and the queues in this process. What they have acknowledged is in their logs.
type memory struct {
	table  *dynamodb.Engine
	queues *sqs.Engine
}

// openMemory brings back what the last run kept. Delays, retention and expiries are those of the clock.
func openMemory(f Folder, disk wal.Options, clock *clock.Ahead) (memory, error) {
	dir := f.path(memoryDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := makeMemory(dir, disk, clock); err != nil {
			return memory{}, err
		}
	}
	for _, name := range []string{dynamodb.LogName, sqs.LogName} {
		if there, err := wal.Exists(dir, name); err != nil || !there {
			return memory{}, errors.Join(f.missing(filepath.Join(memoryDir, name+".*")), err)
		}
	}
	return openLogs(dir, disk, clock)
}

// makeMemory makes the logs, both or none: afterwards one that is missing was lost.
func makeMemory(dir string, disk wal.Options, clock *clock.Ahead) error {
	unfinished := dir + ".new"
	if err := errors.Join(os.RemoveAll(unfinished), os.Mkdir(unfinished, privateFolder)); err != nil {
		return err
	}
	m, err := openLogs(unfinished, disk, clock)
	if err == nil {
		err = m.close()
	}
	if err == nil {
		err = os.Rename(unfinished, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(unfinished))
	}
	return nil
}

func openLogs(dir string, disk wal.Options, clock *clock.Ahead) (memory, error) {
	// What is read stays: collecting garbage meanwhile would only take time.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	table, err := dynamodb.Open(dynamodb.Config{Now: clock.Now, OneReader: true, Notice: notice}, dir, disk)
	if err != nil {
		return memory{}, err
	}
	queues, err := sqs.Open(sqs.Config{Now: clock.Now, After: clock.After, Region: runner.Region, Notice: notice},
		dir, disk)
	if err != nil {
		return memory{}, errors.Join(err, table.Close())
	}
	return memory{table, queues}, nil
}

func notice(err error) { fmt.Fprintln(os.Stderr, "localstack:", err) }

// kept is an engine that keeps what it has acknowledged on the disk.
type kept interface {
	Refused() error
	Close() error
}

// closeKept ends engines. The error says that the last write, of what they keep, was refused.
func closeKept(what string, all ...kept) error {
	var refused, closed error
	for _, e := range all {
		refused, closed = errors.Join(refused, e.Refused()), errors.Join(closed, e.Close())
	}
	if refused != nil {
		refused = fmt.Errorf("the last %s could not be kept and was refused; everything acknowledged is kept: %w", what,
			refused)
	}
	return errors.Join(refused, closed)
}

func (m memory) close() error { return closeKept("write", m.table, m.queues) }

const objectsDir = "objects"

func makeObjects(f Folder, disk wal.Options) error {
	if there, err := wal.Exists(f.path(objectsDir), s3.LogName); err != nil || there {
		return err
	}
	engine, err := openObjects(f, disk)
	if err != nil {
		return err
	}
	return engine.Close()
}

// openObjects opens the S3 of the last run. Its clock is the real one, by which links are signed (App.WallNow).
func openObjects(f Folder, disk wal.Options) (*s3.Engine, error) {
	engine, err := s3.Open(s3.Config{Credentials: runner.Engines{AccessKey: accessKey}.Keys(), Region: runner.Region,
		Notice: notice}, f.path(objectsDir), disk)
	if err != nil {
		return nil, err
	}
	if err = engine.CreateBucket(runner.Bucket); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return engine, nil
}
