// Command bootstrap runs the checkouts Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/checkouts"
	"github.com/cashwrap/cashwrap/shared/app"
	_ "github.com/cashwrap/cashwrap/shared/app/linkstripe" // live mode's acquirer
)

func main() {
	app.ServeRoutes(checkouts.Routes, app.PlatformSecret, app.LastingSecret, app.AcquirerSecret)
}
