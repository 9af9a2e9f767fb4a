package identity

// Maker names the maker of an API key (contract §8.2). It is zero for a key that an operator's command made, and for a
// key that is older than this record.
type Maker struct {
	Kind   Kind   `dynamo:"kind"`             // SecretKey, User, Operator or Client
	ID     string `dynamo:"id"`               // of the key, the member or the client
	Client string `dynamo:"client,omitempty"` // id of the OAuth client that had the access token
	Token  string `dynamo:"token,omitempty"`  // the first digits of the access token's hash

	// Person is the id of the member who stands behind the key: the member made it, or made the key, or made an earlier
	// key that made this key. "": none.
	Person string `dynamo:"person,omitempty"`
}

// tokenDigits is the number of digits of a token's hash in Maker. They suffice to distinguish the tokens of a merchant.
const tokenDigits = 16

// Maker returns the principal as the maker of a key.
func (p Principal) Maker() Maker {
	m := Maker{Kind: p.Actor.Kind, ID: p.Actor.ID, Client: p.Client, Person: p.Person}
	if p.IsPerson() {
		m.Person = p.Actor.ID
	}
	if p.Client != "" {
		m.Token = p.Admitted.Hash[:min(len(p.Admitted.Hash), tokenDigits)]
	}
	return m
}
