package provision_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guided finds the operator's commands in the operating guide.
var guided = regexp.MustCompile(`operate '(\{.*\})'`)

// unshelled undoes bash's quoting of a command: '\” is an apostrophe, '$name' a variable.
var unshelled = strings.NewReplacer(`'\''`, "’", "'$merchant'", "MC…", "'$payout'", "…")

// misunderstood lists the arguments whose values a guide can get wrong. The command may refuse the values of other
// arguments, because they are placeholders for a merchant's data.
var misunderstood = []string{"command", "mode", "type", "scopes", "payout_period", "outcome", "reason", "day", "from",
	"to", "limit", "test_key"}

// TestOperatingGuide_Commands checks that each printed command exists and accepts its arguments and their values.
func TestOperatingGuide_Commands(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../infra/README.md")
	if err != nil {
		t.Fatal(err)
	}
	d := newOperator(t)
	live := run[provisioned](d, registration(fields{"sandbox": false}))
	names := map[string]bool{}
	for _, found := range guided.FindAllStringSubmatch(string(guide), -1) {
		text := strings.ReplaceAll(unshelled.Replace(found[1]), "MC…", live.Code)
		var command fields
		if err := json.Unmarshal([]byte(text), &command); err != nil {
			t.Errorf("%s: got %v, want a command in JSON", text, err)
			continue
		}
		names[command["command"].(string)] = true
		var answer struct{ Error refusal }
		if err := json.Unmarshal(d.invoke(command), &answer); err != nil {
			t.Fatal(err)
		}
		wrong := answer.Error
		if strings.HasSuffix(wrong.Message, " is not an argument of the command.") ||
			slices.Contains(misunderstood, wrong.Param) ||
			wrong.Code == "INVALID" && wrong.Param == "" {
			t.Errorf("%s: got %+v, want a command that is understood", text, wrong)
		}
	}
	if len(names) < 10 {
		t.Errorf("got the commands %v, want 10 or more", names)
	}
}
