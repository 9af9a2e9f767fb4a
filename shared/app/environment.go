package app

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// environment reads variables and collects the faults in them.
type environment struct {
	lookup   func(string) string
	problems []error
}

func (e *environment) fail(problem string) { e.problems = append(e.problems, errors.New(problem)) }

func (e *environment) require(name string) string {
	value := e.lookup(name)
	if value == "" {
		e.fail(name + " is not set")
	}
	return value
}

// firstSet returns the value of the first variable that is set.
func (e *environment) firstSet(names ...string) string {
	for _, name := range names {
		if value := e.lookup(name); value != "" {
			return value
		}
	}
	return ""
}

func (e *environment) isOn(name string) bool { return strings.EqualFold(e.lookup(name), "on") }

// readNumber returns a whole number from 1 to the parameter most. If the variable is not set, readNumber returns the
// parameter otherwise.
func (e *environment) readNumber(name string, otherwise, most int) int {
	text := e.lookup(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		e.fail(fmt.Sprintf("%s must be a whole number from 1 to %d", name, most))
	}
	return n
}

// readAddress returns an e-mail address, perhaps with a name: Cashwrap <no-reply@example.com>.
func (e *environment) readAddress(name string) string {
	text := e.lookup(name)
	if _, err := mail.ParseAddress(text); text != "" && err != nil {
		e.fail(name + " must be an email address, perhaps with a name")
	}
	return text
}

// UnknownCommit replaces the commit when the code was built outside of git.
const UnknownCommit = "unknown"

func commitOf(lookup func(string) string) string { return cmp.Or(lookup("COMMIT"), UnknownCommit) }

// minSecret is the smallest length of a secret, in bytes.
const minSecret = 32

func (e *environment) readSecret(name string) []byte {
	text := e.require(name)
	secret, err := base64.StdEncoding.DecodeString(text)
	if text != "" && (err != nil || len(secret) < minSecret) {
		e.fail(fmt.Sprintf("%s must be base64 of at least %d bytes", name, minSecret))
	}
	return secret
}

func (e *environment) readSecrets(c *Config, uses []Secret) {
	platform, lasting := slices.Contains(uses, PlatformSecret), slices.Contains(uses, LastingSecret)
	rotated := platform && e.lookup("PLATFORM_SECRET_PREVIOUS") != ""
	if c.LiveAcquirer != "" && slices.Contains(uses, AcquirerSecret) {
		c.AcquirerSecret = e.readAcquirerKeys("ACQUIRER_SECRET")
	}
	if platform {
		c.Secret, c.SecretSince = e.readSecret("PLATFORM_SECRET"), e.readTime("PLATFORM_SECRET_SINCE")
	}
	if rotated {
		c.PreviousSecret, c.PreviousSince =
			e.readSecret("PLATFORM_SECRET_PREVIOUS"), e.readTime("PLATFORM_SECRET_PREVIOUS_SINCE")
		e.checkRotation(*c)
	}
	switch {
	case lasting && platform && !rotated && e.lookup("LASTING_SECRET") == "":
		c.LastingSecret = c.Secret
	case lasting:
		c.LastingSecret = e.readSecret("LASTING_SECRET")
	}
}

func (e *environment) readTime(name string) time.Time {
	text := e.require(name)
	at, err := time.Parse(time.RFC3339, text)
	if text != "" && err != nil {
		e.fail(name + " must be an RFC 3339 time")
	}
	return at.UTC()
}

// readLocal reads a variable that only a developer's machine may have.
func (e *environment) readLocal(name string, deployed bool) string {
	text := e.lookup(name)
	if text != "" && deployed {
		e.fail(name + " is for a developer's machine, and must not be set in a deployment")
	}
	return text
}

// readClockOffset rejects a negative offset, because platform time must not go back.
func (e *environment) readClockOffset(name string, deployed bool) time.Duration {
	text := e.readLocal(name, deployed)
	if text == "" {
		return 0
	}
	offset, err := time.ParseDuration(text)
	if err != nil || offset < 0 {
		e.fail(name + " must be a duration such as 168h")
	}
	return offset
}

func (e *environment) readSignatureHeader(name string) string {
	header := e.lookup(name)
	if err := webhook.CheckTimedHeader(header); err != nil {
		e.fail(name + " " + err.Error())
	}
	return header
}

func (e *environment) readRefundRules(name string) payments.RefundRules {
	rules, err := payments.ParseRefundRules(e.lookup(name))
	if err != nil {
		e.fail(name + " must be rules such as BR:90, HUF::100 or CL/CLP:180:500, with blanks between them")
	}
	return rules
}

func (e *environment) readAcquirerHosts(name string) payments.AcquirerHosts {
	hosts, err := payments.ParseAcquirerHosts(e.lookup(name))
	if err != nil {
		e.fail(name + " " + err.Error())
	}
	hosts.Loopback = e.isOn("ALLOW_HTTP")
	return hosts
}

func (e *environment) readProxies(hops, hashes string) rest.Proxies {
	p, err := ParseProxies(e.lookup(hops), e.lookup(hashes))
	if err != nil {
		e.fail(hops + " and " + hashes + ": " + err.Error())
	}
	return p
}

// checkRotation rejects a rotation that runs backwards. readSecrets also requires a lasting secret during a rotation,
// because merchants would otherwise lose values that they store.
func (e *environment) checkRotation(c Config) {
	if !c.PreviousSince.Before(c.SecretSince) {
		e.fail("PLATFORM_SECRET_PREVIOUS_SINCE must be before PLATFORM_SECRET_SINCE")
	}
}
