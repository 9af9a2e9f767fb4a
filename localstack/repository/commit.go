package repository

import (
	"os/exec"
	"strings"
)

// Commit is what the repository's folder has checked out, as `make build` notes it: 12 digits or more, with -dirty if
// any file differs from it. "" without git.
func Commit() string {
	commit, err := git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return ""
	}
	if changed, err := git("status", "--porcelain"); err != nil || changed != "" {
		commit += "-dirty"
	}
	return commit
}

// git runs a command of git in the repository's folder.
func git(args ...string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output() //nolint:gosec // our own arguments
	return strings.TrimSpace(string(out)), err
}
