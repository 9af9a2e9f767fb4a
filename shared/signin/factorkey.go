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

// FactorKey is the platform's key that derives the secrets of all second factors.
type FactorKey []byte

// Of returns the secrets of a user (Account.User).
func (k FactorKey) Of(user string) Secrets { return Secrets{k, user} }

// Secrets derives the secrets of a user's second factor each time, so that no secret is stored.
type Secrets struct {
	key  FactorKey
	user string
}

const (
	totpBytes     = 20 // RFC 4226 §4, R6
	recoveryBytes = 10
	period        = 30 // seconds of a time step (RFC 6238 §4.1)
	skew          = 1  // steps before and after the current step that are accepted (RFC 6238 §5.2)
)

// totpCodes are the parameters of apps' codes: six digits by SHA-1, which every app supports (RFC 6238 §1.2).
var totpCodes = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

var inBase32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// derive returns a secret of at most 32 bytes for a purpose and an id.
func (s Secrets) derive(purpose, id string, size int) []byte {
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write([]byte(strings.Join([]string{s.user, purpose, id}, "\x00"))) // never fails
	return mac.Sum(nil)[:size]
}

// App returns the secret that an enrolment gives to an authenticator app: 160 bits in base32.
func (s Secrets) App(enrolment string) string {
	return inBase32.EncodeToString(s.derive("app", enrolment, totpBytes))
}

// AppLink returns the otpauth URL that gives the secret to an app. The app shows issuer and name. An empty issuer or
// name is an error.
func (s Secrets) AppLink(enrolment, issuer, name string) (string, error) {
	k, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: name, Period: period, Digits: totpCodes.Digits,
		Algorithm: totpCodes.Algorithm, Secret: s.derive("app", enrolment, totpBytes)})
	if err != nil {
		return "", err
	}
	return k.URL(), nil
}

// Recovery returns the recovery codes derived from the id: 80 bits each, in groups of four characters.
func (s Secrets) Recovery(id string) []string {
	all := make([]string, RecoveryCodes)
	for i := range all {
		all[i] = strings.Join(Groups(s.recoveryCode(id, i)), "-")
	}
	return all
}

func (s Secrets) recoveryCode(id string, place int) string {
	return strings.ToLower(inBase32.EncodeToString(s.derive("recovery "+strconv.Itoa(place), id, recoveryBytes)))
}

// Groups splits a text into groups of four characters, which people read and type more easily.
func Groups(text string) []string {
	var groups []string
	for ; len(text) > 4; text = text[4:] {
		groups = append(groups, text[:4])
	}
	return append(groups, text)
}

// matchStep returns the code's time step. The step must be in the window around the code's time, and after the last
// accepted step, if any.
func (s Secrets) matchStep(enrolment string, code Code, last int64) (int64, bool) {
	current, app := code.At.Unix()/period, s.App(enrolment)
	found, ok := int64(0), false
	for step := max(current-skew, last+1); step <= current+skew; step++ {
		counter := uint64(step) //nolint:gosec // no clock shows a time before 1970
		if same, err := hotp.ValidateCustom(code.typed(), counter, app, totpCodes); same && err == nil && !ok {
			found, ok = step, true
		}
	}
	return found, ok
}

// isAppCode returns true if the app showed the code at the code's time, or one step before or after it. The code may
// have been used before.
func (s Secrets) isAppCode(enrolment string, code Code) bool {
	_, is := s.matchStep(enrolment, code, 0)
	return is
}

// matchRecovery returns the place of the code among the recovery codes of the id. It returns false if no code matches.
func (s Secrets) matchRecovery(id string, code Code) (int, bool) {
	entered := []byte(strings.ToLower(code.typed()))
	for i := range RecoveryCodes {
		if hmac.Equal(entered, []byte(s.recoveryCode(id, i))) {
			return i, true
		}
	}
	return 0, false
}

// typed returns the code without the separators of its groups.
func (c Code) typed() string {
	return strings.NewReplacer(" ", "", "-", "", "\u00a0", "", "\t", "").Replace(c.Text.Reveal())
}
