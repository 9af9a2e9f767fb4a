// Package oauth has the rules of OAuth 2.0 (RFC 6749, RFC 7636, RFC 9700) that contract §10 chooses. The rules are for
// clients and their scopes, and for the codes and grants that people give to clients. The package's methods return
// changed items, which package store writes.
package oauth

import (
	"github.com/cashwrap/cashwrap/shared/failure"
)

// The error codes of RFC 6749 §4.1.2.1 and §5.2 and RFC 7009 §2.2.1.
const (
	InvalidRequest          = "invalid_request"
	InvalidClient           = "invalid_client"
	InvalidGrant            = "invalid_grant"
	InvalidScope            = "invalid_scope"
	UnauthorizedClient      = "unauthorized_client"
	UnsupportedGrantType    = "unsupported_grant_type"
	UnsupportedResponseType = "unsupported_response_type"
	AccessDenied            = "access_denied"
)

// Refused returns the failure with an OAuth error code and its error_description, which has neither quotes nor
// backslashes (RFC 6749 §5.2).
func Refused(code, description string) *failure.Error {
	return failure.Malformed(description).WithCode(code)
}

// ErrClient is the failure for an unknown client, a revoked client and a wrong secret. Clients cannot see which of the
// three was the reason.
var ErrClient = failure.Unauthorized("unauthorized").WithCode(InvalidClient)
