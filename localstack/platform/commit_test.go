package platform

import (
	"runtime/debug"
	"testing"
)

func TestTheCommitIsShownAsADeploymentShowsIt(t *testing.T) {
	t.Parallel()
	const revision = "0123456789abcdef0123456789abcdef01234567"
	for want, settings := range map[string][]debug.BuildSetting{
		"0123456789ab":       {{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "false"}},
		"0123456789ab-dirty": {{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "true"}},
		"unknown":            {{Key: "GOOS", Value: "linux"}},
	} {
		if got := commitOf(settings); got != want {
			t.Errorf("%v: got %q, want %q", settings, got, want)
		}
	}
}
