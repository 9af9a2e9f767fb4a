package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// folder is .local, where the local run keeps everything. Only its owner can read it: it holds keys.
type folder string

// Files and folders in it.
const (
	envFile       = "env"            // NAME=value lines, for shells and tests
	secretFile    = "secret"         // the platform's, base64
	functionsFile = "functions.json" // how to run a function beside the platform that runs
	engineLog     = "engines.log"
	lockName      = "lock"
	databaseDir   = "dynamodb" // of DynamoDB Local
	memoryDir     = "memory"   // logs of the engines in memory
)

// formerFiles are what versions before the logs kept their data in.
var formerFiles = []string{"table.gz", "queues.json"}

const (
	private       = 0o600
	privateFolder = 0o700
	secretSize    = 32
)

var (
	errRunning    = errors.New("the platform is running over .local/: stop it first (Ctrl-C in its terminal)")
	errNotRunning = errors.New("the platform is not running: start it with `make run` in another terminal")
)

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

// lock makes the folder and holds it against a second run until unlock, or the end of the process. Error: errRunning.
func (f folder) lock() (unlock func(), err error) {
	if err := os.MkdirAll(string(f), privateFolder); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(f.path(lockName), os.O_CREATE|os.O_RDWR, private)
	if err != nil {
		return nil, err
	}
	free, err := tryLock(file)
	if err != nil || !free {
		file.Close()
		return nil, errors.Join(err, errRunning)
	}
	return func() { file.Close() }, nil
}

// check wants either nothing or everything that a run has left. What is missing was lost: beginning again without it would
// hide that, and with another secret all saved cards, sessions and callback secrets are void.
func (f folder) check() error {
	here := func(name string) bool {
		_, err := os.Lstat(f.path(name))
		return !errors.Is(err, fs.ErrNotExist)
	}
	for _, name := range formerFiles {
		if here(name) {
			return fmt.Errorf("%s is of an earlier version, which this one does not read: `make reset` empties everything", f.path(name))
		}
	}
	data := here(memoryDir) || here(databaseDir)
	switch {
	case data && !here(secretFile):
		return f.missing(secretFile)
	case here(envFile) && !data:
		return f.missing(memoryDir)
	}
	return nil
}

func (f folder) missing(name string) error {
	return fmt.Errorf("%s is missing beside other data: restore it from a copy, or empty everything with `make reset`", f.path(name))
}

// reset removes all data, keys and the secret. Error: errRunning.
func (f folder) reset() error {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return os.RemoveAll(string(f))
}

// secret is the platform's. It is made once: with another one all saved cards, sessions and callback secrets are void.
func (f folder) secret() ([]byte, error) {
	text, err := os.ReadFile(f.path(secretFile))
	if errors.Is(err, fs.ErrNotExist) {
		secret := make([]byte, secretSize)
		_, _ = rand.Read(secret) // it never fails
		return secret, f.write(secretFile, []byte(base64.StdEncoding.EncodeToString(secret)+"\n"))
	}
	if err != nil {
		return nil, err
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) < secretSize {
		return nil, fmt.Errorf("%s is not base64 of %d bytes: restore it, or `make reset`", f.path(secretFile), secretSize)
	}
	return secret, nil
}

// secretSince is when the secret was made.
func (f folder) secretSince() (time.Time, error) {
	info, err := os.Stat(f.path(secretFile))
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// readEnv reads what writeEnv wrote. Error: errNotRunning when there is nothing yet.
func (f folder) readEnv() (map[string]string, error) {
	text, err := os.ReadFile(f.path(envFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNotRunning
	}
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			env[name] = value
		}
	}
	return env, nil
}

// envNames are the lines of .local/env, in order.
var envNames = []string{"BASE_URL", "MERCHANT_CODE", "API_KEY", "OTHER_MERCHANT_CODE", "OTHER_API_KEY"}

func (f folder) writeEnv(env map[string]string) error {
	var text bytes.Buffer
	for _, name := range envNames {
		fmt.Fprintf(&text, "%s=%s\n", name, env[name])
	}
	return f.write(envFile, text.Bytes())
}

// beside is what a function needs to run in another process over the same engines; the secret it reads for itself.
type beside struct {
	AccessKey   string            `json:"access_key"`
	Environment map[string]string `json:"environment"`
}

func (f folder) writeFunctions(b beside) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	// The last run's is of no use, and its room is enough for this one's should the disk be full.
	if err := os.Remove(f.path(functionsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.write(functionsFile, append(text, '\n'))
}

// readFunctions is of the platform that runs. Error: errNotRunning.
func (f folder) readFunctions() (beside, error) {
	unlock, err := f.lock()
	if err == nil {
		unlock()
		return beside{}, errNotRunning
	}
	if !errors.Is(err, errRunning) {
		return beside{}, err
	}
	text, err := os.ReadFile(f.path(functionsFile))
	if err != nil {
		return beside{}, fmt.Errorf("the platform is still starting: %w", err)
	}
	var b beside
	return b, json.Unmarshal(text, &b)
}

// write replaces a file whole, so that nobody reads half of it. What is there already needs no room on the disk.
func (f folder) write(name string, content []byte) error {
	if before, err := os.ReadFile(f.path(name)); err == nil && bytes.Equal(before, content) {
		return nil
	}
	temporary := f.path(name + ".new")
	err := os.WriteFile(temporary, content, private)
	if err == nil {
		err = os.Rename(temporary, f.path(name))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temporary))
	}
	return nil
}
