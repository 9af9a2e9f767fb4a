// Package contract is the API's public description, for those who show it. The checker that compares traffic with it
// is a package of its own, so that no program links its validator.
package contract

import _ "embed"

//go:embed openapi.yaml
var openAPI string

// OpenAPI is openapi.yaml as `make golden` makes it. The address of the installation is DocumentedURL everywhere.
func OpenAPI() string { return openAPI }

// DocumentedURL is in openapi.yaml where an installation's own address belongs.
const DocumentedURL = "http://localhost:8080"
