package merchant

// Trade has the business as payers know it, as far as acquirers must report it to the card schemes. It is bounded,
// because the merchant's item has it.
type Trade struct {
	CategoryCode string `dynamo:"mcc,omitempty"`  // ISO 18245; "" if unknown
	Name         string `dynamo:"name,omitempty"` // "": the merchant's
	Line1        string `dynamo:"line1,omitempty"`
	City         string `dynamo:"city,omitempty"`
	Region       string `dynamo:"region,omitempty"`
	PostCode     string `dynamo:"post_code,omitempty"`
}

// Copied has those facts of the merchant's account that requests to pay need. The account's writers copy them to the
// merchant, so that these requests need not read the account.
type Copied struct {
	AdvancedMode bool  `dynamo:"advanced_mode,omitempty"` // the owner's app setting
	Trade        Trade `dynamo:"trade,omitempty"`
}
