package trigger

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOverride(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		overrides []string
		want      object
	}{
		"none":                  {nil, object{"amount": json.Number("10.00"), "currency": "EUR"}},
		"a number for a number": {[]string{"amount:12.50"}, object{"amount": json.Number("12.50"), "currency": "EUR"}},
		"a text for a number":   {[]string{"amount:lots"}, object{"amount": "lots", "currency": "EUR"}},
		"digits for a text":     {[]string{"currency:7"}, object{"amount": json.Number("10.00"), "currency": "7"}},
		"a colon in the value":  {[]string{"currency:a:b"}, object{"amount": json.Number("10.00"), "currency": "a:b"}},
		"an empty text":         {[]string{"currency:"}, object{"amount": json.Number("10.00"), "currency": ""}},
		"within another":        {[]string{"amount.value:1"}, object{"amount": object{"value": "1"}, "currency": "EUR"}},
		"two within one, and on": {[]string{"a.b:1", "a.c:true"}, object{"amount": json.Number("10.00"), "currency": "EUR",
			"a": object{"b": "1", "c": true}}},
	} {
		body := object{"amount": json.Number("10.00"), "currency": "EUR"}
		if err := override(body, c.overrides); err != nil {
			t.Errorf("%s: got error %v, want none", name, err)
		}
		if diff := cmp.Diff(c.want, body); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, bad := range []string{"", "amount", ":1"} {
		if err := override(object{}, []string{bad}); err == nil {
			t.Errorf("%q: got no error, want one", bad)
		}
	}
}
