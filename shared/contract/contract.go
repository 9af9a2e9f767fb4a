// Package contract has the API's public description, for programs that show it. OpenAPI returns the document. The
// separate package checker compares traffic with the document, so that no program links the checker's validator.
package contract

import _ "embed"

//go:embed openapi.yaml
var openAPI string

// OpenAPI returns openapi.yaml as `make golden` makes it. The address of the installation in it is always
// DocumentedURL.
func OpenAPI() string { return openAPI }

// DocumentedURL is the address in openapi.yaml. It stands for the address of an installation.
const DocumentedURL = "http://localhost:8080"
