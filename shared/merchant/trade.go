package merchant

// Trade has the business as payers know it, as far as acquirers must report it to the card schemes. Its fields are cut,
// because each request reads the merchant.
type Trade struct {
	CategoryCode string `dynamo:"mcc,omitempty"`  // ISO 18245; "" if unknown
	Name         string `dynamo:"name,omitempty"` // "": the merchant's
	Line1        string `dynamo:"line1,omitempty"`
	City         string `dynamo:"city,omitempty"`
	Region       string `dynamo:"region,omitempty"`
	PostCode     string `dynamo:"post_code,omitempty"`
}

// maxTradeText is the maximum length of a field in characters. The card schemes take 40 characters or fewer.
const maxTradeText = 40

// Cut returns the trade with each field cut to the length that the card schemes take.
func (t Trade) Cut() Trade {
	for _, field := range []*string{&t.Name, &t.Line1, &t.City, &t.Region, &t.PostCode} {
		if runes := []rune(*field); len(runes) > maxTradeText {
			*field = string(runes[:maxTradeText])
		}
	}
	return t
}

// Copied has those facts of the merchant's account that requests to pay need. The account's writers copy them to the
// merchant, so that these requests need not read the account.
type Copied struct {
	AdvancedMode bool  `dynamo:"advanced_mode,omitempty"` // the owner's app setting
	Trade        Trade `dynamo:"trade,omitempty"`
}
