package merchant

import (
	"regexp"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Unpayable lists the fields without which no payout reaches an account of a merchant in the country (contract §7.3):
// failures MISSING, with the field. An IBAN is enough in every country.
func (b BankAccount) Unpayable(country string) failure.List {
	bank := b.BankCode + b.BranchCode
	switch {
	case b.IBAN != "":
		return nil
	case b.AccountNumber == "" && bank == "" && validate.HasIBANs(country):
		return needed("iban", "", ", or account_number with the codes of its bank")
	case b.AccountNumber == "":
		return needed("account_number", "", "")
	}
	switch country {
	case "BR":
		return append(needed("bank_code", b.BankCode, " with an account_number"),
			needed("branch_code", b.BranchCode, " with an account_number")...)
	case "GB":
		return needed("bank_code", bank, " with an account_number: its sort code")
	case "US":
		return needed("bank_code", bank, " with an account_number: its routing number")
	default:
		return needed("bank_code", bank+b.BIC, " with an account_number, or branch_code, or swift")
	}
}

// needed is the failure of a field without a text; when says in which case it needs one.
func needed(field, text, when string) failure.List {
	if text != "" {
		return nil
	}
	return failure.List{failure.Invalid(field, "is required"+when).WithCode("MISSING")}
}

// compared returns what the account's number, bank and branch are compared by: letters and digits alone, with a check
// digit behind the number. Where the codes of bank and branch are one, it does not matter in which field that came.
func (b BankAccount) compared() [3]string {
	bank, branch := plain(b.BankCode), plain(b.BranchCode)
	if bank == "" || bank == branch {
		bank, branch = branch, ""
	}
	if bank == "" { // BICs name the head office with and without XXX (ISO 9362)
		bank = strings.TrimSuffix(plain(b.BIC), "XXX")
	}
	return [3]string{plain(b.AccountNumber + b.CheckDigit), bank, branch}
}

// plain leaves out the separators with which people write numbers.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .-", r) {
			return -1
		}
		return r
	}, strings.ToUpper(text))
}

// NationalFaults lists what is wrong with an account's national codes and number, by the rules of their country
// (contract §13.9): failures Invalid, with the field. An IBAN needs none of them.
func (b BankAccount) NationalFaults(country string) failure.List {
	if b.IBAN != "" {
		return nil
	}
	switch country {
	case "GB":
		return b.britishFaults()
	case "US":
		return b.americanFaults()
	case "BR":
		return b.brazilianFaults()
	default:
		return nil
	}
}

// BankName is the name of the account's bank; "" if no table knows it. The only table
// is that of Brazilian banks: nobody maintains one of BICs that may be used freely.
func (b BankAccount) BankName(country string) string {
	if country != "BR" || b.IBAN != "" {
		return ""
	}
	return brazilianBanks[b.BankCode].name
}

// form checks one field; an empty one fits.
func form(field, text, predicate string, fits *regexp.Regexp) failure.List {
	if text == "" || fits.MatchString(text) {
		return nil
	}
	return failure.List{failure.Invalid(field, predicate)}
}

// Sort codes and account numbers of the United Kingdom. Which numbers fit a sort code
// is in tables that Pay.UK changes several times a year, so only the form is checked.
var (
	sortCode      = regexp.MustCompile(`^[0-9]{2}([- ]?)[0-9]{2}([- ]?)[0-9]{2}$`)
	britishNumber = regexp.MustCompile(`^[0-9]{8}$`)
)

// A transfer names the number with its check digit behind it, so one that does not
// belong there would make it another number.
func (b BankAccount) britishFaults() failure.List {
	const predicate = "must be a sort code of 6 digits"
	faults := append(append(form("bank_code", b.BankCode, predicate, sortCode),
		form("branch_code", b.BranchCode, predicate, sortCode)...),
		form("account_number", b.AccountNumber, "must be 8 digits", britishNumber)...)
	faults = faults.If(b.CheckDigit != "", failure.Invalid("check_digit", "is no part of a British account number"))
	return faults
}

// Routing numbers of the American Bankers Association, and account numbers as an ACH entry carries them (Nacha).
var (
	routingNumber  = regexp.MustCompile(`^[0-9]{9}$`)
	americanNumber = regexp.MustCompile(`^.{1,17}$`)
)

func (b BankAccount) americanFaults() failure.List {
	var faults failure.List
	for _, code := range []struct{ field, text string }{{"bank_code", b.BankCode}, {"branch_code", b.BranchCode}} {
		faults = faults.If(code.text != "" && !routes(code.text),
			failure.Invalid(code.field, "must be a routing number of 9 digits"))
	}
	faults = append(faults, form("account_number", b.AccountNumber,
		"must have at most 17 characters", americanNumber)...)
	faults = faults.If(b.CheckDigit != "",
		failure.Invalid("check_digit", "is no part of an American account number"))
	return faults
}

// routes reports whether the text is a routing number, whose last digit checks the others.
func routes(text string) bool {
	if !routingNumber.MatchString(text) {
		return false
	}
	sum := 0
	for i, weight := range []int{3, 7, 1, 3, 7, 1, 3, 7, 1} {
		sum += weight * int(text[i]-'0')
	}
	return sum%10 == 0
}

// Brazilian codes: a bank's in the clearing (COMPE), a branch with or without its check digit, a number likewise.
var (
	compe           = regexp.MustCompile(`^[0-9]{3}$`)
	brazilianBranch = regexp.MustCompile(`^[0-9]{1,4}(-[0-9XxPp])?$`)
	brazilianNumber = regexp.MustCompile(`^[0-9]{1,13}(-?[0-9XxPp])?$`)
	checkDigit      = regexp.MustCompile(`^[0-9XxPp]$`)
)

func (b BankAccount) brazilianFaults() failure.List {
	faults := form("bank_code", b.BankCode, "must be 3 digits", compe)
	faults = append(faults, form("branch_code", b.BranchCode,
		"must be at most 4 digits, with or without a hyphen and a check digit", brazilianBranch)...)
	faults = append(faults, form("account_number", b.AccountNumber,
		"must be at most 13 digits, with or without a check digit", brazilianNumber)...)
	faults = append(faults, form("check_digit", b.CheckDigit, "must be a digit, X or P", checkDigit)...)
	faults = faults.If(b.CheckDigit != "" && strings.Trim(b.AccountNumber, "0123456789") != "",
		failure.Invalid("check_digit", "must not be given twice: account_number has one"))
	if len(faults) > 0 {
		return faults
	}
	number, digit := b.AccountNumber, b.CheckDigit
	field := "check_digit"
	if plain, apart, hyphen := strings.Cut(number, "-"); hyphen && digit == "" {
		number, digit, field = plain, apart, "account_number"
	}
	branch, _, _ := strings.Cut(b.BranchCode, "-")
	if bank, known := brazilianBanks[b.BankCode]; known && !bank.fits(branch, number, strings.ToUpper(digit)) {
		return failure.List{failure.Invalid(field, "has a check digit that does not fit the number")}
	}
	return nil
}

// brazilianBank is how a bank computes the check digit of its accounts.
type brazilianBank struct {
	name    string
	digits  int                              // of a number, zeros before it included
	branch  int                              // digits of the branch that are checked with it
	weights []int                            // of each of these digits
	part    func(product int) int            // that is summed
	accepts func(sum int, digit string) bool // whether the check digit fits
}

// brazilianBanks are the five with the most branches, by their code. Their rules are
// those that the banks publish for bank slips and payrolls.
var brazilianBanks = map[string]brazilianBank{
	"001": {name: "Banco do Brasil", digits: 8, weights: []int{9, 8, 7, 6, 5, 4, 3, 2}, part: whole,
		accepts: func(sum int, digit string) bool { return digit == string("0X987654321"[sum%11]) }},
	"033": {name: "Santander", branch: 4, digits: 8, weights: []int{9, 7, 3, 1, 9, 7, 1, 3, 1, 9, 7, 3},
		part: func(product int) int { return product % 10 }, accepts: toTen},
	"104": {name: "Caixa Econômica Federal", branch: 4, digits: 11,
		weights: []int{8, 7, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2}, part: whole,
		accepts: func(sum int, digit string) bool { return digit == string("01234567890"[sum*10%11]) }},
	"237": {name: "Bradesco", digits: 7, weights: []int{2, 7, 6, 5, 4, 3, 2}, part: whole,
		accepts: func(sum int, digit string) bool { // P is also written 0
			return digit == string("0P987654321"[sum%11]) || digit == "0" && sum%11 == 1
		}},
	"341": {name: "Itaú", branch: 4, digits: 5, weights: []int{2, 1, 2, 1, 2, 1, 2, 1, 2},
		part: func(product int) int { return product/10 + product%10 }, accepts: toTen},
}

func whole(product int) int { return product }

// toTen accepts the digit that completes the sum to a multiple of ten.
func toTen(sum int, digit string) bool { return digit == string("0987654321"[sum%10]) }

// fits reports whether the check digit is right, as far as the bank's rule says so:
// not without a digit or branch, and not for numbers that are longer than its own.
func (b brazilianBank) fits(branch, number, digit string) bool {
	if digit == "" || b.branch > 0 && branch == "" || len(number) > b.digits || strings.Trim(number, "0123456789") != "" {
		return true
	}
	all := padded(number, b.digits)
	if b.branch > 0 {
		all = padded(branch, b.branch) + all
	}
	sum := 0
	for i, weight := range b.weights {
		sum += b.part(int(all[i]-'0') * weight)
	}
	return b.accepts(sum, digit)
}

// padded is the number with zeros before it.
func padded(number string, digits int) string {
	return strings.Repeat("0", max(0, digits-len(number))) + number
}
