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

// environment reads variables and collects what is wrong with them.
type environment struct {
	lookup   func(string) string
	problems []error
}

func (e *environment) wrong(problem string) { e.problems = append(e.problems, errors.New(problem)) }

func (e *environment) require(name string) string {
	value := e.lookup(name)
	if value == "" {
		e.wrong(name + " is not set")
	}
	return value
}

// first is the first of the variables that is set.
func (e *environment) first(names ...string) string {
	for _, name := range names {
		if value := e.lookup(name); value != "" {
			return value
		}
	}
	return ""
}

func (e *environment) on(name string) bool { return strings.EqualFold(e.lookup(name), "on") }

// number is a whole number from 1 to most.
func (e *environment) number(name string, otherwise, most int) int {
	text := e.lookup(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		e.wrong(fmt.Sprintf("%s must be a whole number from 1 to %d", name, most))
	}
	return n
}

// address is an e-mail address, perhaps with a name: Cashwrap <no-reply@example.com>.
func (e *environment) address(name string) string {
	text := e.lookup(name)
	if _, err := mail.ParseAddress(text); text != "" && err != nil {
		e.wrong(name + " must be an email address, perhaps with a name")
	}
	return text
}

// UnknownCommit is shown in place of a commit where the code was built outside of git.
const UnknownCommit = "unknown"

// commitOf is the commit of the code that runs.
func commitOf(lookup func(string) string) string { return cmp.Or(lookup("COMMIT"), UnknownCommit) }

// minSecret is the least number of random bytes that keys are derived from.
const minSecret = 32

func (e *environment) secret(name string) []byte {
	text := e.require(name)
	secret, err := base64.StdEncoding.DecodeString(text)
	if text != "" && (err != nil || len(secret) < minSecret) {
		e.wrong(fmt.Sprintf("%s must be base64 of at least %d bytes", name, minSecret))
	}
	return secret
}

func (e *environment) secrets(c *Config, uses []Secret) {
	platform, lasting := slices.Contains(uses, PlatformSecret), slices.Contains(uses, LastingSecret)
	rotated := platform && e.lookup("PLATFORM_SECRET_PREVIOUS") != ""
	if platform {
		c.Secret, c.SecretSince = e.secret("PLATFORM_SECRET"), e.time("PLATFORM_SECRET_SINCE")
	}
	if rotated {
		c.PreviousSecret, c.PreviousSince = e.secret("PLATFORM_SECRET_PREVIOUS"), e.time("PLATFORM_SECRET_PREVIOUS_SINCE")
		e.checkRotation(*c)
	}
	switch {
	case lasting && platform && !rotated && e.lookup("LASTING_SECRET") == "":
		c.LastingSecret = c.Secret
	case lasting:
		c.LastingSecret = e.secret("LASTING_SECRET")
	}
}

func (e *environment) time(name string) time.Time {
	text := e.require(name)
	at, err := time.Parse(time.RFC3339, text)
	if text != "" && err != nil {
		e.wrong(name + " must be an RFC 3339 time")
	}
	return at.UTC()
}

// clockOffset is never negative: time that has passed does not come again.
func (e *environment) clockOffset(name string, deployed bool) time.Duration {
	text := e.lookup(name)
	if text == "" {
		return 0
	}
	offset, err := time.ParseDuration(text)
	switch {
	case deployed:
		e.wrong(name + " is for a developer's machine, and must not be set in a deployment")
	case err != nil || offset < 0:
		e.wrong(name + " must be a duration such as 168h")
	}
	return offset
}

func (e *environment) signatureHeader(name string) string {
	header := e.lookup(name)
	if err := webhook.CheckTimedHeader(header); err != nil {
		e.wrong(name + " " + err.Error())
	}
	return header
}

func (e *environment) refundRules(name string) payments.RefundRules {
	rules, err := payments.ParseRefundRules(e.lookup(name))
	if err != nil {
		e.wrong(name + " must be rules such as BR:90, HUF::100 or CL/CLP:180:500, with blanks between them")
	}
	return rules
}

func (e *environment) proxies(hops, hashes string) rest.Proxies {
	p, err := ParseProxies(e.lookup(hops), e.lookup(hashes))
	if err != nil {
		e.wrong(hops + " and " + hashes + ": " + err.Error())
	}
	return p
}

// checkRotation refuses a rotation that runs backwards. One that would void what
// merchants hold on to, without a lasting secret, has been refused.
func (e *environment) checkRotation(c Config) {
	if !c.PreviousSince.Before(c.SecretSince) {
		e.wrong("PLATFORM_SECRET_PREVIOUS_SINCE must be before PLATFORM_SECRET_SINCE")
	}
}
