package platform

import (
	"strings"
	"testing"
)

// onlyVariable returns a lookup in an environment with one variable.
func onlyVariable(name, value string) func(string) string {
	return func(asked string) string {
		if asked == name {
			return value
		}
		return ""
	}
}

func TestReadEvent(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	if err := place.writeEnv(map[string]string{"MERCHANT_CODE": "MC1", "API_KEY": "key"}); err != nil {
		t.Fatal(err)
	}
	const file = "../../events/receipts.json"
	if _, err := place.readEvent(file, onlyVariable("NOTHING", "")); err == nil ||
		strings.Count(err.Error(), "leaves TRANSACTION_CODE open") != 1 {
		t.Errorf("got error %v, want one that TRANSACTION_CODE is open, once", err)
	}
	read, err := place.readEvent(file, onlyVariable("TRANSACTION_CODE", "TABC"))
	for _, want := range []string{`"/v1.1/receipts/TABC"`, `"mid=MC1"`, `"Bearer key"`, "$default"} {
		if err != nil || !strings.Contains(string(read), want) {
			t.Errorf("got event %s and error %v, want %s in it", read, err, want)
		}
	}
}
