package failure_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Codes and slugs of contract §3.3.
func TestConstructors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want *failure.Error }{
		"missing": {failure.Missing("card.name"), &failure.Error{Kind: failure.Rejected, Code: "MISSING",
			Slug: "invalid-parameter", Param: "card.name", Message: "card.name is required."}},
		"invalid": {failure.Invalid("amount", "must be positive"), &failure.Error{Kind: failure.Rejected, Code: "INVALID",
			Slug: "invalid-parameter", Param: "amount", Message: "must be positive"}},
		"bad request": {failure.BadRequest("not JSON"), &failure.Error{Kind: failure.Malformed, Code: "INVALID_REQUEST",
			Slug: "bad-request", Message: "not JSON"}},
		"absent": {failure.Absent("", "no such customer"), &failure.Error{Kind: failure.NotFound, Code: "NOT_FOUND",
			Slug: "not-found", Message: "no such customer"}},
		"absent checkout": {failure.Absent("checkout-not-found", "gone"), &failure.Error{Kind: failure.NotFound,
			Code: "NOT_FOUND", Slug: "checkout-not-found", Message: "gone"}},
		"clash": {failure.Clash("DUPLICATED_CHECKOUT", "", "taken"), &failure.Error{Kind: failure.Conflict,
			Code: "DUPLICATED_CHECKOUT", Slug: "conflict", Message: "taken"}},
		"clash with a slug": {failure.Clash("CHECKOUT_PROCESSED", "session-already-processed", "paid"), &failure.Error{
			Kind: failure.Conflict, Code: "CHECKOUT_PROCESSED", Slug: "session-already-processed", Message: "paid"}},
		"transient": {failure.Transient(failure.Clash("CONFLICT", "", "running")), &failure.Error{
			Kind: failure.Conflict, Code: "CONFLICT", Slug: "conflict", Message: "running", Transient: true}},
		"denied": {failure.Denied("request_not_allowed"), &failure.Error{Kind: failure.Forbidden, Code: "FORBIDDEN",
			Slug: "forbidden", Message: "request_not_allowed"}},
		"no token": {failure.Unauthenticated("missing-token"), &failure.Error{Kind: failure.Unauthorized,
			Code: "NOT_AUTHORIZED", Slug: "missing-token", Message: "access token required"}},
		"bad token": {failure.Unauthenticated("invalid-token"), &failure.Error{Kind: failure.Unauthorized,
			Code: "NOT_AUTHORIZED", Slug: "invalid-token", Message: "invalid access token"}},
		"refused": {failure.Refused("the card has expired"), &failure.Error{Kind: failure.NotChargeable,
			Code: "INSTRUMENT_NOT_CHARGEABLE", Slug: "instrument-not-chargeable", Message: "the card has expired"}},
		"rate limited": {failure.RateLimited(time.Minute), &failure.Error{Kind: failure.TooMany,
			Code: "TOO_MANY_REQUESTS", Slug: "too-many-requests", Message: "Too many requests.", RetryAfter: time.Minute}},
	} {
		if show(c.got) != show(c.want) {
			t.Errorf("%s: %+v, want %+v", name, *c.got, *c.want)
		}
	}
}

// show is all an Error says, but for its details.
func show(e *failure.Error) string {
	return fmt.Sprintf("%d %s %s %s %q %s %v %t", e.Kind, e.Code, e.Slug, e.Param, e.Message,
		e.RetryAfter, e.Cause, e.Transient)
}

func TestUpstreamFailedMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	e := failure.UpstreamFailed(io.ErrUnexpectedEOF)
	if e.Kind != failure.Upstream || e.Code != "UPSTREAM_FAILED" || e.Slug != "upstream-failed" || e.RetryAfter <= 0 {
		t.Errorf("%+v", *e)
	}
	if !errors.Is(e, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	first, second := failure.Missing("amount"), failure.Missing("currency")
	for name, c := range map[string]struct {
		err  error
		want *failure.Error
	}{
		"itself":         {first, first},
		"wrapped":        {fmt.Errorf("create: %w", first), first},
		"list":           {failure.List{first, second}, first},
		"wrapped list":   {fmt.Errorf("create: %w", failure.List{second, first}), second},
		"joined":         {errors.Join(io.EOF, first), first},
		"list of causes": {failure.List{first.With(io.EOF)}, nil},
	} {
		got := failure.Of(c.err)
		if c.want != nil && got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if got.Kind != failure.Rejected {
			t.Errorf("%s: kind %d", name, got.Kind)
		}
	}
}

// What is not a failure is a fault of ours: its text is kept for the log only.
func TestAnyOtherErrorIsInternal(t *testing.T) {
	t.Parallel()
	for _, err := range []error{io.EOF, fmt.Errorf("read: %w", io.EOF), failure.List{}} {
		e := failure.Of(err)
		if e.Kind != failure.Internal || e.Code != "INTERNAL_ERROR" || e.Slug != "internal-server-error" ||
			e.Message != "An internal error occurred." || e.Cause == nil {
			t.Errorf("%#v: %+v", err, *e)
		}
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	absent := fmt.Errorf("read: %w", failure.Absent("", "gone"))
	if !failure.Is(absent, failure.NotFound) || failure.Is(absent, failure.Conflict) {
		t.Errorf("%v", absent)
	}
	for _, err := range []error{nil, io.EOF} {
		if failure.Is(err, failure.Internal) {
			t.Errorf("%v is a failure", err)
		}
	}
	if !failure.Is(failure.List{failure.Missing("a"), failure.Missing("b")}, failure.Rejected) {
		t.Error("a list has no kind")
	}
}

// The shared failures of package payments must not pick up one request's cause.
func TestWithLeavesTheOriginalAlone(t *testing.T) {
	t.Parallel()
	original := failure.Clash("CONFLICT", "", "busy")
	caused := original.With(io.EOF)
	if original.Cause != nil || !errors.Is(caused, io.EOF) || errors.Is(original, io.EOF) {
		t.Errorf("%v, %v", original, caused)
	}
	if caused.Code != original.Code || caused.Message != original.Message || caused.Kind != original.Kind {
		t.Errorf("%+v", *caused)
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	invalid := failure.Invalid("amount", "must be positive")
	for want, err := range map[string]error{
		"INVALID: must be positive (amount)":      invalid,
		"INVALID: must be positive (amount): EOF": invalid.With(io.EOF),
		"CONFLICT: busy":                          failure.Clash("CONFLICT", "", "busy"),
		"INVALID: must be positive (amount); MISSING: name is required. (name)": failure.List{invalid,
			failure.Missing("name")},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err.Error(), want)
		}
	}
}

func TestListErr(t *testing.T) {
	t.Parallel()
	one, two := failure.Missing("a"), failure.Missing("b")
	if err := (failure.List)(nil).Err(); err != nil {
		t.Errorf("an empty list is %v", err)
	}
	if err := (failure.List{one}).Err(); err != error(one) {
		t.Errorf("a list of one is %v", err)
	}
	if none, first := (failure.List)(nil).First(), (failure.List{one, two}).First(); none != nil || first != error(one) {
		t.Errorf("the first is %v and %v", none, first)
	}
	if list := (failure.List{one, two}); !list.Names("b") || list.Names("c") {
		t.Error("a list names what it is not about")
	}
	var list failure.List
	if err := (failure.List{one, two}).Err(); !errors.As(err, &list) || len(list) != 2 {
		t.Errorf("a list of two is %v", err)
	}
}
