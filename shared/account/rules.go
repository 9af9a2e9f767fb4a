package account

import (
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// allOwned is the whole business, in thousandths of a percent.
const allOwned = 100_000

// Limits of a map that the operator's applications fill, in entries and in characters.
const (
	maxEntries   = 64
	maxEntryName = 64
	maxEntry     = 500
)

// Check returns the faults of a merchant's account: fields with a wrong form, and fields that contradict each other.
func (a Account) Check(m merchant.Merchant, now time.Time) failure.List {
	faults := validate.Fields(a, now)
	faults = append(faults, a.checkPersons()...)
	faults = append(faults, a.Profile.checkCatalogue(m.Currency)...)
	return validate.Order(a, faults)
}

// Rule returns the fault of Meta, the map of the operator's applications, or "".
func (a Account) Rule(string, time.Time) string { return checkEntries(a.Meta) }

// Rule returns the fault of the map of attributes, or "".
func (p Profile) Rule(string, time.Time) string { return checkEntries(p.Attributes) }

// Rule returns the fault of a register's number, or "". The check digits must fit if the register's rule is known.
func (i Identifier) Rule(string, time.Time) string { return validate.NationalID(i.Ref, i.Value) }

// checkEntries returns the fault of a map of texts, or "".
func checkEntries(of map[string]string) string {
	if len(of) > maxEntries {
		return fmt.Sprintf("must have at most %d entries", maxEntries)
	}
	for name, value := range of {
		if !isPlain(name, maxEntryName) || name == "" || !isPlain(value, maxEntry) {
			return fmt.Sprintf("must have names of 1 to %d characters and texts of at most %d, without control characters",
				maxEntryName, maxEntry)
		}
	}
	return ""
}

func isPlain(text string, limit int) bool {
	for _, r := range text {
		if unicode.IsControl(r) {
			return false
		}
	}
	return utf8.RuneCountInString(text) <= limit
}

// checkPersons checks the persons against each other.
func (a Account) checkPersons() (faults failure.List) {
	ids, holders, owned := ids[string]{}, 0, 0
	for i, p := range a.Persons {
		path := fmt.Sprintf("persons.%d.", i)
		faults = faults.If(p.ID != "" && ids.markSeen(p.ID), failure.Invalid(path+"id",
			"must be another id: an earlier person has it"))
		if owned += p.Ownership.Share; owned > allOwned {
			faults = append(faults, failure.Invalid(path+"ownership.share",
				fmt.Sprintf("must be less: all shares together are above %d", allOwned)))
		}
		if p.AccountHolder {
			if holders++; holders > 1 {
				faults = append(faults, failure.Invalid(path+"account_holder",
					"must be false: an earlier person is the account holder"))
			}
		}
	}
	return faults
}

// checkCatalogue checks VAT rates, shelves, products and prices against each other and the merchant's currency.
func (p Profile) checkCatalogue(c money.Currency) (faults failure.List) {
	rates, shelves, products, prices := ids[int64]{}, ids[int64]{}, ids[int64]{}, ids[int64]{}
	fault := func(predicate, path string, at ...any) {
		faults = append(faults, failure.Invalid("merchant_profile."+fmt.Sprintf(path, at...), predicate))
	}
	for i, r := range p.VATRates {
		if rates.markSeen(r.ID) {
			fault(takenID, "vat_rates.%d.id", i)
		}
	}
	for i, s := range p.Shelves {
		if shelves.markSeen(s.ID) {
			fault(takenID, "shelves.%d.id", i)
		}
		for j, product := range s.Products {
			if products.markSeen(product.ID) {
				fault(takenID, "shelves.%d.products.%d.id", i, j)
			}
			if product.VATRateID != 0 && !rates[product.VATRateID] {
				fault("must be the id of one of vat_rates", "shelves.%d.products.%d.vat_rate_id", i, j)
			}
			for k, price := range product.Prices {
				if prices.markSeen(price.ID) {
					fault(takenID, "shelves.%d.products.%d.prices.%d.id", i, j, k)
				}
				if net, err := money.Parse(string(price.Net), c); price.Net != "" && (err != nil || net.Sign() < 0) {
					fault("must be an amount of at least 0, with at most the currency's decimals",
						"shelves.%d.products.%d.prices.%d.net", i, j, k)
				}
			}
		}
	}
	return faults
}

const takenID = "must be another id: an earlier entry has it"

// ids is the set of ids that have occurred so far.
type ids[T comparable] map[T]bool

// markSeen adds the id, and returns true if it occurred before.
func (s ids[T]) markSeen(id T) bool {
	before := s[id]
	s[id] = true
	return before
}
