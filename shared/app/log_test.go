package app

import (
	"bytes"
	"strings"
	"testing"
)

func TestNewLog_Commit(t *testing.T) {
	t.Parallel()
	for readable, want := range map[bool]string{false: `"commit":"0123456789ab-dirty"`,
		true: "commit=0123456789ab-dirty"} {
		var out bytes.Buffer
		log := newLog(&out, readable, "0123456789ab-dirty")
		log.Info("one")
		log.WithGroup("request").Error("two", "error", "none")
		if got := out.String(); strings.Count(got, want) != 2 {
			t.Errorf("got\n%s\nwant %s in both lines", got, want)
		}
	}
}
