package money_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
)

func TestNewDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value int64
		scale int
		want  money.Decimal
	}{{100_000, 3, "100"}, {33_333, 3, "33.333"}, {33_300, 3, "33.3"}, {0, 3, "0"}, {-5, 1, "-0.5"}, {7, 0, "7"}} {
		if got := money.NewDecimal(c.value, c.scale); got != c.want {
			t.Errorf("%d / 10^%d: got %s, want %s", c.value, c.scale, got, c.want)
		}
	}
}
