package oauth

import (
	"context"
	"maps"
	"slices"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// metadata describes the authorization server (RFC 8414 §2, RFC 9207 §3).
type metadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	IntrospectionEndpoint string   `json:"introspection_endpoint"`
	Scopes                []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	TokenAuth             []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth        []string `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionAuth     []string `json:"introspection_endpoint_auth_methods_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	NamesIssuer           bool     `json:"authorization_response_iss_parameter_supported"`
}

// retrieveAuthorizationServer describes the server to OAuth libraries (RFC 8414 §3).
func (f family) retrieveAuthorizationServer(context.Context, struct{}) (metadata, error) {
	auth := []string{"client_secret_basic", "client_secret_post"}
	return metadata{
		Issuer:                f.baseURL,
		AuthorizationEndpoint: f.baseURL + "/authorize",
		TokenEndpoint:         f.baseURL + "/token",
		RevocationEndpoint:    f.baseURL + "/revoke",
		IntrospectionEndpoint: f.baseURL + "/introspect",
		Scopes:                identity.AllScopes(),
		ResponseTypes:         []string{"code"},
		ResponseModes:         []string{"query"},
		GrantTypes:            slices.Sorted(maps.Keys(grantTypes)),
		TokenAuth:             auth,
		RevocationAuth:        auth,
		IntrospectionAuth:     auth,
		ChallengeMethods:      []string{"S256"},
		NamesIssuer:           true,
	}, nil
}
