// Package contract holds the public description of the API, openapi.yaml, and
// the checker that compares the tests' traffic with it. Only tests import it, so
// no Lambda links the validator.
package contract

import "github.com/cashwrap/cashwrap/shared"

// Document is openapi.yaml as shipped, in UTF-8. The caller gets a copy.
func Document() []byte { return []byte(shared.OpenAPI()) }
