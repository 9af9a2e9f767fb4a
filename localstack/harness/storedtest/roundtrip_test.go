package storedtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

type stored struct {
	PK    string   `dynamo:"pk"`
	SK    string   `dynamo:"sk"`
	Text  string   `dynamo:"text"`
	Parts []inner  `dynamo:"parts"`
	Names []string `dynamo:"names,set"`
	Other string   `dynamo:"other"`
}

func TestRoundTrip_UnreadAttribute(t *testing.T) {
	t.Parallel()
	written := stored{PK: "p", SK: "ITEM#1", Text: "a", Parts: []inner{{"b", "c"}, {"d", "e"}}, Names: []string{"f"},
		Other: "g"}
	whole := func(s *stored) {}
	for name, c := range map[string]struct {
		forget func(*stored) // clears the attributes that the reader does not return
		unseen NotRead
		want   []string // prefix of each wanted fault
	}{
		"all is read":       {whole, nil, nil},
		"a field":           {func(s *stored) { s.Other = "" }, nil, []string{"item answers"}},
		"always the same":   {func(s *stored) { s.Other = written.Other }, nil, []string{"without ITEM other the same"}},
		"excused":           {func(s *stored) { s.Other = written.Other }, NotRead{"ITEM other": "why"}, nil},
		"needs no excuse":   {whole, NotRead{"ITEM text": "why"}, []string{"ITEM text is excused"}},
		"is not there":      {whole, NotRead{"ITEM more": "why"}, []string{"ITEM more is excused"}},
		"within a list":     {func(s *stored) { s.Parts = written.Parts }, nil, partsUnseen},
		"within a list, so": {func(s *stored) { s.Parts = written.Parts }, NotRead{"ITEM parts": "why"}, nil},
	} {
		s := Open(t, clock.New().Now, nil)
		_, table := s.Raw()
		if err := table.Put(written).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		faults, err := checkReads(t.Context(), s, []Read{Expect("item", written, func(ctx context.Context) (stored, error) {
			var read []stored
			err := table.Scan().All(ctx, &read)
			c.forget(&read[0])
			return read[0], err
		})}, c.unseen, nil)
		if err != nil || !slices.EqualFunc(faults, c.want, strings.HasPrefix) {
			t.Errorf("%s: got faults %q and error %v, want %q", name, faults, err, c.want)
		}
		var after []stored
		if err := table.Scan().All(t.Context(), &after); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]stored{written}, after); diff != "" {
			t.Errorf("%s: the table is left changed (-want +got):\n%s", name, diff)
		}
	}
}

var partsUnseen = []string{"without ITEM parts the same", "without ITEM parts.0 the same",
	"without ITEM parts.0.Name the same", "without ITEM parts.0.Other the same", "without ITEM parts.1 the same",
	"without ITEM parts.1.Name the same", "without ITEM parts.1.Other the same"}
