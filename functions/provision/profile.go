package provision

import (
	"encoding/json"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// mergeProfile is the profile with the fields given in the arguments; an empty
// text removes one.
func mergeProfile(p merchant.Profile, arguments json.RawMessage) (merchant.Profile, error) {
	if len(arguments) == 0 {
		return p, nil
	}
	err := decode(arguments, &p)
	if err == nil {
		err = validate.Forms(p).First()
	}
	if err == nil {
		return p, nil
	}
	refused := failure.Of(err)
	if refused.Param == "" {
		return p, failure.Invalid("profile", "must be an object")
	}
	return p, refused.In("profile")
}
