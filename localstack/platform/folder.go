package platform

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
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/platform/control"
)

// Folder is .local, where the local run keeps everything. Only its owner can read it: it holds keys.
type Folder string

// EngineLog is the file in it that the real engines write to.
const EngineLog = "engines.log"

// Files and folders in it.
const (
	formatFile    = "format"         // of everything here
	envFile       = "env"            // NAME=value lines, for shells and tests; a value with blanks is in double quotes
	secretFile    = "secret"         // the platform's, base64
	functionsFile = "functions.json" // how to reach the platform that runs, and run a function beside it
	lockName      = "lock"
	databaseDir   = "dynamodb" // of DynamoDB Local
	memoryDir     = "memory"   // logs of the engines in memory
	mailDir       = "mail"     // a file for each mail that was sent
)

// format is the folder's version; none is older than 2. Raise it when this version cannot read what earlier ones wrote.
const format = "5"

const (
	private       = 0o600
	privateFolder = 0o700
	secretSize    = 32
)

// Whether the platform runs over a folder.
var (
	errRunning    = errors.New("the platform is running over .local/: stop it first (Ctrl-C in its terminal)")
	ErrNotRunning = errors.New("no platform is running here: start it with `make run`, or `cashwrap run`, in another " +
		"terminal")
)

func (f Folder) path(name string) string { return filepath.Join(string(f), name) }

// Mails returns the folder with a file for each mail that was sent.
func (f Folder) Mails() string { return f.path(mailDir) }

// lock makes the folder and holds it against a second run until release, or the end of the process. Error: errRunning.
func (f Folder) lock() (release func(), err error) {
	if err = os.MkdirAll(string(f), privateFolder); err != nil {
		return nil, err
	}
	lock := flock.New(f.path(lockName))
	free, err := lock.TryLock()
	if err != nil || !free {
		return nil, errors.Join(err, errRunning)
	}
	return func() { _ = lock.Unlock() }, nil
}

// open takes over the last run's folder, or makes a new one. It refuses a folder in which a part was lost: to begin
// without it would hide that, and with another secret saved cards, sessions and callback secrets would be void.
func (f Folder) open() error {
	here := func(name string) bool {
		_, err := os.Lstat(f.path(name))
		return !errors.Is(err, fs.ErrNotExist)
	}
	data := here(memoryDir) || here(databaseDir)
	if !data && !here(envFile) && !here(secretFile) {
		if err := f.checkOurs(); err != nil {
			return err
		}
		return f.write(formatFile, []byte(format+"\n"))
	}
	found, err := os.ReadFile(f.path(formatFile))
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case strings.TrimSpace(string(found)) != format:
		return fmt.Errorf("%s was written by another version of the platform, whose data this one does not read: "+
			"`make reset` empties everything", f)
	case data && !here(secretFile):
		return f.missing(secretFile)
	case here(envFile) && !data:
		return f.missing(memoryDir)
	}
	if there, err := wal.Exists(f.path(objectsDir), s3.LogName); data && (err != nil || !there) {
		return errors.Join(f.missing(filepath.Join(objectsDir, s3.LogName+".*")), err)
	}
	return nil
}

// ours are what a folder without data may have: files of other commands, and of a run that did not begin.
var ours = []string{lockName, formatFile, functionsFile, clockFile, EngineLog, envFile, secretFile, "table.gz", mailDir,
	memoryDir + ".new", objectsDir, databaseDir, memoryDir, readersDir, "emulator", "sam"}

// checkOurs fails if a folder without a format has files of other programs, as ~/.local has on many machines.
func (f Folder) checkOurs() error {
	if f.IsPlatforms() {
		return nil
	}
	files, err := os.ReadDir(string(f))
	for _, file := range files {
		if !slices.Contains(ours, file.Name()) {
			return fmt.Errorf("%s has files of other programs, such as %s: run the platform in another folder", f, file.Name())
		}
	}
	return err
}

// IsPlatforms reports whether the folder is certainly one of the platform.
func (f Folder) IsPlatforms() bool {
	_, err := os.Stat(f.path(formatFile))
	return err == nil
}

func (f Folder) missing(name string) error {
	return fmt.Errorf("%s is missing beside other data: restore it from a copy, or empty everything with `make reset`",
		f.path(name))
}

// Reset removes all data, keys and the secret. Errors: errRunning, or that the folder is not the platform's.
func (f Folder) Reset() error {
	if _, err := os.Stat(string(f)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := f.checkOurs(); err != nil {
		return err
	}
	release, err := f.lock()
	if err != nil {
		return err
	}
	defer release()
	return os.RemoveAll(string(f))
}

// secret is the platform's. It is made once: with another one all saved cards, sessions and callback secrets are void.
func (f Folder) secret() ([]byte, error) {
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

// ReadEnv reads .local/env: the API's address, merchants' keys and secrets. Error: ErrNotRunning if there is none.
func (f Folder) ReadEnv() (map[string]string, error) {
	text, err := os.ReadFile(f.path(envFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotRunning
	}
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			env[name] = strings.Trim(value, `"`)
		}
	}
	return env, nil
}

func envNames() []string {
	names := []string{"BASE_URL"}
	for _, m := range merchants() {
		code, key, secret := m.names()
		names = append(names, code, key, secret)
	}
	return append(names, peopleNames...)
}

func (f Folder) writeEnv(env map[string]string) error {
	var text bytes.Buffer
	for _, name := range envNames() {
		value := env[name] // without quotes, dollars and backslashes
		if strings.Contains(value, " ") {
			value = `"` + value + `"`
		}
		fmt.Fprintf(&text, "%s=%s\n", name, value)
	}
	return f.write(envFile, text.Bytes())
}

// Surroundings are what a function needs to run in a process of its own beside the platform, over the same engines.
type Surroundings struct {
	AccessKey   string            `json:"access_key"`  // of the engines
	Environment map[string]string `json:"environment"` // its variables
	Control     control.Host      `json:"control"`     // of the platform that runs
}

// secretVariable is left out of what is written, and so is clockVariable: each is in one file only.
const secretVariable = "PLATFORM_SECRET"

func (f Folder) writeFunctions(s Surroundings) error {
	delete(s.Environment, secretVariable)
	delete(s.Environment, clockVariable)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	// The last run's is of no use, and its room is enough for this one's should the disk be full.
	if err := os.Remove(f.path(functionsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.write(functionsFile, append(text, '\n'))
}

// Surroundings are those of the platform that runs. Error: ErrNotRunning.
func (f Folder) Surroundings() (Surroundings, error) {
	if _, err := os.Stat(f.path(lockName)); errors.Is(err, fs.ErrNotExist) { // who only looks makes no folder
		return Surroundings{}, fmt.Errorf("%s: %w", f, ErrNotRunning)
	}
	release, err := f.lock()
	if err == nil {
		release()
		return Surroundings{}, fmt.Errorf("%s: %w", f, ErrNotRunning)
	}
	if !errors.Is(err, errRunning) {
		return Surroundings{}, err
	}
	text, err := os.ReadFile(f.path(functionsFile))
	if err != nil {
		return Surroundings{}, fmt.Errorf("the platform is still starting: %w", err)
	}
	var s Surroundings
	if err = json.Unmarshal(text, &s); err != nil {
		return Surroundings{}, err
	}
	secret, err := f.secret()
	if err != nil {
		return Surroundings{}, err
	}
	offset, err := f.clockOffset()
	if err != nil {
		return Surroundings{}, err
	}
	s.Environment[secretVariable] = base64.StdEncoding.EncodeToString(secret)
	s.Environment[clockVariable] = offset.String()
	return s, nil
}

// write replaces a file whole, so that no reader gets half of it. What is there already needs no room on the disk.
func (f Folder) write(name string, content []byte) error {
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
