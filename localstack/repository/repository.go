// Package repository finds the repository's files on a developer's machine.
package repository

import (
	"errors"
	"os"
	"path/filepath"
)

// Root is the repository's folder. It is looked for from the working directory upward. The error says that there is
// none.
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
