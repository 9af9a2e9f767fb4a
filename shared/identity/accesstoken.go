package identity

import "time"

// AccessToken is an OAuth access token (contract §10) or a merchant token (contract §8.5), as stored, with its user and
// its rights. The token's text is stored nowhere.
type AccessToken struct {
	Hash      string    `dynamo:"token_hash"`
	Kind      Kind      `dynamo:"kind"`             // User, Operator, Client, TestProfile or MerchantToken
	Subject   string    `dynamo:"subject"`          // id of the member, client, profile or merchant token
	User      string    `dynamo:"user,omitempty"`   // id of a User, who may also be a member of other merchants
	Client    string    `dynamo:"client,omitempty"` // id of the OAuth client that has it
	Grant     string    `dynamo:"grant,omitempty"`  // hash of the refresh token issued with it; "": no refresh token
	Tenant    Tenant    `dynamo:"tenant"`           // where the token acts, unless the path names another merchant
	Scopes    []string  `dynamo:"scopes,set"`
	CreatedAt time.Time `dynamo:"created_at"`
	ExpiresAt time.Time `dynamo:"-"` // precise to the second, because it is stored as expires_at of the item

	// SignedIn is the time of the sign-in that allowed the token. It is zero in tokens that do not belong to a person, and
	// in tokens that are older than the field.
	SignedIn time.Time `dynamo:"signed_in_at,omitempty"`

	Actions []Action `dynamo:"actions,set,omitempty"` // of a merchant token
	Maker   Token    `dynamo:"maker,omitempty"`       // of a merchant token: the credential that made it
}

// Valid returns true if the token may be used at the time. A test profile's token is valid in test mode only.
func (t AccessToken) Valid(now time.Time) bool {
	return now.Before(t.ExpiresAt) && (t.Kind != TestProfile || t.Tenant.Mode == Test)
}

// Principal returns the principal of requests with this token. The caller adds a person's permissions from the member.
func (t AccessToken) Principal() Principal {
	return Principal{Actor: Actor{Kind: t.Kind, ID: t.Subject}, Tenant: t.Tenant, Scopes: t.Scopes, Client: t.Client,
		Actions: t.Actions, SignedIn: t.SignedIn, Expires: t.ExpiresAt, Admitted: Admission{Hash: t.Hash, Grant: t.Grant}}
}

// Elsewhere returns the principal of a user's token at another merchant, where the user is the member with memberID.
func (p Principal) Elsewhere(t Tenant, memberID string) Principal {
	p.Admitted.Chosen, p.Admitted.ChosenTenant = p.Actor.ID, p.Tenant
	p.Actor.ID, p.Tenant = memberID, t
	return p
}
