package merchant

// Address is the address of a merchant or a person (contract §7.1). All fields are optional; "" is unset.
type Address struct {
	Line1      string `dynamo:"address_line1,omitempty" json:"address_line1,omitzero" validate:"text=255"`
	Line2      string `dynamo:"address_line2,omitempty" json:"address_line2,omitzero" validate:"text=255"`
	City       string `dynamo:"city,omitempty" json:"city,omitzero" validate:"text=255"`
	RegionID   int    `dynamo:"region_id,omitempty" json:"region_id,omitzero" validate:"min=1 max=2147483647"`
	Region     string `dynamo:"region_name,omitempty" json:"region_name,omitzero" validate:"text=255"`
	RegionCode string `dynamo:"region_code,omitempty" json:"region_code,omitzero" validate:"text=16"`
	StateID    string `dynamo:"state_id,omitempty" json:"state_id,omitzero" validate:"text=16"`
	PostCode   string `dynamo:"post_code,omitempty" json:"post_code,omitzero" validate:"text=255"`
	Landline   string `dynamo:"landline,omitempty" json:"landline,omitzero" validate:"text=255"`
	FirstName  string `dynamo:"first_name,omitempty" json:"first_name,omitzero" validate:"text=60"`
	LastName   string `dynamo:"last_name,omitempty" json:"last_name,omitzero" validate:"text=60"`
	Company    string `dynamo:"company,omitempty" json:"company,omitzero" validate:"text=150"`
	Country    string `dynamo:"country,omitempty" json:"country,omitzero" validate:"country"` // ISO 3166-1
}
