package failure_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// TestConstructors checks that failures have the codes and slugs of contract §3.3.
func TestConstructors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want *failure.Error }{
		"malformed": {failure.Malformed("Not JSON."), &failure.Error{Kind: failure.KindMalformed,
			Code: "INVALID_REQUEST", Slug: "bad-request", Message: "Not JSON."}},
		"invalid": {failure.Invalid("amount", "must be above 0"), &failure.Error{Kind: failure.KindInvalid,
			Code: "INVALID", Slug: "invalid-parameter", Param: "amount", Message: "amount must be above 0."}},
		"invalid in an object": {failure.Invalid("iban", "must be a valid IBAN").In("profile"), &failure.Error{
			Kind: failure.KindInvalid, Code: "INVALID", Slug: "invalid-parameter", Param: "profile.iban",
			Message: "profile.iban must be a valid IBAN."}},
		"invalid as a whole": {failure.Invalid("", "Give one id."), &failure.Error{Kind: failure.KindInvalid,
			Code: "INVALID", Slug: "invalid-parameter", Message: "Give one id."}},
		"missing": {failure.Missing("card.name"), &failure.Error{Kind: failure.KindInvalid, Code: "MISSING",
			Slug: "invalid-parameter", Param: "card.name", Message: "card.name is required."}},
		"no token": {failure.Unauthorized("missing-token"), &failure.Error{Kind: failure.KindUnauthorized,
			Code: "NOT_AUTHORIZED", Slug: "missing-token", Message: "access token required"}},
		"bad token": {failure.Unauthorized("invalid-token"), &failure.Error{Kind: failure.KindUnauthorized,
			Code: "NOT_AUTHORIZED", Slug: "invalid-token", Message: "invalid access token"}},
		"not chargeable": {failure.NotChargeable("The card has expired."), &failure.Error{Kind: failure.KindNotChargeable,
			Code: "INSTRUMENT_NOT_CHARGEABLE", Slug: "instrument-not-chargeable", Message: "The card has expired."}},
		"forbidden": {failure.Forbidden("request_not_allowed"), &failure.Error{Kind: failure.KindForbidden,
			Code: "FORBIDDEN", Slug: "forbidden", Message: "request_not_allowed"}},
		"not found": {failure.NotFound("No such customer."), &failure.Error{Kind: failure.KindNotFound,
			Code: "NOT_FOUND", Slug: "not-found", Message: "No such customer."}},
		"conflict": {failure.Conflict("Taken."), &failure.Error{Kind: failure.KindConflict,
			Code: "CONFLICT", Slug: "conflict", Message: "Taken."}},
		"too large": {failure.TooLarge("Too large."), &failure.Error{Kind: failure.KindTooLarge,
			Code: "INVALID_REQUEST", Slug: "content-too-large", Message: "Too large."}},
		"unprocessable": {failure.Unprocessable("Too little."), &failure.Error{Kind: failure.KindUnprocessable,
			Slug: "unprocessable-entity", Message: "Too little."}},
		"upstream": {failure.Upstream(io.EOF), &failure.Error{Kind: failure.KindUpstream, Code: "UPSTREAM_FAILED",
			Slug: "upstream-failed", Message: "A required upstream service did not accept the request.",
			RetryAfter: 5 * time.Second, Cause: io.EOF}},
		"too many": {failure.TooMany(time.Minute), &failure.Error{Kind: failure.KindTooMany,
			Code: "TOO_MANY_REQUESTS", Slug: "too-many-requests", Message: "Too many requests.", RetryAfter: time.Minute}},
		"timeout": {failure.Timeout(io.EOF), &failure.Error{Kind: failure.KindTimeout, Code: "INTERNAL_ERROR",
			Slug: "gateway-timeout", Message: "No answer came in time.", Cause: io.EOF}},
	} {
		checkSame(t, name, c.got, c.want)
	}
}

// TestError_Copies checks that additions to a package's shared failure change only a copy, and so reach no other
// request.
func TestError_Copies(t *testing.T) {
	t.Parallel()
	busy := func() *failure.Error { return failure.Conflict("Busy.") }
	original, with := busy(), busy()
	with.Code = "CHECKOUT_PROCESSED"
	checkSame(t, "code", original.WithCode(with.Code), with)
	with = busy()
	with.Slug = "session-already-processed"
	checkSame(t, "slug", original.WithSlug(with.Slug), with)
	with = busy()
	with.Cause = io.EOF
	checkSame(t, "cause", original.WithCause(with.Cause), with)
	with = busy()
	with.Transient = true
	checkSame(t, "transient", original.AsTransient(), with)
	checkSame(t, "original", original, busy())
}

func checkSame(t *testing.T, name string, got, want *failure.Error) {
	t.Helper()
	if diff := cmp.Diff(*want, *got, cmpopts.EquateErrors()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	first, second := failure.Missing("amount"), failure.Missing("currency")
	for name, c := range map[string]struct {
		err  error
		want *failure.Error
	}{
		"itself":       {first, first},
		"wrapped":      {fmt.Errorf("create: %w", first), first},
		"list":         {failure.List{first, second}, first},
		"wrapped list": {fmt.Errorf("create: %w", failure.List{second, first}), second},
		"joined":       {errors.Join(io.EOF, first), first},
	} {
		if got := failure.Of(c.err); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// TestOf_OtherError checks that any other error counts as a fault of the platform. The error's text is kept only for
// the log.
func TestOf_OtherError(t *testing.T) {
	t.Parallel()
	for _, err := range []error{io.EOF, fmt.Errorf("read: %w", io.EOF), failure.List{}} {
		got := failure.Of(err)
		if got.Cause == nil || got.Cause.Error() != err.Error() {
			t.Errorf("got cause %v, want %v", got.Cause, err)
		}
		got.Cause = nil
		checkSame(t, err.Error(), got, &failure.Error{Kind: failure.KindInternal, Code: "INTERNAL_ERROR",
			Slug: "internal-server-error", Message: "An internal error occurred."})
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	notFound := fmt.Errorf("read: %w", failure.NotFound("No."))
	for _, c := range []struct {
		err  error
		kind failure.Kind
		want bool
	}{
		{notFound, failure.KindNotFound, true},
		{notFound, failure.KindConflict, false},
		{nil, failure.KindInternal, false},
		{io.EOF, failure.KindInternal, false},
		{failure.List{failure.Missing("a"), failure.NotFound("No.")}, failure.KindInvalid, true},
		{failure.List{failure.Missing("a"), failure.NotFound("No.")}, failure.KindNotFound, false},
	} {
		if got := failure.Is(c.err, c.kind); got != c.want {
			t.Errorf("Is(%v, %d): got %t, want %t", c.err, c.kind, got, c.want)
		}
	}
}

func TestError_Text(t *testing.T) {
	t.Parallel()
	invalid := failure.Invalid("amount", "must be above 0")
	for want, err := range map[string]error{
		"INVALID: amount must be above 0.":      invalid,
		"INVALID: amount must be above 0.: EOF": invalid.WithCause(io.EOF),
		"CONFLICT: Busy.":                       failure.Conflict("Busy."),
		"INVALID: amount must be above 0.; MISSING: name is required.": failure.List{invalid,
			failure.Missing("name")},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestError_Unwrap(t *testing.T) {
	t.Parallel()
	if err := failure.Conflict("Busy.").WithCause(io.EOF); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want an error around %v", err, io.EOF)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	one, two := failure.Missing("a"), failure.Missing("b")
	for name, c := range map[string]struct {
		list       failure.List
		err, first error
	}{
		"empty": {nil, nil, nil},
		"one":   {failure.List{one}, one, one},
		"two":   {failure.List{one, two}, failure.List{one, two}, one},
	} {
		if diff := cmp.Diff(c.err, c.list.Err()); diff != "" {
			t.Errorf("%s: Err (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.first, c.list.First()); diff != "" {
			t.Errorf("%s: First (-want +got):\n%s", name, diff)
		}
	}
	list := failure.List{one, two}
	if !list.Names("b") || list.Names("c") {
		t.Errorf("Names: got b %t and c %t, want true and false", list.Names("b"), list.Names("c"))
	}
}
