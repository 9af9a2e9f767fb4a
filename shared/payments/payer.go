package payments

// Consent is the payer's agreement to later charges without the payer. The browser and the address are those in which
// the payer agreed, as the merchant reports them.
type Consent struct {
	UserAgent string
	IP        string // "" if unknown
}

// Browser describes the payer's browser at the time of a charge, for the issuer's risk checks.
type Browser struct {
	IP        string // "" if unknown
	UserAgent string // header User-Agent
	Accept    string // header Accept
}
