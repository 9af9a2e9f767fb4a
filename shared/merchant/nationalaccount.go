package merchant

import (
	"regexp"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Unpayable returns failures for the fields that a payout to the account needs but that are missing, for a merchant in
// the country (contract §7.3). The failures have the code MISSING and the field. An IBAN is enough in every country.
func (b BankAccount) Unpayable(country string) failure.List {
	bank := b.BankCode + b.BranchCode
	switch {
	case b.IBAN != "":
		return nil
	case b.AccountNumber == "" && bank == "" && validate.HasIBANs(country):
		return requireText("iban", "", ", or account_number with the codes of its bank")
	case b.AccountNumber == "":
		return requireText("account_number", "", "")
	}
	switch country {
	case "BR":
		return append(requireText("bank_code", b.BankCode, " with an account_number"),
			requireText("branch_code", b.BranchCode, " with an account_number")...)
	case "GB":
		return requireText("bank_code", bank, " with an account_number: its sort code")
	case "US":
		return requireText("bank_code", bank, " with an account_number: its routing number")
	default:
		return requireText("bank_code", bank+b.BIC, " with an account_number, or branch_code, or swift")
	}
}

// requireText returns a failure if the field is empty. when tells the client in which case the field is required.
func requireText(field, text, when string) failure.List {
	if text != "" {
		return nil
	}
	return failure.List{failure.Invalid(field, "is required"+when).WithCode("MISSING")}
}

// comparisonKey returns the account's number, bank and branch for comparison. They have only letters and digits, and a
// check digit follows the number. If only one of bank code and branch code is given, or both are equal, it does not
// matter which field has the code.
func (b BankAccount) comparisonKey() [3]string {
	bank, branch := stripSeparators(b.BankCode), stripSeparators(b.BranchCode)
	if bank == "" || bank == branch {
		bank, branch = branch, ""
	}
	if bank == "" { // the head office's BIC may end in XXX (ISO 9362)
		bank = strings.TrimSuffix(stripSeparators(b.BIC), "XXX")
	}
	return [3]string{stripSeparators(b.AccountNumber + b.CheckDigit), bank, branch}
}

// stripSeparators returns the text in capitals, without the separators that people put into numbers.
func stripSeparators(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .-", r) {
			return -1
		}
		return r
	}, strings.ToUpper(text))
}

// NationalFaults returns failures for an account's national codes and number, which it checks by the rules of their
// country (contract §13.9). The failures are Invalid, with the field. An IBAN needs no national codes.
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

// BankName returns the name of the account's bank, or "" if it is unknown. Only Brazilian banks are known: there is no
// maintained table of BICs that may be used freely.
func (b BankAccount) BankName(country string) string {
	if country != "BR" || b.IBAN != "" {
		return ""
	}
	return brazilianBanks[b.BankCode].name
}

// checkForm returns the failure of one field. An empty field is valid.
func checkForm(field, text, predicate string, fits *regexp.Regexp) failure.List {
	if text == "" || fits.MatchString(text) {
		return nil
	}
	return failure.List{failure.Invalid(field, predicate)}
}

// Forms of sort codes and account numbers in the United Kingdom. Pay.UK publishes tables of the numbers that fit each
// sort code. The tables change several times a year, so only the form is checked.
var (
	sortCode      = regexp.MustCompile(`^[0-9]{2}([- ]?)[0-9]{2}([- ]?)[0-9]{2}$`)
	britishNumber = regexp.MustCompile(`^[0-9]{8}$`)
)

// britishFaults checks the forms of sort code and number. It refuses a check digit, because a transfer appends the
// digit to the number and so would name another account.
func (b BankAccount) britishFaults() failure.List {
	const predicate = "must be a sort code of 6 digits"
	faults := append(append(checkForm("bank_code", b.BankCode, predicate, sortCode),
		checkForm("branch_code", b.BranchCode, predicate, sortCode)...),
		checkForm("account_number", b.AccountNumber, "must be 8 digits", britishNumber)...)
	faults = faults.If(b.CheckDigit != "", failure.Invalid("check_digit", "is no part of a British account number"))
	return faults
}

// Forms of routing numbers of the American Bankers Association, and of account numbers in an ACH entry (Nacha).
var (
	routingNumber  = regexp.MustCompile(`^[0-9]{9}$`)
	americanNumber = regexp.MustCompile(`^.{1,17}$`)
)

func (b BankAccount) americanFaults() failure.List {
	var faults failure.List
	for _, code := range []struct{ field, text string }{{"bank_code", b.BankCode}, {"branch_code", b.BranchCode}} {
		faults = faults.If(code.text != "" && !isRoutingNumber(code.text),
			failure.Invalid(code.field, "must be a routing number of 9 digits"))
	}
	faults = append(faults, checkForm("account_number", b.AccountNumber,
		"must have at most 17 characters", americanNumber)...)
	faults = faults.If(b.CheckDigit != "",
		failure.Invalid("check_digit", "is no part of an American account number"))
	return faults
}

// isRoutingNumber returns true if the text is a routing number. The last digit must fit the others.
func isRoutingNumber(text string) bool {
	if !routingNumber.MatchString(text) {
		return false
	}
	sum := 0
	for i, weight := range []int{3, 7, 1, 3, 7, 1, 3, 7, 1} {
		sum += weight * int(text[i]-'0')
	}
	return sum%10 == 0
}

// Forms of Brazilian codes: the code of a bank in the clearing (COMPE), and branches and numbers with or without a
// check digit.
var (
	compe           = regexp.MustCompile(`^[0-9]{3}$`)
	brazilianBranch = regexp.MustCompile(`^[0-9]{1,4}(-[0-9XxPp])?$`)
	brazilianNumber = regexp.MustCompile(`^[0-9]{1,13}(-?[0-9XxPp])?$`)
	checkDigit      = regexp.MustCompile(`^[0-9XxPp]$`)
)

func (b BankAccount) brazilianFaults() failure.List {
	faults := checkForm("bank_code", b.BankCode, "must be 3 digits", compe)
	faults = append(faults, checkForm("branch_code", b.BranchCode,
		"must be at most 4 digits, with or without a hyphen and a check digit", brazilianBranch)...)
	faults = append(faults, checkForm("account_number", b.AccountNumber,
		"must be at most 13 digits, with or without a check digit", brazilianNumber)...)
	faults = append(faults, checkForm("check_digit", b.CheckDigit, "must be a digit, X or P", checkDigit)...)
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

// brazilianBank has a bank's rule for the check digit of its account numbers.
type brazilianBank struct {
	name    string
	digits  int                              // length of a number with its leading zeros
	branch  int                              // number of the branch's digits that the check digit covers
	weights []int                            // one for each of these digits, the branch's first
	part    func(product int) int            // returns the part of a product that is summed
	accepts func(sum int, digit string) bool // returns true if the check digit fits
}

// brazilianBanks has the five banks with the most branches, by code. The banks publish the rules in their documents
// about bank slips and payrolls.
var brazilianBanks = map[string]brazilianBank{
	"001": {name: "Banco do Brasil", digits: 8, weights: []int{9, 8, 7, 6, 5, 4, 3, 2}, part: whole,
		accepts: func(sum int, digit string) bool { return digit == string("0X987654321"[sum%11]) }},
	"033": {name: "Santander", branch: 4, digits: 8, weights: []int{9, 7, 3, 1, 9, 7, 1, 3, 1, 9, 7, 3},
		part: func(product int) int { return product % 10 }, accepts: completesTen},
	"104": {name: "Caixa Econômica Federal", branch: 4, digits: 11,
		weights: []int{8, 7, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2}, part: whole,
		accepts: func(sum int, digit string) bool { return digit == string("01234567890"[sum*10%11]) }},
	"237": {name: "Bradesco", digits: 7, weights: []int{2, 7, 6, 5, 4, 3, 2}, part: whole,
		accepts: func(sum int, digit string) bool { // P is also written 0
			return digit == string("0P987654321"[sum%11]) || digit == "0" && sum%11 == 1
		}},
	"341": {name: "Itaú", branch: 4, digits: 5, weights: []int{2, 1, 2, 1, 2, 1, 2, 1, 2},
		part: func(product int) int { return product/10 + product%10 }, accepts: completesTen},
}

func whole(product int) int { return product }

// completesTen returns true if the sum and the digit add up to a multiple of ten.
func completesTen(sum int, digit string) bool { return digit == string("0987654321"[sum%10]) }

// fits returns true if the check digit is right or cannot be checked. It cannot be checked if the digit is missing, or
// if a branch is missing that the rule needs. It also cannot be checked if the number is longer than the bank's numbers
// or has other characters than digits.
func (b brazilianBank) fits(branch, number, digit string) bool {
	if digit == "" || b.branch > 0 && branch == "" || len(number) > b.digits || strings.Trim(number, "0123456789") != "" {
		return true
	}
	all := zeroPad(number, b.digits)
	if b.branch > 0 {
		all = zeroPad(branch, b.branch) + all
	}
	sum := 0
	for i, weight := range b.weights {
		sum += b.part(int(all[i]-'0') * weight)
	}
	return b.accepts(sum, digit)
}

// zeroPad returns the number with leading zeros.
func zeroPad(number string, digits int) string {
	return strings.Repeat("0", max(0, digits-len(number))) + number
}
