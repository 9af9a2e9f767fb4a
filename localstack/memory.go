package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/localstack/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/runner"
	"github.com/cashwrap/cashwrap/localstack/sqs"
)

// Files of the engines in memory.
const (
	tableFile  = "table.gz"
	queuesFile = "queues.json"
)

// saveEvery is what a kill can cost: what was written since the last save.
const saveEvery = time.Second

// memory is the table and the queues in this process, kept in two files.
type memory struct {
	place  folder
	table  *dynamodb.Engine
	queues *sqs.Engine

	mu         sync.Mutex
	savedTable uint64 // version in the file
	savedQueue []byte // content of the file
}

// startMemory brings back what the last run kept, and saves every second what has changed. The engines also listen on a
// port, for functions that run beside this process.
func startMemory(place folder) (world, error) {
	m := &memory{place: place, table: dynamodb.New(dynamodb.Config{}), queues: sqs.New(sqs.Config{Region: runner.Region})}
	if err := m.load(); err != nil {
		return world{}, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return world{}, err
	}
	server := &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var loops sync.WaitGroup
	loops.Go(func() { defer close(ended); _ = server.Serve(listener) })
	loops.Go(func() { m.keepSaving(ctx) })
	endpoint := "http://" + listener.Addr().String()
	return world{
		Engines: runner.Engines{DynamoDB: endpoint, SQS: endpoint, AccessKey: accessKey},
		http:    &http.Client{Transport: m}, ended: ended,
		stop: sync.OnceFunc(func() {
			cancel()
			_ = server.Close()
			loops.Wait()
			m.saveOrTell()
		}),
	}, nil
}

// load reads the files; there are none at first.
func (m *memory) load() error {
	for name, load := range map[string]func(io.Reader) error{tableFile: m.table.Load, queuesFile: m.queues.Load} {
		content, err := os.ReadFile(m.place.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = load(bytes.NewReader(content))
		}
		if err != nil {
			return fmt.Errorf("%s: %w: restore it, or `make reset`", m.place.path(name), err)
		}
	}
	m.savedTable = m.table.Version()
	return nil
}

func (m *memory) keepSaving(ctx context.Context) {
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			m.saveOrTell()
		}
	}
}

func (m *memory) saveOrTell() {
	if err := m.save(); err != nil {
		fmt.Fprintln(os.Stderr, "localstack: the data could not be saved:", err)
	}
}

// save writes what has changed since the last time. Queues go first: a message whose callback the table does not know
// yet is dropped, while one that is lost is sent again by the sweep.
func (m *memory) save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var queues bytes.Buffer
	if err := m.queues.Save(&queues); err != nil {
		return err
	}
	if !bytes.Equal(queues.Bytes(), m.savedQueue) {
		if err := m.place.write(queuesFile, queues.Bytes()); err != nil {
			return err
		}
		m.savedQueue = queues.Bytes()
	}
	version := m.table.Version()
	if version == m.savedTable {
		return nil
	}
	var table bytes.Buffer
	if err := m.table.Save(&table); err != nil {
		return err
	}
	if err := m.place.write(tableFile, table.Bytes()); err != nil {
		return err
	}
	m.savedTable = version
	return nil
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
