package platform

import (
	"runtime/debug"

	"github.com/cashwrap/cashwrap/shared/app"
)

// Commit is that of this program, in the form of a deployment's: Go writes it into what `go build` makes within git.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return app.UnknownCommit
	}
	return commitOf(info.Settings)
}

// commitDigits is as many as in the pseudo-versions of Go modules.
const commitDigits = 12

func commitOf(settings []debug.BuildSetting) string {
	found := map[string]string{}
	for _, s := range settings {
		found[s.Key] = s.Value
	}
	revision := found["vcs.revision"]
	switch {
	case len(revision) < commitDigits:
		return app.UnknownCommit
	case found["vcs.modified"] == "true":
		return revision[:commitDigits] + "-dirty"
	default:
		return revision[:commitDigits]
	}
}
