package provision_test

import "testing"

// TestUpdateMerchant_FewerShards checks that a lower number of shards is refused, because the contents of the shards
// beyond that number would not be found.
func TestUpdateMerchant_FewerShards(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	given := fields{"shards": 4, "merchant_code": "MC0000SHRD"}
	m := d.createMerchant(given)
	for _, c := range []struct{ given, want int }{{4, 4}, {16, 16}, {8, 0}, {1, 0}, {32, 32}} {
		command := fields{"command": "update_merchant", "merchant_code": m.Code, "shards": c.given}
		if c.want == 0 {
			if got := d.runRefused(command); got.Code != "INVALID" || got.Param != "shards" {
				t.Errorf("%d: got %+v, want INVALID shards", c.given, got)
			}
			continue
		}
		run[any](d, command)
		if got := d.readMerchant(m.Key).ShardCount(); got != c.want {
			t.Errorf("%d: got %d shards, want %d", c.given, got, c.want)
		}
	}
}
