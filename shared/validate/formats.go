package validate

import (
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/jacoelho/banking/bic"
	"github.com/jacoelho/banking/iban"
	"github.com/jacoelho/banking/iso3166"

	"github.com/cashwrap/cashwrap/shared/money"
)

// formats maps the name of a format to a function that returns a text's fault, or "".
var formats = map[string]func(text string) string{
	"email":     emailFault,
	"date":      unless(isDate, "must be a date, YYYY-MM-DD"),
	"date-time": unless(isDateTime, "must be a date-time, such as 2020-02-29T10:56:56Z or 2020-02-29T11:56:56+01:00"),
	"country":   unless(iso3166.IsCountryCode, "must be an ISO 3166-1 alpha-2 code"),
	"currency":  unless(isCurrency, "must be an ISO 4217 code of a currency that the platform settles in"),
	"iban":      ibanFault,
	"bic": unless(func(text string) bool {
		_, err := bic.Parse(Machine(text))
		return err == nil
	}, "must be a valid BIC of 8 or 11 characters"),
	"language":    unless(isLanguage, "must be a BCP 47 language tag, such as de or de-DE"),
	"phone":       unless(isPhone, "must be a phone number with its country code, such as +493012345678"),
	"cvv":         unless(digits(3, 4), "must be 3 or 4 digits"),
	"month":       unless(isMonth, `must be "01" to "12"`),
	"year":        unless(func(text string) bool { return len(text) != 3 && digits(2, 4)(text) }, "must be YY or YYYY"),
	"us-zip-code": unless(digits(5, 5), "must be 5 digits"),
	"card-number": cardNumberFault,
	"http-url":    httpURLFault,
}

// unless returns a function that returns the message as the fault of each text that does not fit.
func unless(fits func(string) bool, message string) func(string) string {
	return func(text string) string {
		if fits(text) {
			return ""
		}
		return message
	}
}

// ibanFault returns the fault of a text that is not a valid IBAN (ISO 13616-1), or "".
func ibanFault(text string) string {
	err := iban.Validate(Machine(text))
	wrong, ok := errors.AsType[*iban.ValidationError](err)
	switch {
	case err == nil:
		return ""
	case ok && wrong.Reason == iban.ReasonUnsupportedCountry:
		return "must be an IBAN of a country that has IBANs"
	case ok && wrong.Reason == iban.ReasonInvalidLength && wrong.ExpectedLength > 0:
		return fmt.Sprintf("must be an IBAN of %d characters", wrong.ExpectedLength)
	case ok && wrong.Reason == iban.ReasonInvalidChecksum:
		return "must be an IBAN: its check digits do not fit the other characters"
	default:
		return "must be an IBAN in the form of its country"
	}
}

// Machine returns an IBAN or a BIC in the form that machines use: in capitals, without blanks (ISO 13616-1).
func Machine(text string) string { return strings.ToUpper(strings.ReplaceAll(text, " ", "")) }

// HasIBANs returns true if the country's accounts have IBANs. country is an ISO 3166-1 alpha-2 code.
func HasIBANs(country string) bool {
	_, err := iban.IsSEPACountryCode(country) // the library knows all countries of the registry
	return err == nil
}

// languageTag matches the tag of a language in a place (BCP 47): language, script, region.
var languageTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)
})

func isLanguage(text string) bool { return languageTag().MatchString(text) }

// emailFault returns the fault of a text that is not a single RFC 5322 addr-spec of at most 256 bytes, or "". Unseen
// characters are refused, so that two different addresses never look the same (contract §2.2).
func emailFault(text string) string {
	address, err := mail.ParseAddress(text)
	switch {
	case err != nil || address.Address != text:
		return "must be an email address"
	case len(text) > 256:
		return "must have at most 256 bytes"
	case strings.ContainsFunc(text, isUnseen):
		return "must be an email address without invisible characters"
	default:
		return ""
	}
}

// isUnseen returns true if the character is a control, a blank, a mark of direction, a joiner, or a character without
// width.
func isUnseen(r rune) bool {
	return unicode.In(r, unicode.C, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isPhone returns true if the text is a phone number in international form, with at most 15 digits (ITU-T E.164).
func isPhone(text string) bool {
	number, international := strings.CutPrefix(text, "+")
	return international && digits(7, 15)(number) && number[0] != '0'
}

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

func isDateTime(text string) bool {
	_, ok := Time(text)
	return ok
}

// digits returns a function that returns true for texts of only digits, from least to most digits long.
func digits(least, most int) func(string) bool {
	return func(text string) bool {
		return len(text) >= least && len(text) <= most && strings.Trim(text, "0123456789") == ""
	}
}

func isMonth(text string) bool { return digits(2, 2)(text) && text >= "01" && text <= "12" }

func isCurrency(text string) bool {
	_, err := money.ParseCurrency(text)
	return err == nil
}

// cardNumberFault returns the fault of a card number, or "". A card number has 12 to 19 digits, and the last digit must
// fit the others (ISO/IEC 7812-1, annex B).
func cardNumberFault(text string) string {
	if !digits(12, 19)(text) {
		return "must be 12 to 19 digits, without spaces and hyphens"
	}
	sum := 0
	for i := range len(text) {
		d := int(text[len(text)-1-i] - '0')
		if i%2 == 1 {
			d *= 2
			if d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	if sum%10 != 0 {
		return "must be a card number: its check digit does not fit the other digits"
	}
	return ""
}

// dateTimes is the grammar of RFC 3339 §5.6, with an optional offset.
var dateTimes = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3])(:[0-5]\d:)([0-5]\d|60)(\.\d+)?` +
	`([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?$`)

// Time parses a date-time of RFC 3339, and returns it in UTC. It returns false for any other text. A text without an
// offset is in UTC, because published clients send such texts. A leap second becomes the second after it, because Go's
// times have no leap seconds.
func Time(text string) (time.Time, bool) {
	parts := dateTimes.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}, false
	}
	day, hour, minute, second, fraction, offset := parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]
	leap := second == "60"
	if leap {
		second = "59"
	}
	if offset == "" || offset == "z" {
		offset = "Z"
	}
	const nanoseconds = 10 // maximum length of a fraction with its point, in characters
	at, err := time.Parse(time.RFC3339Nano, day+"T"+hour+minute+second+fraction[:min(len(fraction), nanoseconds)]+offset)
	at = at.UTC()
	if leap {
		if at.Hour() != 23 || at.Minute() != 59 { // leap seconds happen only at this time (RFC 3339 §5.7)
			return time.Time{}, false
		}
		at = at.Truncate(time.Second).Add(time.Second)
	}
	// In UTC the time may be in a year that RFC 3339 cannot write: before 0 or after 9999.
	if err != nil || at.Year() < 0 || at.Year() > 9999 {
		return time.Time{}, false
	}
	return at, true
}

// maxURL limits URLs, in bytes.
const maxURL = 2048

// notInHosts are characters that browsers refuse in hosts (URL Standard, "forbidden domain code point"). isHost also
// refuses controls.
const notInHosts = " #%/:<>?@[\\]^|\x7f"

// httpURLFault returns the fault of a text that is not an http or https URL as browsers accept it, or that has
// credentials. Otherwise it returns "".
func httpURLFault(text string) string {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return "must have at most 2048 bytes"
	case err != nil:
		return UnparsedURL(text, err)
	case u.Scheme != "http" && u.Scheme != "https":
		return "must be an absolute http or https URL"
	case u.User != nil:
		return "must have no user information"
	case !isHost(u):
		return noHost
	case !isPort(u.Port()):
		return noPort
	default:
		return ""
	}
}

const (
	noHost = "must have the name or address of a host"
	noPort = "must have a port from 1 to 65535, or none"
)

// UnparsedURL returns the reason for the error of url.Parse about a text, without repeating the text.
func UnparsedURL(text string, err error) string {
	var escape url.EscapeError
	var host url.InvalidHostError
	switch {
	case strings.ContainsFunc(text, unicode.IsControl):
		return "must have no control characters"
	case badPort.MatchString(text):
		return noPort
	case errors.As(err, &escape) && !escaped.MatchString(string(escape)):
		return "must have two hexadecimal digits after each %"
	case errors.As(err, &escape), errors.As(err, &host), strings.Contains(text, "//["): // other parts allow whole escapes
		return noHost
	default:
		return "must be a URL"
	}
}

var (
	// badPort finds a port that is not a number, after a name or an address in brackets.
	badPort = regexp.MustCompile(`^[^/?#]*//(?:[^/?#@]*@)?(?:\[[^]/?#]*\]|[^[/?#:@]*)` +
		`:[^/?#@]*[^/?#@0-9][^/?#@]*(?:[/?#]|$)`)
	escaped = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
)

func isHost(u *url.URL) bool {
	host := u.Hostname()
	if address, err := netip.ParseAddr(host); strings.HasPrefix(u.Host, "[") {
		return err == nil && address.Is6() && address.Zone() == ""
	}
	control := func(r rune) bool { return r < ' ' }
	if host == "" || strings.ContainsAny(host, notInHosts) || strings.ContainsFunc(host, control) {
		return false
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if last := labels[len(labels)-1]; digits(1, len(host))(last) { // a numeric last label means an address
		address, err := netip.ParseAddr(strings.TrimSuffix(host, "."))
		return err == nil && address.Is4()
	}
	return !slices.Contains(labels, "")
}

func isPort(text string) bool {
	port, err := strconv.Atoi(text)
	return text == "" || err == nil && port >= 1 && port <= 65535
}
