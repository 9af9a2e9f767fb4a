package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/record"
)

func TestCover(t *testing.T) {
	t.Parallel()
	all := record.Test{Package: "./a", Name: "TestAll", Requests: 9000, Kinds: []string{"get", "put", "rare"}}
	few := record.Test{Package: "./a", Name: "TestFew", Requests: 5, Kinds: []string{"get", "put"}}
	elsewhere := record.Test{Package: "./b", Name: "TestElsewhere", Requests: 6, Kinds: []string{"rare"}}
	again := record.Test{Package: "./b", Name: "TestAgain", Requests: 7, Kinds: []string{"get", "rare"}}
	none := record.Test{Package: "./c", Name: "TestNone"}
	got := cover([]record.Test{all, few, elsewhere, again, none})
	if want := []record.Test{few, elsewhere}; !cmp.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	list := []string{"./shared/store", "./functions/..."}
	for name, want := range map[string]bool{"./shared/store": true, "./functions": true, "./functions/oauth": true,
		"./shared/storetest": false, "./shared/store/a": false, "./functionsx": false} {
		if got := within(name, list); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
