// Package shared is the description of the API, openapi.yaml, for those who show it. It is in this folder because
// a package can embed only what is below its own, and no program may link the validator that package contract has.
package shared

import _ "embed"

//go:embed contract/openapi.yaml
var openAPI string

// OpenAPI is openapi.yaml as `make golden` makes it. The address of the installation is DocumentedURL everywhere.
func OpenAPI() string { return openAPI }

// DocumentedURL is in openapi.yaml where an installation's own address belongs.
const DocumentedURL = "http://localhost:8080"
