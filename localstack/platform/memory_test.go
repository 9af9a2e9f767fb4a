package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/aws/wal/waltest"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/store"
)

func startMemory(ctx context.Context, place Folder, disk wal.Options) (*backend, error) {
	return startBackend(ctx, place, Config{Engine: InMemory, Disk: disk}, &clock.Ahead{})
}

func startMemoryAt(t *testing.T, place Folder) *backend {
	t.Helper()
	w, err := startMemory(t.Context(), place, wal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.stop() })
	return w
}

func tablesOf(w *backend, inProcess bool) *dynamodb.Client {
	options := dynamodb.Options{Region: runner.Region, Credentials: w.Credentials(), BaseEndpoint: aws.String(w.DynamoDB)}
	if inProcess {
		options.HTTPClient = w.http
	}
	return dynamodb.New(options)
}

func queuesOf(w *backend) *sqs.Client {
	return sqs.New(sqs.Options{Region: runner.Region, Credentials: w.Credentials(),
		BaseEndpoint: aws.String(w.SQS), HTTPClient: w.http})
}

func createTable(ctx context.Context, w *backend) error {
	s := store.Open(store.Config{Table: "kept", Region: runner.Region, Endpoint: w.DynamoDB,
		Credentials: w.Credentials(), HTTP: w.http})
	return s.CreateTable(ctx)
}

func TestMemory_Restart(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	first := startMemoryAt(t, place)
	if err := createTable(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if _, err := queuesOf(first).CreateQueue(t.Context(), &sqs.CreateQueueInput{
		QueueName: aws.String("kept")}); err != nil {
		t.Fatal(err)
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	wantPrivate(t, place, memoryDir)
	for _, file := range filesOf(t, place) {
		wantPrivate(t, place, filepath.Join(memoryDir, file))
	}

	again := startMemoryAt(t, place)
	for _, inProcess := range []bool{false, true} {
		listed, err := tablesOf(again, inProcess).ListTables(t.Context(), &dynamodb.ListTablesInput{})
		if err != nil || len(listed.TableNames) != 1 || listed.TableNames[0] != "kept" {
			t.Errorf("in process %t: got tables %+v and error %v, want kept", inProcess, listed, err)
		}
	}
	if _, err := queuesOf(again).GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{
		QueueName: aws.String("kept")}); err != nil {
		t.Errorf("queue: got error %v, want none", err)
	}
}

func filesOf(t *testing.T, place Folder) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(place.path(memoryDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestStart_MissingOrDamaged checks that Start refuses data that is incomplete or damaged. Without the refusal, the run
// would silently start afresh.
func TestStart_MissingOrDamaged(t *testing.T) {
	t.Parallel()
	whole := newFolder(t)
	if err := start(t, whole, wal.Options{}).Stop(); err != nil {
		t.Fatal(err)
	}
	flip := func(path string) error {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		content[len(content)/2] ^= 4
		return os.WriteFile(path, content, private)
	}
	table, queues := filepath.Join(memoryDir, "table.000001.log"), filepath.Join(memoryDir, "queues.000001.log")
	for name, c := range map[string]struct {
		file string
		do   func(string) error
		want string
	}{
		"without a secret": {secretFile, os.Remove, "secret is missing"},
		"without a table":  {table, os.Remove, "memory/table.* is missing"},
		"without queues":   {queues, os.Remove, "memory/queues.* is missing"},
		"without objects":  {objectsDir, os.RemoveAll, "objects/objects.* is missing"},
		"without data":     {memoryDir, os.RemoveAll, "memory is missing"},
		"an empty table":   {table, func(path string) error { return os.Truncate(path, 0) }, "memory/table.* is missing"},
		"a damaged table":  {table, flip, "table.000001.log is damaged"},
		"damaged queues":   {queues, flip, "queues.000001.log is damaged"},
		"without a format": {formatFile, os.Remove, "another version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := newFolder(t)
			if err := os.RemoveAll(string(place)); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(string(place), os.DirFS(string(whole))); err != nil {
				t.Fatal(err)
			}
			if err := c.do(place.path(c.file)); err != nil {
				t.Fatal(err)
			}
			before := listFiles(t, place)
			_, err := Start(t.Context(), place, quietConfig(wal.Options{}))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "make reset") {
				t.Errorf("got error %v, want %q and make reset in it", err, c.want)
			}
			if after := listFiles(t, place); after != before {
				t.Errorf("after a start that failed: got files\n%s\nwant\n%s", after, before)
			}
		})
	}
}

// TestStart_InterruptedFirstStart checks that an interrupted first start, which acknowledged nothing, is repeated.
func TestStart_InterruptedFirstStart(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]func(Folder) error{
		"with a format": func(Folder) error { return nil },
		"with a secret": func(f Folder) error { _, err := f.ensureSecret(); return err },
		"with half the logs": func(f Folder) error {
			_, err := f.ensureSecret()
			return errors.Join(err, os.MkdirAll(f.path(memoryDir+".new/x"), privateFolder))
		},
		"with empty logs": func(f Folder) error {
			_, err := f.ensureSecret()
			return errors.Join(err, makeObjects(f, wal.Options{}), makeMemory(f.path(memoryDir), wal.Options{}, &clock.Ahead{}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := newFolder(t)
			if err := errors.Join(place.open(), left(place)); err != nil {
				t.Fatal(err)
			}
			if err := start(t, place, wal.Options{}).Stop(); err != nil {
				t.Errorf("stop: got error %v, want none", err)
			}
		})
	}
	// The steps after the secret fail at the first start, and then work.
	place := newFolder(t)
	if _, err := Start(t.Context(), place, quietConfig(waltest.NewDisk(0).Options())); err == nil {
		t.Error("start without room for the logs: got no error, want one")
	}
	if _, err := os.Stat(place.path(secretFile)); err != nil {
		t.Errorf("secret: got error %v, want none", err)
	}
	if err := start(t, place, wal.Options{}).Stop(); err != nil {
		t.Errorf("second start: got error %v at its stop, want none", err)
	}
}

// listFiles lists the names and sizes of all files except the lock.
func listFiles(t *testing.T, place Folder) string {
	t.Helper()
	var all strings.Builder
	err := filepath.Walk(string(place), func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && info.Name() != lockName {
			fmt.Fprintln(&all, strings.TrimPrefix(path, string(place)), info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestStart_FullDisk fills the disk. Writes are refused, /readyz answers 503, reads work and the stop
// fails. The next run has all acknowledged writes.
func TestStart_FullDisk(t *testing.T) {
	t.Parallel()
	place, disk := newFolder(t), waltest.NewDisk(waltest.Unlimited)
	l := start(t, place, disk.Options())
	var kept []string
	create := func(reference string, want int) {
		t.Helper()
		status, body := sendRequest(t, l, http.MethodPost, "/v0.1/checkouts", fmt.Sprintf(
			`{"checkout_reference":%q,"amount":1,"currency":"EUR","merchant_code":%q}`, reference, l.Env["MERCHANT_CODE"]))
		if status != want {
			t.Errorf("create %s: got %d %s, want %d", reference, status, body, want)
		}
		if status == http.StatusCreated {
			_, rest, _ := strings.Cut(body, `"id":"`)
			id, _, _ := strings.Cut(rest, `"`)
			kept = append(kept, id)
		}
	}
	read := func(p *Platform, path string, want int) {
		t.Helper()
		if status, body := sendRequest(t, p, http.MethodGet, path, ""); status != want {
			t.Errorf("GET %s: got %d %s, want %d", path, status, body, want)
		}
	}
	create("before", http.StatusCreated)
	read(l, "/readyz", http.StatusOK)
	for _, room := range []int{0, 700} {
		disk.SetRoom(room)
		create(fmt.Sprint("full, with room for ", room), http.StatusInternalServerError)
		read(l, "/readyz", http.StatusServiceUnavailable)
		for _, id := range kept {
			read(l, "/v0.1/checkouts/"+id, http.StatusOK)
		}
		disk.SetRoom(waltest.Unlimited)
		create(fmt.Sprint("full, with room for ", room), http.StatusCreated) // no part of the first try is left
		read(l, "/readyz", http.StatusOK)
	}
	disk.SetRoom(0)
	create("last", http.StatusInternalServerError)
	if err := l.Stop(); err == nil || !strings.Contains(err.Error(), "could not be kept") {
		t.Errorf("stop: got error %v, want one that some could not be kept", err)
	}

	again := start(t, place, wal.Options{})
	for _, id := range kept {
		read(again, "/v0.1/checkouts/"+id, http.StatusOK)
	}
	if err := again.Stop(); err != nil {
		t.Errorf("stop: got error %v, want none", err)
	}
}

// quietConfig configures a run in this process on a free port.
func quietConfig(disk wal.Options) Config {
	return Config{Engine: InMemory, Disk: disk, Progress: io.Discard, Log: slog.New(slog.DiscardHandler)}
}

func start(t *testing.T, place Folder, disk wal.Options) *Platform {
	t.Helper()
	p, err := Start(t.Context(), place, quietConfig(disk))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sendRequest sends a request as the first merchant and returns the reply's status and body.
func sendRequest(t *testing.T, p *Platform, method, path, body string) (status int, reply string) {
	t.Helper()
	response, err := client.Client{BaseURL: p.Env["BASE_URL"]}.Do(t.Context(),
		client.Request{Method: method, Path: path, APIKey: p.Env["API_KEY"], Body: body})
	if err != nil {
		t.Fatal(err)
	}
	return response.Status, string(response.Body)
}
