package merchant_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

// TestCallbackSecret_Signing checks contract §11.2: no secret signs before the merchant asked for one. For 24 hours
// after a rotation both secrets sign.
func TestCallbackSecret_Signing(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	first := merchant.CallbackSecret{}.Rotated(start)
	second := first.Rotated(start.Add(48 * time.Hour))
	third := second.Rotated(start.Add(49 * time.Hour))
	for _, c := range []struct {
		name   string
		secret merchant.CallbackSecret
		after  time.Duration
		want   []int
	}{
		{"never asked for", merchant.CallbackSecret{}, 0, nil},
		{"first, at once", first, 0, []int{1}},
		{"first, much later", first, 1000 * time.Hour, []int{1}},
		{"rotated, at once", second, 48 * time.Hour, []int{2, 1}},
		{"rotated, the last moment", second, 72*time.Hour - time.Nanosecond, []int{2, 1}},
		{"rotated, after a day", second, 72 * time.Hour, []int{2}},
		{"rotated twice within a day", third, 50 * time.Hour, []int{3, 2}},
		{"rotated twice, after a day", third, 73 * time.Hour, []int{3}},
	} {
		if got := c.secret.Signing(start.Add(c.after)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got signing secrets %v, want %v", c.name, got, c.want)
		}
	}
}
