package money_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/money"
)

func TestMarshalJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount money.Amount
		want   string
	}{
		{money.MustParse("10.1", "EUR"), `{"amount":10.10}`},
		{money.MustParse("0", "EUR"), `{"amount":0.00}`},
		{money.MustParse("0.01", "EUR"), `{"amount":0.01}`},
		{money.MustParse("-3.5", "EUR"), `{"amount":-3.50}`},
		{money.MustParse("999999999999", "CLP"), `{"amount":999999999999}`},
		{money.MustParse("999999999999.99", "EUR"), `{"amount":999999999999.99}`},
	} {
		body, err := json.Marshal(struct {
			Amount money.Amount `json:"amount"`
		}{c.amount})
		if err != nil || string(body) != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.amount, body, err, c.want)
		}
	}
}

func TestLiteral_Accepted(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`10`: "10.00", `10.1`: "10.10", `"10.1"`: "10.10", `"10.100"`: "10.10", `10.100`: "10.10",
		`-3.5`: "-3.50", `"-3.5"`: "-3.50", `"\u0031\u0030"`: "10.00", `"007"`: "7.00",
		` 12 `: "12.00", `0`: "0.00", `999999999999.99`: "999999999999.99",
	} {
		got, err := readAmount(body, "EUR")
		if err != nil || got.String() != want {
			t.Errorf("%s: got %s, %v, want %s", body, got, err, want)
		}
	}
}

func TestLiteral_Refused(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]error{
		`1e3`: money.ErrExponent, `1E+3`: money.ErrExponent, `1.5e-1`: money.ErrExponent, `"1e3"`: money.ErrExponent,
		`"1e"`: money.ErrAmount, `"e3"`: money.ErrAmount, `"1e3e"`: money.ErrAmount, `"1e3.5"`: money.ErrAmount,
		`""`: money.ErrAmount, `" "`: money.ErrAmount, `"ten"`: money.ErrAmount, `" 10"`: money.ErrAmount,
		`"+10"`: money.ErrAmount, `"10 EUR"`: money.ErrAmount,
		`true`: money.ErrAmount, `{}`: money.ErrAmount, `[10]`: money.ErrAmount, `[]`: money.ErrAmount,
		`1.239`: money.ErrScale, `"1.239"`: money.ErrScale, `10000000000000000`: money.ErrRange,
	} {
		got, err := readAmount(body, "EUR")
		if !errors.Is(err, want) || strings.Contains(money.Expected(err), "exponent") != errors.Is(want, money.ErrExponent) {
			t.Errorf("%s: got %s, %v, which asks for %q; want %v, and no exponent only then", body, got, err,
				money.Expected(err), want)
		}
	}
}

// TestLiteral_KeepsEveryDigit checks that no digit passes through a float: 0.1+0.2 and integers above 2^53 stay exact.
func TestLiteral_KeepsEveryDigit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0.30000000000000004", "9007199254740993", "123456789012345678901234567890"} {
		var l money.Literal
		if err := json.Unmarshal([]byte(text), &l); err != nil || string(l) != text {
			t.Errorf("got %s, %v, want %s", l, err, text)
		}
	}
}

func TestLiteral_Null(t *testing.T) {
	t.Parallel()
	request := struct{ Amount *money.Literal }{}
	if err := json.Unmarshal([]byte(`{"amount":null}`), &request); err != nil || request.Amount != nil {
		t.Errorf("got %v, %v, want nil", request.Amount, err)
	}
	var l money.Literal
	if err := json.Unmarshal([]byte(`null`), &l); err != nil || l != "" {
		t.Errorf("got %q, %v, want an empty literal", l, err)
	}
}

func readAmount(body string, c money.Currency) (money.Amount, error) {
	var l money.Literal
	if err := json.Unmarshal([]byte(body), &l); err != nil {
		return money.Amount{}, err
	}
	return l.In(c)
}

type account struct {
	Balance  money.Amount   `dynamo:"balance"`
	Reserved money.Amount   `dynamo:"reserved,omitempty"`
	Limit    *money.Amount  `dynamo:"limit,omitempty"`
	Legs     []money.Amount `dynamo:"legs,omitempty"`
}

func TestMarshalDynamo_RoundTrip(t *testing.T) {
	t.Parallel()
	limit := money.MustParse("999999999999.99", "EUR")
	for name, want := range map[string]account{
		"nothing":        {},
		"padded":         {Balance: money.MustParse("10.10", "EUR")},
		"zero":           {Balance: money.Zero("EUR"), Reserved: money.MustParse("7", "CLP")},
		"negative, big":  {Balance: money.MustParse("-999999999999.99", "BRL"), Limit: &limit},
		"list, no scale": {Legs: []money.Amount{money.MustParse("-5", "HUF"), money.MustParse("5", "HUF")}},
	} {
		item, err := dynamo.MarshalItem(want)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		trimZeros(item)
		var got account
		if err := dynamo.UnmarshalItem(item, &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b money.Amount) bool { return a == b })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// trimZeros trims the amounts of an item as DynamoDB trims every number.
func trimZeros(item map[string]types.AttributeValue) {
	for _, av := range item {
		m, ok := av.(*types.AttributeValueMemberM)
		if !ok {
			continue
		}
		n := m.Value["v"].(*types.AttributeValueMemberN)
		if strings.Contains(n.Value, ".") {
			n.Value = strings.TrimRight(strings.TrimRight(n.Value, "0"), ".")
		}
	}
}

func TestMarshalDynamo_NoCurrency(t *testing.T) {
	t.Parallel()
	item, err := dynamo.MarshalItem(account{})
	if err != nil || len(item) != 0 {
		t.Errorf("got %v, %v, want no attributes", item, err)
	}
}

// TestMarshalDynamo_Zero checks that a zero amount with a currency is stored. Only the tag omitempty leaves it out.
func TestMarshalDynamo_Zero(t *testing.T) {
	t.Parallel()
	item, err := dynamo.MarshalItem(account{Balance: money.Zero("EUR"), Reserved: money.Zero("EUR")})
	if err != nil || item["balance"] == nil || item["reserved"] != nil {
		t.Errorf("got %v, %v, want a balance and no reserved", item, err)
	}
}

// TestMarshalDynamo_Number checks that the value is a number, because conditions compare "<name>.v".
func TestMarshalDynamo_Number(t *testing.T) {
	t.Parallel()
	item, err := dynamo.MarshalItem(account{Balance: money.MustParse("10.1", "EUR")})
	if err != nil {
		t.Fatal(err)
	}
	stored := item["balance"].(*types.AttributeValueMemberM).Value
	if n, ok := stored["v"].(*types.AttributeValueMemberN); !ok || n.Value != "10.10" {
		t.Errorf("got value %#v, want the number 10.10", stored["v"])
	}
	if s, ok := stored["c"].(*types.AttributeValueMemberS); !ok || s.Value != "EUR" {
		t.Errorf("got currency %#v, want the string EUR", stored["c"])
	}
}

func TestUnmarshalDynamo_Damaged(t *testing.T) {
	t.Parallel()
	number, euro := &types.AttributeValueMemberN{Value: "10"}, &types.AttributeValueMemberS{Value: "EUR"}
	for name, av := range map[string]types.AttributeValue{
		"bare number":  number,
		"no currency":  &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"v": number}},
		"no value":     &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"c": euro}},
		"value a text": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"v": euro, "c": euro}},
		"half a cent": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"v": &types.AttributeValueMemberN{Value: "0.005"}, "c": euro}},
	} {
		amount := money.MustParse("1", "USD")
		if err := amount.UnmarshalDynamo(av); err == nil || amount.String() != "1.00" {
			t.Errorf("%s: got %s, error %v, want 1.00 still and an error", name, amount, err)
		}
	}
}
