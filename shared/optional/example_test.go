package optional_test

import (
	"encoding/json"
	"fmt"

	"github.com/cashwrap/cashwrap/shared/optional"
)

// A partial update leaves absent fields unchanged, and distinguishes them from null.
func ExampleOf() {
	var update struct {
		Name  optional.Of[string] `json:"name"`
		Until optional.Of[string] `json:"until"`
		Note  optional.Of[string] `json:"note"`
	}
	if err := json.Unmarshal([]byte(`{"name":"Ada","until":null}`), &update); err != nil {
		fmt.Println(err)
	}
	fmt.Println(update.Name.Or("old"), update.Until.Or("old"), update.Note.Or("old"))
	fmt.Println(update.Name.Given(), update.Until.Given(), update.Note.Given())
	// Output:
	// Ada old old
	// true true false
}
