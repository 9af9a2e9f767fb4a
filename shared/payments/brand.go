package payments

import (
	"slices"
	"strings"
)

// BrandRange maps issuer identification numbers (ISO/IEC 7812), by inclusive prefixes of equal length, to a brand.
type BrandRange struct{ From, To, Brand string }

// iinRanges lists the networks' published ranges, most specific first. Brand names are contract §2.7's card types.
var iinRanges = []BrandRange{
	{"401178", "401179", "ELO"}, {"431274", "431274", "ELO"}, {"438935", "438935", "ELO"},
	{"451416", "451416", "ELO"}, {"457393", "457393", "ELO"}, {"457631", "457632", "ELO"},
	{"504175", "504175", "ELO"}, {"506699", "506778", "ELO"}, {"509000", "509999", "ELO"},
	{"627780", "627780", "ELO"}, {"636297", "636297", "ELO"}, {"636368", "636368", "ELO"},
	{"650031", "650033", "ELO"}, {"650035", "650051", "ELO"}, {"650405", "650439", "ELO"},
	{"650485", "650538", "ELO"}, {"650541", "650598", "ELO"}, {"650700", "650718", "ELO"},
	{"650720", "650727", "ELO"}, {"650901", "650978", "ELO"}, {"651652", "651679", "ELO"},
	{"655000", "655019", "ELO"}, {"655021", "655058", "ELO"},
	{"606282", "606282", "HIPERCARD"}, {"384100", "384100", "HIPERCARD"},
	{"384140", "384140", "HIPERCARD"}, {"384160", "384160", "HIPERCARD"},
	{"417500", "417500", "VISA_ELECTRON"}, {"4026", "4026", "VISA_ELECTRON"},
	{"4508", "4508", "VISA_ELECTRON"}, {"4844", "4844", "VISA_ELECTRON"},
	{"4913", "4913", "VISA_ELECTRON"}, {"4917", "4917", "VISA_ELECTRON"},
	{"34", "34", "AMEX"}, {"37", "37", "AMEX"},
	{"300", "305", "DINERS"}, {"3095", "3095", "DINERS"}, {"36", "36", "DINERS"}, {"38", "39", "DINERS"},
	{"3528", "3589", "JCB"},
	{"2221", "2720", "MASTERCARD"}, {"51", "55", "MASTERCARD"},
	{"6011", "6011", "DISCOVER"}, {"644", "649", "DISCOVER"}, {"65", "65", "DISCOVER"},
	{"62", "62", "CUP"}, {"81", "81", "CUP"},
	{"50", "50", "MAESTRO"}, {"56", "61", "MAESTRO"}, {"63", "64", "MAESTRO"}, {"66", "69", "MAESTRO"},
	{"4", "4", "VISA"},
}

// Brand returns the network of a card number, or UNKNOWN.
func Brand(number string) string {
	for _, r := range iinRanges {
		prefix := number[:min(len(number), len(r.From))]
		if len(prefix) == len(r.From) && isDigits(prefix) && r.From <= prefix && prefix <= r.To {
			return r.Brand
		}
	}
	return "UNKNOWN"
}

// brandNames maps contract §2.7's card types to names that people know.
var brandNames = map[string]string{"AMEX": "American Express", "CUP": "UnionPay", "DINERS": "Diners Club",
	"DISCOVER": "Discover", "ELO": "Elo", "ELV": "ELV", "HIPERCARD": "Hipercard", "JCB": "JCB", "MAESTRO": "Maestro",
	"MASTERCARD": "Mastercard", "VISA": "Visa", "VISA_ELECTRON": "Visa Electron", "VISA_VPAY": "V PAY"}

// BrandName returns a brand's name for people, such as American Express for AMEX; "" for an unknown brand.
func BrandName(brand string) string { return brandNames[brand] }

// BrandRanges returns the ranges that Brand searches. The first range that fits a number names its brand.
func BrandRanges() []BrandRange { return slices.Clone(iinRanges) }

// The results of ProcessAs (contract §2.7).
const (
	asCredit = "CREDIT"
	asDebit  = "DEBIT"
)

// productByBrand has the brands whose cards are all of one product. AMEX and DINERS cards are credit and charge cards.
var productByBrand = map[string]string{"MAESTRO": asDebit, "VISA_ELECTRON": asDebit, "VISA_VPAY": asDebit,
	"AMEX": asCredit, "DINERS": asCredit, "HIPERCARD": asCredit}

// ProcessAs returns CREDIT or DEBIT from the first source that decides. The sources are, in order: the card type
// requested at the reader, the product that the card's chip names, the brand, and instalments. ProcessAs returns "" if
// no source decides (contract §2.7).
func (t Transaction) ProcessAs() string {
	label := strings.ToUpper(t.EMV.ApplicationLabel)
	switch {
	case t.Card == nil:
		return ""
	case t.CardType != "":
		return strings.ToUpper(t.CardType)
	case strings.Contains(label, asDebit):
		return asDebit
	case strings.Contains(label, asCredit):
		return asCredit
	case productByBrand[t.Card.Brand] == "" && t.Installments > 1:
		return asCredit
	default:
		return productByBrand[t.Card.Brand]
	}
}
