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

// ownEngines are the engines in this process. If the platform uses the real engines, ownEngines has no table and no
// queues.
type ownEngines struct {
	memory
	mails   *ses.Engine
	objects *s3.Engine
}

// engine answers calls from this process without a socket, and calls from other processes.
type engine interface {
	http.Handler
	http.RoundTripper
}

// get returns the engine for a call. A request by a link to a file has no distinguishing header, so it goes to S3.
func (o *ownEngines) get(r *http.Request) engine {
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

// RoundTrip answers a call from this process.
func (o *ownEngines) RoundTrip(r *http.Request) (*http.Response, error) { return o.get(r).RoundTrip(r) }

// ServeHTTP answers a call from another process.
func (o *ownEngines) ServeHTTP(w http.ResponseWriter, r *http.Request) { o.get(r).ServeHTTP(w, r) }

// memory holds the in-memory table and queues. Their logs keep every acknowledged change.
type memory struct {
	table  *dynamodb.Engine
	queues *sqs.Engine
}

// openMemory restores the table and queues of the last run. Delays, retention and expiries follow the given clock.
func openMemory(f Folder, disk wal.Options, clock *clock.Ahead) (memory, error) {
	dir := f.path(memoryDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := makeMemory(dir, disk, clock); err != nil {
			return memory{}, err
		}
	}
	for _, name := range []string{dynamodb.LogName, sqs.LogName} {
		if there, err := wal.Exists(dir, name); err != nil || !there {
			return memory{}, errors.Join(f.missingError(filepath.Join(memoryDir, name+".*")), err)
		}
	}
	return openLogs(dir, disk, clock)
}

// makeMemory creates both logs or none, so that a missing log later means a loss.
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
	// All records stay in memory, so garbage collection would only take time.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	table, err := dynamodb.Open(dynamodb.Config{Now: clock.Now, OneReader: true, Notice: printNotice}, dir, disk)
	if err != nil {
		return memory{}, err
	}
	queues, err := sqs.Open(sqs.Config{Now: clock.Now, After: clock.After, Region: runner.Region, Notice: printNotice},
		dir, disk)
	if err != nil {
		return memory{}, errors.Join(err, table.Close())
	}
	return memory{table, queues}, nil
}

func printNotice(err error) { fmt.Fprintln(os.Stderr, "localstack:", err) }

// kept is an engine that keeps acknowledged changes on disk.
type kept interface {
	Refused() error
	Close() error
}

// closeEngines closes engines. It returns an error if an engine had to refuse the last write. The parameter what names
// the kind of write in that error.
func closeEngines(what string, all ...kept) error {
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

func (m memory) close() error { return closeEngines("write", m.table, m.queues) }

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

// openObjects opens the S3 of the last run. It uses the real clock, because links are signed by it (App.WallNow).
func openObjects(f Folder, disk wal.Options) (*s3.Engine, error) {
	engine, err := s3.Open(s3.Config{Credentials: runner.Engines{AccessKey: accessKey}.Keys(), Region: runner.Region,
		Notice: printNotice}, f.path(objectsDir), disk)
	if err != nil {
		return nil, err
	}
	if err = engine.CreateBucket(runner.Bucket); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return engine, nil
}
