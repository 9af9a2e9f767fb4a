// Package repository finds the repository on a developer's machine. Root returns its folder, Commit its version.
package repository

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Root returns the repository's folder, at or above the working directory. It fails outside of the repository.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err = os.Stat(filepath.Join(dir, "localstack", "package-lock.json")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("localstack/package-lock.json not found: run inside the repository")
		}
		dir = parent
	}
}

// Commit returns the checked-out commit in at least 12 digits, with -dirty if any file differs, or "" without git.
func Commit() string {
	commit, err := runGit("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return ""
	}
	if changed, err := runGit("status", "--porcelain"); err != nil || changed != "" {
		commit += "-dirty"
	}
	return commit
}

func runGit(args ...string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output() //nolint:gosec // our arguments
	return strings.TrimSpace(string(out)), err
}
