package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// commitFile contains the commit that `make build` built, which may differ from git's current commit. Functions get the
// commit in the variable COMMIT. If the commit were compiled in, each commit would change every zip. All zips would be
// uploaded, and `cdk diff` would not show which code changed. In either case each deployment replaces all processes.
// This is the price of logging the commit.
const commitFile = "commit"

var commitForm = regexp.MustCompile(`^([0-9a-f]{12,40}(-dirty)?|unknown)$`)

var errCommit = errors.New("the folder of the built functions does not say their commit: run `make build`")

func readCommit(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, commitFile)) //nolint:gosec // the operator's own folder
	if err != nil {
		return "", fmt.Errorf("%w: %w", errCommit, err)
	}
	commit := strings.TrimSpace(string(text))
	if !commitForm.MatchString(commit) {
		return "", fmt.Errorf("%w: got %q", errCommit, commit)
	}
	return commit, nil
}
