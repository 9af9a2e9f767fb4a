package account

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// maxSize limits an account, in bytes of JSON. An item of the table can have 400 KB.
const maxSize = 128 << 10

// Merge returns the account with an operator's change, a JSON merge patch (RFC 7396). Absent members stay, null removes
// a member, and a list replaces the whole list. A person without an id keeps the recorded id, or gets a new id.
// Failure: Invalid, with the field. A field that accounts do not have is Invalid, too.
func (a Account) Merge(m merchant.Merchant, change []byte, now time.Time) (Account, error) {
	if jsontext.Value(change).Kind() != '{' { // the patch null would remove everything
		return a, failure.Invalid("", "must be an object")
	}
	next, err := a.clone()
	if err != nil {
		return a, err
	}
	if err = json.Unmarshal(change, &next, json.RejectUnknownMembers(true)); err != nil {
		return a, formFailure(err)
	}
	next.UpdatedAt, next.Version = a.UpdatedAt, a.Version
	next.Meta, next.Profile.Attributes = withoutEmpty(next.Meta), withoutEmpty(next.Profile.Attributes)
	next.identify(a.Persons)
	if err = next.Check(m, now).First(); err != nil {
		return a, err
	}
	next.formatPrices(m.Currency)
	whole, err := json.Marshal(next)
	if err == nil && len(whole) > maxSize {
		return a, failure.Invalid("", fmt.Sprintf("must have at most %d bytes of JSON", maxSize))
	}
	return next, err
}

// identify sets the id of each person without an id. If a recorded person has the same names and date of birth,
// identify uses that person's id, so that a repeated change changes nothing. Otherwise it makes a new id.
func (a *Account) identify(before []Person) {
	used := ids[string]{}
	for _, p := range a.Persons {
		used.markSeen(p.ID)
	}
	for i := range a.Persons {
		p := &a.Persons[i]
		if p.ID != "" {
			continue
		}
		same := slices.IndexFunc(before, func(b Person) bool { return !used[b.ID] && b.isSamePerson(*p) })
		if same < 0 {
			p.ID = newPersonID()
		} else {
			p.ID = before[same].ID
		}
		used.markSeen(p.ID)
	}
}

// isSamePerson returns true if both persons have the same names and date of birth.
func (p Person) isSamePerson(other Person) bool {
	return p.GivenName == other.GivenName && p.MiddleName == other.MiddleName && p.FamilyName == other.FamilyName &&
		p.Birthdate == other.Birthdate
}

// clone returns a copy that shares no list or map with the account.
func (a Account) clone() (Account, error) {
	var copied Account
	whole, err := json.Marshal(a)
	if err == nil {
		err = json.Unmarshal(whole, &copied)
	}
	copied.UpdatedAt, copied.Version = a.UpdatedAt, a.Version
	return copied, err
}

// Same returns true if all data that operators record is equal in both accounts.
func (a Account) Same(other Account) (bool, error) {
	mine, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return false, err
	}
	theirs, err := json.Marshal(other, json.Deterministic(true))
	return string(mine) == string(theirs), err
}

// withoutEmpty returns the map without the entries that null or an empty text has cleared.
func withoutEmpty(of map[string]string) map[string]string {
	maps.DeleteFunc(of, func(_, value string) bool { return value == "" })
	if len(of) == 0 {
		return nil
	}
	return of
}

// formatPrices writes prices with the decimals of their currency.
func (a *Account) formatPrices(c money.Currency) {
	for i := range a.Profile.Shelves {
		for j := range a.Profile.Shelves[i].Products {
			for k, price := range a.Profile.Shelves[i].Products[j].Prices {
				if net, err := money.Parse(string(price.Net), c); err == nil {
					a.Profile.Shelves[i].Products[j].Prices[k].Net = money.Decimal(net.String())
				}
			}
		}
	}
}

// formFailure returns the failure of a change whose JSON does not have the form of an account.
func formFailure(err error) error {
	wrong, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return failure.Invalid("", "must be an object without members twice").WithCause(err)
	}
	var path []string
	for token := range wrong.JSONPointer.Tokens() {
		path = append(path, token)
	}
	switch param := strings.Join(path, "."); {
	case errors.Is(err, json.ErrUnknownName):
		return failure.Invalid(param, "is not a field of accounts")
	case errors.Is(err, money.ErrAmount):
		return failure.Invalid(param, "must be a number, or a text with a number")
	case wrong.JSONKind == jsontext.Kind(0):
		return failure.Invalid(param, "must have the form of the field (contract §7.1)")
	default:
		return failure.Invalid(param, fmt.Sprintf("must not be a %s", wrong.JSONKind))
	}
}
