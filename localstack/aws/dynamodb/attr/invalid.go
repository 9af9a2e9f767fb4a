package attr

import "fmt"

// Invalid is the message of an error that the service answers with ValidationException.
type Invalid string

// Error returns the message shown to the client.
func (i Invalid) Error() string { return string(i) }

// Invalidf formats an Invalid.
func Invalidf(format string, args ...any) error { return Invalid(fmt.Sprintf(format, args...)) }

// Errors of single values, in the service's words.
const (
	errNotANumber = Invalid("A value provided cannot be converted into a number")
	errOverflow   = Invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	errUnderflow  = Invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	errPrecision  = Invalid("DynamoDB only supports precision up to 38 digits")
	errNoType     = Invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	errTwoTypes   = Invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the " +
		"supported datatypes")
	errNullIsFalse = Invalid("One or more parameter values were invalid: Null attribute value types must have the value " +
		"of true")
	errTooDeep = Invalid("Nesting Levels have exceeded supported limits")
	errNoName  = Invalid("Empty attribute name")
)

func duplicatesError(kind Kind) error {
	if kind == NS {
		return Invalid("Input collection contains duplicates")
	}
	return Invalid("One or more parameter values were invalid: Input collection contains duplicates")
}

func emptySetError(kind Kind) error {
	noun := map[Kind]string{SS: "string set ", NS: "number set ", BS: "binary set "}[kind]
	return Invalidf("One or more parameter values were invalid: An %s may not be empty", noun)
}
