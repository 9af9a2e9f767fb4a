// Package notices takes the acquirers' notices. A notice is a signed message that says which outcomes may have changed.
// The family asks the acquirer for these outcomes and records them, before it answers. So it needs no queue: after any
// answer but 200, the acquirer sends the notice again. The sandbox's notices come this way only in tests. Routes lists
// the operations for app.ServeRoutes.
package notices

import (
	"context"
	"net/textproto"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// perAddress limits the notices from one address. An acquirer sends the notices of all merchants from few addresses.
var perAddress = rest.Limit{Rate: 100, Burst: 500}

// family has an operation for each route.
type family struct{ *processing.Processor }

// Routes returns the family's routes (contract §13.12).
func Routes(a *app.App) []rest.Route {
	return []rest.Route{{Method: "POST", Path: "/acquirer/notices/{mode}", Access: rest.Open, PerAddress: perAddress,
		Handle: rest.Signed(family{a.Processing}.receive)}}
}

// receive takes a notice of the mode's acquirer. Failures: NotFound, Malformed, Upstream, Timeout.
func (f family) receive(ctx context.Context, req struct {
	Mode string `path:"mode"`
}, header textproto.MIMEHeader, body []byte) error {
	mode, ok := identity.ParseMode(req.Mode)
	if !ok {
		return rest.NothingHere()
	}
	err := f.HandleNotice(ctx, mode, header, body)
	if failure.Is(err, failure.KindConflict) { // other requests kept changing the payment
		return failure.Timeout(err)
	}
	return err
}
