package signin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

// FactorKey is the platform's key from which the secrets of all second factors are derived.
type FactorKey []byte

// Of are the secrets of a user (Account.User).
func (k FactorKey) Of(user string) Secrets { return Secrets{k, user} }

// Secrets derives the secrets of a user's second factor when they are needed, so that none is stored.
type Secrets struct {
	key  FactorKey
	user string
}

const (
	totpBytes     = 20 // RFC 4226 §4, R6
	recoveryBytes = 10
	period        = 30 // seconds of a time step (RFC 6238 §4.1)
	skew          = 1  // steps beside the current one that are accepted (RFC 6238 §5.2)
)

// codes is how apps make codes: six digits by SHA-1, which every app supports (RFC 6238 §1.2).
var codes = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

var inBase32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// derive makes a secret of at most 32 bytes for a purpose and an id.
func (s Secrets) derive(purpose, id string, size int) []byte {
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write([]byte(strings.Join([]string{s.user, purpose, id}, "\x00"))) // never fails
	return mac.Sum(nil)[:size]
}

// App is the secret that an enrolment gives to an authenticator app: 160 bits in base32.
func (s Secrets) App(enrolment string) string {
	return inBase32.EncodeToString(s.derive("app", enrolment, totpBytes))
}

// AppLink is the otpauth URL from which an app reads the secret; the app shows issuer and name.
// It fails only for an empty one.
func (s Secrets) AppLink(enrolment, issuer, name string) (string, error) {
	k, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: name, Period: period, Digits: codes.Digits,
		Algorithm: codes.Algorithm, Secret: s.derive("app", enrolment, totpBytes)})
	if err != nil {
		return "", err
	}
	return k.URL(), nil
}

// Recovery returns the recovery codes derived from the id: 80 bits each, in groups of four characters.
func (s Secrets) Recovery(id string) []string {
	all := make([]string, RecoveryCodes)
	for i := range all {
		all[i] = strings.Join(Groups(s.recovery(id, i)), "-")
	}
	return all
}

func (s Secrets) recovery(id string, place int) string {
	return strings.ToLower(inBase32.EncodeToString(s.derive("recovery "+strconv.Itoa(place), id, recoveryBytes)))
}

// Groups splits a text into groups of four characters, which are easier to read and type.
func Groups(text string) []string {
	var groups []string
	for ; len(text) > 4; text = text[4:] {
		groups = append(groups, text[:4])
	}
	return append(groups, text)
}

// step is the time step of the code, within the window around its time and after the last
// accepted one; false if there is none.
func (s Secrets) step(enrolment string, code Code, last int64) (int64, bool) {
	current, app := code.At.Unix()/period, s.App(enrolment)
	found, ok := int64(0), false
	for step := max(current-skew, last+1); step <= current+skew; step++ {
		counter := uint64(step) //nolint:gosec // no clock shows a time before 1970
		if same, err := hotp.ValidateCustom(code.typed(), counter, app, codes); same && err == nil && !ok {
			found, ok = step, true
		}
	}
	return found, ok
}

// isApps reports whether the app showed the code at the time it was entered, or one step before or after, used or not.
func (s Secrets) isApps(enrolment string, code Code) bool {
	_, is := s.step(enrolment, code, 0)
	return is
}

// place is the place of the code among the recovery codes of the id; false if it is none.
func (s Secrets) place(id string, code Code) (int, bool) {
	entered := []byte(strings.ToLower(code.typed()))
	for i := range RecoveryCodes {
		if hmac.Equal(entered, []byte(s.recovery(id, i))) {
			return i, true
		}
	}
	return 0, false
}

// typed is the code without the separators of its groups.
func (c Code) typed() string {
	return strings.NewReplacer(" ", "", "-", "", "\u00a0", "", "\t", "").Replace(c.Text.Reveal())
}
