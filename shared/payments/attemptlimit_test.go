package payments_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// beginUntilRefused begins and declines attempts, a second apart, until an attempt is refused. It returns the number of
// attempts and the wait that the refusal names. It fails the test after 60 attempts.
func beginUntilRefused(t *testing.T, c *payments.Checkout, now *time.Time, by func(i int) payments.Source) (int,
	time.Duration) {
	t.Helper()
	for i := range 60 {
		*now = now.Add(time.Second)
		begun, err := c.Begin(attemptFor(fmt.Sprint(now.Unix()), payments.CardMethod), by(i), *now)
		if failure.Is(err, failure.KindTooMany) {
			return i, failure.Of(err).RetryAfter
		}
		if err != nil {
			t.Fatal(err)
		}
		*c = settle(t, begun, payments.Outcome{Decision: payments.Declined}, *now).Checkout
	}
	t.Fatal("got 60 attempts begun, want a limit before")
	return 0, 0
}

func fixed(by payments.Source) func(int) payments.Source {
	return func(int) payments.Source { return by }
}

// TestBegin_LimitsBySource checks that a source can use up only its own attempts, and that payers cannot use up the
// merchant's attempts (contract §2.9).
func TestBegin_LimitsBySource(t *testing.T) {
	t.Parallel()
	payer := func(names ...string) payments.Source { return payments.Source{Names: names, Payer: true} }
	c, now := newCheckout(), start
	for _, step := range []struct {
		what string
		by   func(i int) payments.Source
		want int
	}{
		{"a browser", fixed(payer("session 1", "address 1")), 10},
		{"with a new cookie for each attempt", func(i int) payments.Source {
			return payer(fmt.Sprint("another session ", i), "address 1")
		}, 0},
		{"from a new address for each attempt", func(i int) payments.Source {
			return payer("session 1", fmt.Sprint("another address ", i))
		}, 0},
		{"another payer", fixed(payer("session 2", "address 2")), 10},
		{"many payers from many addresses", func(i int) payments.Source {
			return payer(fmt.Sprint("session of ", i), fmt.Sprint("address of ", i))
		}, 30},
		{"the merchant's key", fixed(payments.Source{Names: []string{"key 1"}}), 10},
		{"its other key", fixed(payments.Source{Names: []string{"key 2"}}), 10},
		{"a key named like a payer's address", fixed(payments.Source{Names: []string{"address 1"}}), 10},
		{"all its keys", func(i int) payments.Source {
			return payments.Source{Names: []string{fmt.Sprint("key of ", i)}}
		}, 20},
	} {
		if got, wait := beginUntilRefused(t, &c, &now, step.by); got != step.want || wait <= 0 || wait > time.Hour {
			t.Errorf("%s: got %d attempts and then %s to wait, want %d and up to an hour", step.what, got, wait, step.want)
		}
	}
	if got := len(c.AttemptStarts); got != 100 {
		t.Errorf("got %d starts kept, want the 50 of each side", got)
	}
}

// TestBegin_AfterLimitWait checks that an eleventh attempt may begin an hour after the first attempt, and not earlier.
func TestBegin_AfterLimitWait(t *testing.T) {
	t.Parallel()
	by := payments.Source{Names: []string{"session", "address"}, Payer: true}
	c, now := newCheckout(), start
	_, wait := beginUntilRefused(t, &c, &now, fixed(by))
	if want := start.Add(time.Second + time.Hour).Sub(now); wait != want {
		t.Fatalf("got %s to wait, want %s", wait, want)
	}
	eleventh := attemptFor("eleventh", payments.CardMethod)
	if _, err := c.Begin(eleventh, by, now.Add(wait-time.Nanosecond)); !failure.Is(err, failure.KindTooMany) {
		t.Errorf("before its time: got %v, want too many", err)
	}
	begun, err := c.Begin(eleventh, by, now.Add(wait))
	if err != nil || len(begun.AttemptStarts) != 10 {
		t.Errorf("in time: got %v and %d starts kept, want none and 10", err, len(begun.AttemptStarts))
	}
}

func TestAttemptStart_Text(t *testing.T) {
	t.Parallel()
	for _, want := range []payments.AttemptStart{
		{At: start.Add(time.Nanosecond), Source: payments.Source{Names: []string{"session", "address"}, Payer: true}},
		{At: start, Source: payments.Source{Names: []string{"key"}}}, {At: start},
	} {
		var got payments.AttemptStart
		text, err := want.MarshalText()
		if err == nil {
			err = got.UnmarshalText(text)
		}
		if diff := differs(want, got); err != nil || diff != "" {
			t.Errorf("%s: got error %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, bad := range []string{"", "m", "m-,x", "mÖ"} {
		if err := new(payments.AttemptStart).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q: got no error, want one", bad)
		}
	}
}

// TestAttemptStart_OldForm reads a start in its older form, which has only the time.
func TestAttemptStart_OldForm(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 26, 15, 4, 5, 6, time.UTC)
	var got payments.AttemptStart
	err := got.UnmarshalText([]byte(at.Format(time.RFC3339Nano)))
	want := payments.AttemptStart{At: at, Source: payments.Source{Payer: true}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
