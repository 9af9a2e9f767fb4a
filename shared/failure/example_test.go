package failure_test

import (
	"errors"
	"fmt"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// A failure has its kind's usual code and slug, unless the caller sets others.
func Example() {
	usual := failure.Conflict("The refund is already running.")
	own := failure.Conflict("The checkout has expired.").
		WithCode("CHECKOUT_SESSION_IS_EXPIRED").WithSlug("session-expired")
	fmt.Println(usual.Code, usual.Slug)
	fmt.Println(own.Code, own.Slug)
	// Output:
	// CONFLICT conflict
	// CHECKOUT_SESSION_IS_EXPIRED session-expired
}

// Clients get each error as a failure. An error that wraps no failure becomes an Internal, and its text is only logged.
func ExampleOf() {
	for _, err := range []error{
		fmt.Errorf("read the customer: %w", failure.NotFound("There is no such customer.")),
		errors.New("dial tcp: connection refused"),
	} {
		fmt.Println(failure.Of(err).Message)
	}
	// Output:
	// There is no such customer.
	// An internal error occurred.
}

// Err returns several faults of one request as a list. It returns a single fault as itself.
func ExampleList_Err() {
	var faults failure.List
	faults = append(faults, failure.Missing("amount"))
	faults = append(faults, failure.Invalid("currency", "must be an ISO 4217 code"))
	fmt.Println(faults.Err())
	// Output:
	// MISSING: amount is required.; INVALID: currency must be an ISO 4217 code.
}
