package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func newFolder(t *testing.T) folder {
	t.Helper()
	place := folder(filepath.Join(t.TempDir(), ".local"))
	unlock, err := place.lock()
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	return place
}

func wantPrivate(t *testing.T, place folder, name string) {
	t.Helper()
	info, err := os.Stat(place.path(name))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%s has the mode %v: others can read it", name, info.Mode())
	}
}

func TestTheSecretIsMadeOnce(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	first, err := place.secret()
	if err != nil {
		t.Fatal(err)
	}
	again, err := place.secret()
	if err != nil || len(first) != secretSize || !bytes.Equal(first, again) {
		t.Errorf("%d bytes, the same again: %v, error %v", len(first), bytes.Equal(first, again), err)
	}
	wantPrivate(t, place, secretFile)
	wantPrivate(t, place, ".")
	other, err := newFolder(t).secret()
	if err != nil || bytes.Equal(first, other) {
		t.Errorf("two folders share a secret, error %v", err)
	}
}

func TestABrokenSecretIsNotReplaced(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "not base64!", "c2hvcnQ="} {
		place := newFolder(t)
		if err := place.write(secretFile, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if _, err := place.secret(); err == nil {
			t.Errorf("%q: no error", content)
		}
	}
}

func TestEnvIsReadAsWritten(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	if _, err := place.readEnv(); !errors.Is(err, errNotRunning) {
		t.Errorf("error %v before the first run", err)
	}
	env := map[string]string{"BASE_URL": "http://127.0.0.1:8080", "MERCHANT_CODE": "MC1", "API_KEY": "a=b",
		"OTHER_MERCHANT_CODE": "MC2", "OTHER_API_KEY": "c"}
	if err := place.writeEnv(env); err != nil {
		t.Fatal(err)
	}
	if got, err := place.readEnv(); err != nil || !maps.Equal(got, env) {
		t.Errorf("read %v, error %v", got, err)
	}
	wantPrivate(t, place, envFile)
}

func TestAFolderIsHeldByOneRun(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	if _, err := place.readFunctions(); !errors.Is(err, errNotRunning) {
		t.Errorf("functions of no run: error %v", err)
	}
	unlock, err := place.lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := place.lock(); !errors.Is(err, errRunning) {
		t.Errorf("second lock: error %v", err)
	}
	if err := place.reset(); !errors.Is(err, errRunning) {
		t.Errorf("reset while it runs: error %v", err)
	}
	b := beside{AccessKey: "key", Environment: map[string]string{"TABLE": "t"}}
	if err := place.writeFunctions(b); err != nil {
		t.Fatal(err)
	}
	if got, err := place.readFunctions(); err != nil || got.AccessKey != b.AccessKey || !maps.Equal(got.Environment, b.Environment) {
		t.Errorf("functions %v, error %v", got, err)
	}
	unlock()
	if err := place.reset(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(string(place)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after a reset: %v", err)
	}
}
