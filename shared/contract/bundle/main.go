// Package main joins the files of shared/contract/openapi into the one document that is published and embedded. Each
// family has a file, and common.yaml has the shared parts. Run it with:
//
//	go run ./shared/contract/bundle
//
// Text is copied as written, so that order and comments stay. Only the samples of requests are made here, from the
// examples. Every reference already has the form that it has in the document (#/components/…). A reference leads to a
// component of the same family or of common.yaml.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	parts := flag.String("parts", "shared/contract/openapi", "folder of the parts")
	document := flag.String("document", "shared/contract/openapi.yaml", "file to write")
	flag.Parse()
	text, err := bundle(os.DirFS(*parts))
	if err == nil {
		err = os.WriteFile(*document, []byte(text), 0o644) //nolint:gosec // readable for all, as a file of the repository
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}
