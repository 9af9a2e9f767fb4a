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

// Folder is the path of .local, which holds all data of the local run. Only the folder's owner can read it, because it
// holds keys.
type Folder string

// EngineLog is the file in a Folder for the output of the real engines.
const EngineLog = "engines.log"

// Files and folders in a Folder.
const (
	formatFile    = "format"         // version of the folder's format
	envFile       = "env"            // lines NAME=value for shells and tests; values with blanks are in double quotes
	secretFile    = "secret"         // the platform's secret in base64
	functionsFile = "functions.json" // Surroundings of the running platform
	lockName      = "lock"
	databaseDir   = "dynamodb" // data of DynamoDB Local
	memoryDir     = "memory"   // logs of the in-memory engines
	mailDir       = "mail"     // a file per mail
)

// format is the version of the folder's format; versions start at 2. Raise it when this code cannot read older data.
const format = "5"

const (
	private       = 0o600
	privateFolder = 0o700
	secretSize    = 32
)

// Errors about a running platform.
var (
	errRunning    = errors.New("the platform is running over .local/: stop it first (Ctrl-C in its terminal)")
	ErrNotRunning = errors.New("no platform is running here: start it with `make run`, or `cashwrap run`, in another " +
		"terminal")
)

func (f Folder) path(name string) string { return filepath.Join(string(f), name) }

// Mails returns the folder that receives a file per mail.
func (f Folder) Mails() string { return f.path(mailDir) }

// lock creates the folder and locks it until release is called or the process ends. If another run holds the lock, it
// fails with errRunning.
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

// open takes over the last run's folder or initialises a new one. It refuses a folder that has lost a part. Starting
// without that part would hide the loss, and a new secret would void saved cards, sessions and callback secrets.
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
		return f.missingError(secretFile)
	case here(envFile) && !data:
		return f.missingError(memoryDir)
	}
	if there, err := wal.Exists(f.path(objectsDir), s3.LogName); data && (err != nil || !there) {
		return errors.Join(f.missingError(filepath.Join(objectsDir, s3.LogName+".*")), err)
	}
	return nil
}

// ours lists the files that a folder without data may have, from other commands or from a run that failed to start.
var ours = []string{lockName, formatFile, functionsFile, clockFile, EngineLog, envFile, secretFile, "table.gz", mailDir,
	memoryDir + ".new", objectsDir, databaseDir, memoryDir, readersDir, "emulator", "sam"}

// checkOurs fails if a folder without a format file has other programs' files, as ~/.local has on many machines.
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

// IsPlatforms returns true if the folder certainly belongs to the platform.
func (f Folder) IsPlatforms() bool {
	_, err := os.Stat(f.path(formatFile))
	return err == nil
}

func (f Folder) missingError(name string) error {
	return fmt.Errorf("%s is missing beside other data: restore it from a copy, or empty everything with `make reset`",
		f.path(name))
}

// Reset removes all data, keys and the secret. It fails with errRunning, or if the folder is not the platform's.
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

// ensureSecret creates or returns the platform's secret. A new one voids saved cards, sessions and callback secrets.
func (f Folder) ensureSecret() ([]byte, error) {
	text, err := os.ReadFile(f.path(secretFile))
	if errors.Is(err, fs.ErrNotExist) {
		secret := make([]byte, secretSize)
		_, _ = rand.Read(secret) // never fails
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

// ReadEnv reads .local/env: the API's address, and the merchants' keys and secrets. If the file is missing, it fails
// with ErrNotRunning.
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
		code, key, secret := m.variableNames()
		names = append(names, code, key, secret)
	}
	return append(names, peopleNames...)
}

func (f Folder) writeEnv(env map[string]string) error {
	var text bytes.Buffer
	for _, name := range envNames() {
		value := env[name] // has no quotes, dollars or backslashes
		if strings.Contains(value, " ") {
			value = `"` + value + `"`
		}
		fmt.Fprintf(&text, "%s=%s\n", name, value)
	}
	return f.write(envFile, text.Bytes())
}

// Surroundings tell another process how to run a function beside the platform, over the same engines.
type Surroundings struct {
	AccessKey   string            `json:"access_key"`  // for the engines
	Environment map[string]string `json:"environment"` // the function's variables
	Control     control.Host      `json:"control"`     // of the running platform
}

// secretVariable, like clockVariable, is left out of functionsFile, because another file already holds its value.
const secretVariable = "PLATFORM_SECRET"

func (f Folder) writeFunctions(s Surroundings) error {
	delete(s.Environment, secretVariable)
	delete(s.Environment, clockVariable)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	// Remove the last run's file first, because nothing needs it any more. On a full disk this makes room for the new
	// file.
	if err := os.Remove(f.path(functionsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.write(functionsFile, append(text, '\n'))
}

// Surroundings returns the Surroundings of the running platform, or ErrNotRunning.
func (f Folder) Surroundings() (Surroundings, error) {
	if _, err := os.Stat(f.path(lockName)); errors.Is(err, fs.ErrNotExist) { // do not create a folder just to look
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
	secret, err := f.ensureSecret()
	if err != nil {
		return Surroundings{}, err
	}
	offset, err := f.readClockOffset()
	if err != nil {
		return Surroundings{}, err
	}
	s.Environment[secretVariable] = base64.StdEncoding.EncodeToString(secret)
	s.Environment[clockVariable] = offset.String()
	return s, nil
}

// write replaces a file atomically. If the content is unchanged, write needs no room on the disk.
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
