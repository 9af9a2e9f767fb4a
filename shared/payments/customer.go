package payments

import "time"

// Customer is a payer whom the merchant has registered; ID is the merchant's own name for them.
type Customer struct {
	ID        string          `dynamo:"id"`
	Details   PersonalDetails `dynamo:"personal_details"`
	CreatedAt time.Time       `dynamo:"created_at"`
	Version   int             `dynamo:"version"`
}
