package s3_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/aws/wal/waltest"
)

// childVariable makes this test binary serve the named folder until it is killed.
const childVariable = "CASHWRAP_TEST_S3_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		e, err := s3.Open(s3.Config{Credentials: local}, dir, wal.Options{SnapshotAfter: 2000})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(httptest.NewServer(e).URL)
		select {}
	}
	os.Exit(m.Run())
}

func open(t *testing.T, dir string, o wal.Options) (*s3.Engine, store) {
	t.Helper()
	e, err := s3.Open(s3.Config{Credentials: local, Notice: func(err error) { t.Error(err) }}, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	return e, newStore(t, "http://s3.test", existing{e}, "files", time.Now)
}

// existing is an engine whose bucket already exists. It answers a request to make the bucket as if it had made it.
type existing struct{ *s3.Engine }

func (e existing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPut && strings.Trim(r.URL.Path, "/") == "files" {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
	}
	return e.Engine.RoundTrip(r)
}

// countContents counts the files with contents.
func countContents(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "versions"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestOpen_RestoresObjects(t *testing.T) {
	t.Parallel()
	for name, every := range map[string]int64{"in segments": 1 << 20, "in snapshots": 300} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			e, s := open(t, dir, wal.Options{SnapshotAfter: every})
			s.put("files/gone", content)
			s.put("files/kept", content)
			s.put("files/marked", content)
			s.markDeleted("files/marked")
			s.remove("files/gone")
			f := receipt("files/kept", content)
			_, f.Revision = s.latestContent("files/kept")
			list := s.listKeys("", "")
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}

			_, s = open(t, dir, wal.Options{})
			if diff := cmp.Diff(list, s.listKeys("", "")); diff != "" {
				t.Errorf("list (-before +after):\n%s", diff)
			}
			if got := s.outcome(s.downloadLink(f), "", nil); got != "200" {
				t.Errorf("download of the revision: got %s, want 200", got)
			}
			if got, _ := s.latestContent("files/marked"); got != "none" {
				t.Errorf("got %s, want what was deleted to stay so", got)
			}
			if got := s.outcome(s.uploadLink(f), content, nil); got != "412 PreconditionFailed" {
				t.Errorf("a second upload: got %s, want 412 PreconditionFailed", got)
			}
			if got := countContents(t, dir); got != 2 {
				t.Errorf("got %d files of content, want 2", got)
			}
		})
	}
}

func TestOpen_FullDisk(t *testing.T) {
	t.Parallel()
	dir, disk := t.TempDir(), waltest.NewDisk(waltest.Unlimited)
	e, s := open(t, dir, disk.Options())
	s.put(key, content)
	disk.SetRoom(20)
	link := s.uploadLink(receipt("files/refused", content))
	if got := s.outcome(link, content, nil); got != "500 InternalError" {
		t.Errorf("upload: got %s, want 500 InternalError", got)
	}
	if err := s.Delete(t.Context(), key); errorCode(err) != "InternalError" {
		t.Errorf("deletion: got %v, want InternalError", err)
	}
	if e.Refused() == nil {
		t.Error("got no error from Refused, want one")
	}
	want := []string{key + " 16"}
	_, after := open(t, dir, wal.Options{})
	if diff := cmp.Diff(want, after.listKeys("", "")); diff != "" || countContents(t, dir) != 1 {
		t.Errorf("got %d files of content, want 1, and the list (-want +got):\n%s", countContents(t, dir), diff)
	}
	disk.SetRoom(waltest.Unlimited)
	if got := s.outcome(link, content, nil); got != "200" {
		t.Errorf("with room again: got %s, want 200", got)
	}
}

// TestOpen_AfterKill kills a process in the midst of uploads and deletions by eight clients.
func TestOpen_AfterKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(t, strings.TrimSpace(line), http.DefaultTransport, "files", time.Now)
	var mu sync.Mutex
	want, unknown := map[string]bool{}, map[string]bool{} // keys that must or must not exist, and keys that may
	const until = 60
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("files/%d-%04d", client, i)
				uploaded := s.tryUpload(key)
				gone := uploaded && i%3 == 0 && s.Delete(t.Context(), key) == nil
				mu.Lock()
				if uploaded && (gone || i%3 != 0) {
					want[key] = !gone
				} else {
					unknown[key] = true
				}
				if len(want) == until {
					_ = child.Process.Kill()
				}
				mu.Unlock()
				if !uploaded {
					return
				}
			}
		})
	}
	clients.Wait()
	_ = child.Wait() // "signal: killed"

	_, after := open(t, dir, wal.Options{})
	there := 0
	for _, one := range after.listKeys("", "") {
		key, _, _ := strings.Cut(one, " ")
		there++
		if got, _ := after.latestContent(key); got != key+" application/pdf" || !want[key] && !unknown[key] {
			t.Errorf("%s: got content %q, want its own, and only of what was not deleted", key, got)
		}
		delete(want, key)
	}
	for key, kept := range want {
		if kept {
			t.Errorf("%s is lost", key)
		}
	}
	if got := countContents(t, dir); got != there {
		t.Errorf("got %d files of content, want one for each of %d objects", got, there)
	}
}

// tryUpload uploads an object with its key as content. It returns false if that fails.
func (s store) tryUpload(key string) bool {
	link, err := s.UploadLink(s.t.Context(), receipt(key, key), s.now())
	if err != nil {
		return false
	}
	r, err := http.NewRequestWithContext(s.t.Context(), link.Method, link.URL, strings.NewReader(key))
	if err != nil {
		return false
	}
	for name, value := range link.Headers {
		r.Header.Set(name, value)
	}
	res, err := s.http.RoundTrip(r)
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func TestOpen_Damaged(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"{", `{"colour":"red"}`, `{"bucket":"none","key":"k","removed":"1"}`, `{"bucket":""}`} {
		dir := t.TempDir()
		log, err := wal.Open(dir, s3.LogName, wal.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Append([]byte(bad)); err != nil {
			t.Fatal(err)
		}
		if _, err := s3.Open(s3.Config{}, dir, wal.Options{}); err == nil ||
			!strings.Contains(err.Error(), "objects.000001.log") {
			t.Errorf("%s: got error %v, want one that names objects.000001.log", bad, err)
		}
	}
	dir := t.TempDir()
	_, s := open(t, dir, wal.Options{})
	s.put(key, content)
	_, revision := s.latestContent(key)
	if err := os.Truncate(filepath.Join(dir, "versions", revision), 3); err != nil {
		t.Fatal(err)
	}
	if _, err := s3.Open(s3.Config{}, dir, wal.Options{}); err == nil || !strings.Contains(err.Error(), key) {
		t.Errorf("content that is cut off: got error %v, want one that names %s", err, key)
	}
}
