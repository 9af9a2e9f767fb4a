package main

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/cashwrap/cashwrap/functions"
)

// Limits of the size that a cold start has to load, in bytes.
const (
	maxBinary = 12_500_000
	maxZip    = 4_700_000
)

const program = "bootstrap"

// checkSizes prints each function's size, as a binary and as a zip. The error names each function that is too large.
func checkSizes(folder string, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "function\tbinary\tzip\t")
	var problems []error
	for _, f := range functions.All {
		binary, zipped, err := measure(filepath.Join(folder, f.Name, program))
		if err != nil {
			return fmt.Errorf("run `make build` first: %w", err)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t\n", f.Name, binary, zipped)
		problems = append(problems, checkSize(f.Name, binary, zipped))
	}
	return errors.Join(table.Flush(), errors.Join(problems...))
}

func checkSize(name string, binary, zipped int64) error {
	if binary > maxBinary || zipped > maxZip {
		return fmt.Errorf("%s is too large: a binary of %d bytes (at most %d), a zip of %d (at most %d)",
			name, binary, maxBinary, zipped, maxZip)
	}
	return nil
}

// measure returns the size of the file and the size of the file's zip, which is compressed as the CDK does.
func measure(file string) (binary, zipped int64, err error) {
	content, err := os.Open(file)
	if err != nil {
		return 0, 0, err
	}
	defer content.Close()
	var size counter
	archive := zip.NewWriter(&size)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	entry, err := archive.Create(program)
	if err == nil {
		binary, err = io.Copy(entry, content)
	}
	err = errors.Join(err, archive.Close()) // Close writes the rest
	return binary, int64(size), err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
