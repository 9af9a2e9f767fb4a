package validate_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/validate"
)

type exampleCard struct {
	Number string `json:"number" validate:"required card-number"`
}

type exampleRequest struct {
	Reference string       `json:"reference" validate:"required text=9"`
	Email     *string      `json:"email" validate:"email?"` // "" is allowed
	Card      *exampleCard `json:"card"`
}

// ExampleFields checks each field by its tag. Faults name the field by its dot path.
func ExampleFields() {
	faults := validate.Fields(exampleRequest{Reference: "order-1001", Card: &exampleCard{}}, time.Now())
	for _, fault := range faults {
		fmt.Println(fault)
	}
	// Output:
	// INVALID: reference must have at most 9 characters.
	// MISSING: card.number is required.
}

// ExampleOrder sorts an operation's own fault among the faults of Forms, in the order of the fields.
func ExampleOrder() {
	request := exampleRequest{Reference: "order-1001"}
	faults := slices.Concat(failure.List{failure.Missing("card")}, validate.Forms(request))
	for _, fault := range validate.Order(request, faults) {
		fmt.Println(fault)
	}
	// Output:
	// INVALID: reference must have at most 9 characters.
	// MISSING: card is required.
}
