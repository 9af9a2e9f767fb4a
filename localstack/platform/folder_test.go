package platform

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

func newFolder(t *testing.T) Folder {
	t.Helper()
	place := Folder(filepath.Join(t.TempDir(), ".local"))
	release, err := place.lock()
	if err != nil {
		t.Fatal(err)
	}
	release()
	return place
}

func wantPrivate(t *testing.T, place Folder, name string) {
	t.Helper()
	info, err := os.Stat(place.path(name))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%s: got mode %v, want nothing for others", name, info.Mode())
	}
}

func TestEnsureSecret_Once(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	first, err := place.ensureSecret()
	if err != nil {
		t.Fatal(err)
	}
	again, err := place.ensureSecret()
	if err != nil || len(first) != secretSize || !bytes.Equal(first, again) {
		t.Errorf("got %x, then %x and error %v, want %d bytes, the same twice", first, again, err, secretSize)
	}
	wantPrivate(t, place, secretFile)
	wantPrivate(t, place, ".")
	other, err := newFolder(t).ensureSecret()
	if err != nil || bytes.Equal(first, other) {
		t.Errorf("another folder: got %x and error %v, want another secret than %x", other, err, first)
	}
}

func TestEnsureSecret_Broken(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "not base64!", "c2hvcnQ="} {
		place := newFolder(t)
		if err := place.write(secretFile, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if _, err := place.ensureSecret(); err == nil {
			t.Errorf("%q: got no error, want one", content)
		}
	}
}

func TestWriteEnv_RoundTrip(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	if _, err := place.ReadEnv(); !errors.Is(err, ErrNotRunning) {
		t.Errorf("before the first run: got error %v, want %v", err, ErrNotRunning)
	}
	env := map[string]string{}
	for _, name := range envNames() {
		env[name] = "a=b of " + name
	}
	if err := place.writeEnv(env); err != nil {
		t.Fatal(err)
	}
	if got, err := place.ReadEnv(); err != nil || !maps.Equal(got, env) {
		t.Errorf("got %v and error %v, want %v", got, err, env)
	}
	wantPrivate(t, place, envFile)
}

func TestLock_OneRun(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	if _, err := place.Surroundings(); !errors.Is(err, ErrNotRunning) {
		t.Errorf("functions of no run: got error %v, want %v", err, ErrNotRunning)
	}
	release, err := place.lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err = place.lock(); !errors.Is(err, errRunning) {
		t.Errorf("second lock: got error %v, want %v", err, errRunning)
	}
	if err = place.Reset(); !errors.Is(err, errRunning) {
		t.Errorf("reset while it runs: got error %v, want %v", err, errRunning)
	}
	written := Surroundings{AccessKey: "key", Environment: map[string]string{"TABLE": "t"}}
	if err = place.writeFunctions(written); err != nil {
		t.Fatal(err)
	}
	got, err := place.Surroundings()
	if err != nil || got.AccessKey != written.AccessKey || len(got.Environment) != 3 || got.Environment["TABLE"] != "t" ||
		got.Environment[secretVariable] == "" || got.Environment[clockVariable] != "0s" {
		t.Errorf("got %v and error %v, want %v with a secret and the real time", got, err, written)
	}
	release()
	if err := place.Reset(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(string(place)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after a reset: got error %v, want %v", err, os.ErrNotExist)
	}
}

// TestOpen_OtherFormat checks that the error names the way out, and that the data stays unchanged.
func TestOpen_OtherFormat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files   map[string]string
		refused bool
	}{
		"nothing":                 {nil, false},
		"tools of other commands": {map[string]string{"emulator": ""}, false},
		"this version": {map[string]string{formatFile: format + "\n", secretFile: "s", envFile: "e",
			memoryDir: "m"}, false},
		"before there was a format": {map[string]string{secretFile: "s", envFile: "e", memoryDir: "m"}, true},
		"of DynamoDB Local":         {map[string]string{secretFile: "s", envFile: "e", databaseDir: "d"}, true},
		"before there were logs":    {map[string]string{secretFile: "s", envFile: "e", "table.gz": "t"}, true},
		"a first start only":        {map[string]string{secretFile: "s"}, true},
		"a later version": {map[string]string{formatFile: "99\n", secretFile: "s", envFile: "e", memoryDir: "m"},
			true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := newFolder(t)
			for file, content := range c.files {
				if err := os.WriteFile(place.path(file), []byte(content), private); err != nil {
					t.Fatal(err)
				}
			}
			if name == "this version" {
				if err := makeObjects(place, wal.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			before := listFiles(t, place)
			err := place.open()
			if (err != nil) != c.refused {
				t.Fatalf("got error %v, want one: %t", err, c.refused)
			}
			if c.refused && (!strings.Contains(err.Error(), "another version") || !strings.Contains(err.Error(), "make reset") ||
				listFiles(t, place) != before) {
				t.Errorf("got error %v, want one about another version and make reset; got files\n%s\nwant\n%s",
					err, listFiles(t, place), before)
			}
			if found, err := os.ReadFile(place.path(formatFile)); !c.refused && (err != nil || string(found) != format+"\n") {
				t.Errorf("got format %q and error %v, want %q", found, err, format+"\n")
			}
		})
	}
}
