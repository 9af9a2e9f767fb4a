package money

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// MarshalJSON writes a JSON number in major units without an exponent
// (contract §2.4). The currency travels in a field of its own.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// Attribute names of a stored amount; conditions address "<name>.v".
const (
	valueAttribute    = "v"
	currencyAttribute = "c"
)

// MarshalDynamo stores the value as a number, so that conditions can compare
// it, beside its currency, so that it can be padded again on read: DynamoDB
// trims trailing zeros.
func (a Amount) MarshalDynamo() (types.AttributeValue, error) {
	if a.currency == "" {
		return nil, nil
	}
	return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
		valueAttribute:    &types.AttributeValueMemberN{Value: a.String()},
		currencyAttribute: &types.AttributeValueMemberS{Value: string(a.currency)},
	}}, nil
}

// StoredNumber is the value alone, for arithmetic within "<name>.v".
func (a Amount) StoredNumber() types.AttributeValue {
	return &types.AttributeValueMemberN{Value: a.String()}
}

// UnmarshalDynamo reads what MarshalDynamo wrote.
func (a *Amount) UnmarshalDynamo(av types.AttributeValue) error {
	m, ok := av.(*types.AttributeValueMemberM)
	if !ok {
		return fmt.Errorf("money: stored amount is a %T", av)
	}
	v, okV := m.Value[valueAttribute].(*types.AttributeValueMemberN)
	c, okC := m.Value[currencyAttribute].(*types.AttributeValueMemberS)
	if !okV || !okC {
		return errors.New("money: stored amount without value or currency")
	}
	parsed, err := Parse(v.Value, Currency(c.Value))
	if err != nil {
		return fmt.Errorf("money: stored amount: %w", err)
	}
	*a = parsed
	return nil
}

// Literal is an amount as a client wrote it: a JSON number or a numeric
// string (contract §2.2). It becomes an Amount once the currency is known.
type Literal string

// UnmarshalJSON keeps the literal's text, so no digit passes through a float.
func (l *Literal) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		if !plain(s) && !hasExponent(s) { // In says why it refuses an exponent
			return ErrAmount
		}
		*l = Literal(s)
		return nil
	}
	if string(b) == "null" {
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return ErrAmount
	}
	*l = Literal(n)
	return nil
}

// In reads the literal as an amount of c; errors as Parse.
func (l Literal) In(c Currency) (Amount, error) { return Parse(string(l), c) }
