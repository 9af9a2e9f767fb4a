// Package contract has the API's public description, for programs that show it: OpenAPI returns the document. Package
// checker compares traffic with it, and is separate so that no program links its validator.
package contract

import _ "embed"

//go:embed openapi.yaml
var openAPI string

// OpenAPI returns openapi.yaml as `make golden` makes it. Its address of the installation is always DocumentedURL.
func OpenAPI() string { return openAPI }

// DocumentedURL stands in openapi.yaml for an installation's own address.
const DocumentedURL = "http://localhost:8080"
