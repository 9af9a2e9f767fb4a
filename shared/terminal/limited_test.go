package terminal

import (
	"context"
	"strings"
	"testing"
	"time"
)

// talkative gives a reason of any length.
type talkative struct {
	None
	reason string
}

func (t talkative) Outcome(context.Context, string) (Outcome, error) {
	return Outcome{Progress: Stopped, Reason: t.reason}, nil
}

func TestLimited_LongReason(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"no battery":             "no battery",
		"bad \xff\xfe text":      "bad \uFFFD text",
		strings.Repeat("é", 255): strings.Repeat("é", 255),
		strings.Repeat("é", 256): strings.Repeat("é", 255),
	} {
		got, err := Limited{Terminals: talkative{reason: given}, Answer: time.Minute}.Outcome(t.Context(), "checkout")
		if want := (Outcome{Stopped, want}); got != want || err != nil {
			t.Errorf("%q: got %v %v, want %v", given, got, err, want)
		}
	}
}
