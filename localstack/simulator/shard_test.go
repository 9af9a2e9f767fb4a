package simulator_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

// TestAReaderOfOneShardIsNoticed is the control of merchants that have grown: what readers do not find is not paid out.
func TestAReaderOfOneShardIsNoticed(t *testing.T) {
	control(t)
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	for seed := part + 1; seed <= 10; seed += parts {
		finding := seedRun{"month", seed}.without(t, calls.Shards)
		if finding != "" {
			t.Logf("seed %d finds %s", seed, finding)
			return
		}
	}
	t.Errorf("part %d: got no finding of readers that ignore all shards but the first, want one", part)
}
