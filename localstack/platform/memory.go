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
	"sync"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/clock"
	"github.com/cashwrap/cashwrap/localstack/lambda/runner"
)

// memory is the table and the queues in this process. What they have acknowledged is in their logs.
type memory struct {
	table  *dynamodb.Engine
	queues *sqs.Engine
}

// startMemory brings back what the last run kept. The engines also listen on a port, for functions that run beside this
// process. Delays, retention and expiries are those of the clock.
func startMemory(f Folder, disk wal.Options, clock *clock.Ahead) (backend, error) {
	m, err := openMemory(f, disk, clock)
	if err != nil {
		return backend{}, err
	}
	s, err := serve(m)
	if err != nil {
		return backend{}, errors.Join(err, m.close())
	}
	return backend{
		Engines: runner.Engines{DynamoDB: s.address(), SQS: s.address(), AccessKey: accessKey},
		http:    &http.Client{Transport: m}, ended: s.ended,
		stop: sync.OnceValue(func() error {
			s.stop()
			return m.close()
		}),
	}, nil
}

func openMemory(f Folder, disk wal.Options, clock *clock.Ahead) (*memory, error) {
	dir := f.path(memoryDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := makeMemory(dir, disk, clock); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{dynamodb.LogName, sqs.LogName} {
		if there, err := wal.Exists(dir, name); err != nil || !there {
			return nil, errors.Join(f.missing(filepath.Join(memoryDir, name+".*")), err)
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

func openLogs(dir string, disk wal.Options, clock *clock.Ahead) (*memory, error) {
	// What is read stays: collecting garbage meanwhile would only take time.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	table, err := dynamodb.Open(dynamodb.Config{Now: clock.Now, OneReader: true, Notice: notice}, dir, disk)
	if err != nil {
		return nil, err
	}
	queues, err := sqs.Open(sqs.Config{Now: clock.Now, After: clock.After, Region: runner.Region, Notice: notice},
		dir, disk)
	if err != nil {
		return nil, errors.Join(err, table.Close())
	}
	return &memory{table, queues}, nil
}

func notice(err error) { fmt.Fprintln(os.Stderr, "localstack:", err) }

// close ends the engines. The error says that the last write was refused.
func (m *memory) close() error {
	err := errors.Join(m.table.Refused(), m.queues.Refused())
	if err != nil {
		err = fmt.Errorf("the last write could not be kept and was refused; everything acknowledged is kept: %w", err)
	}
	return errors.Join(err, m.table.Close(), m.queues.Close())
}

// RoundTrip carries a call of this process to its engine, without a socket.
func (m *memory) RoundTrip(r *http.Request) (*http.Response, error) {
	if forQueues(r) {
		return m.queues.RoundTrip(r)
	}
	return m.table.RoundTrip(r)
}

// ServeHTTP answers calls of other processes.
func (m *memory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if forQueues(r) {
		m.queues.ServeHTTP(w, r)
		return
	}
	m.table.ServeHTTP(w, r)
}

func forQueues(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.")
}
