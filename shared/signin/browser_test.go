package signin_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/signin"
)

func TestParseBrowser(t *testing.T) {
	t.Parallel()
	const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox, Linux",
		windows + "Chrome/143.0.0.0 Safari/537.36":                               "Chrome, Windows",
		windows + "Chrome/143.0.0.0 Safari/537.36 Edg/143.0":                     "Edge, Windows",
		"Mozilla/5.0 (Linux; Android 15) SamsungBrowser/29.0 Chrome/136.0":       "Samsung Internet, Android",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15":        "Safari, macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) CriOS/143.0 Safari/604.1":      "Chrome, iPhone",
		"curl/8.5.0": "",
		"":           "",
		"<script>alert(1)</script> Firefox/1 " + strings.Repeat("x", 10_000): "Firefox",
	} {
		if got := signin.ParseBrowser(agent); got != want || len(got) > 32 {
			t.Errorf("%.200s: got %q, want %q", agent, got, want)
		}
	}
}

func TestSessionID(t *testing.T) {
	t.Parallel()
	if a, b := signin.SessionID("a"), signin.SessionID("b"); a == b || len(a) != 32 || a != signin.SessionID("a") {
		t.Errorf("got ids %q and %q, want one of 32 digits for each hash", a, b)
	}
}
